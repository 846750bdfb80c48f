package config

import (
	"strings"
	"testing"
)

func TestRebind(t *testing.T) {
	env := Env{Get: func(string) string { return "/home/me" }, Dir: "/etc/tend"}
	for _, c := range []struct{ line, want string }{
		{"    workspace: ./old # where it lives", "    workspace: /new/place # where it lives"},
		{"    workspace: \"./o # ld\"", "    workspace: /new/place"},
		{"    workspace:   '/x y'\r", "    workspace:   /new/place\r"},
	} {
		text := "version: 1\nstate_dir: /s\ndefaults: {layout: shepherd}\n# mine\nagents:\n  a:\n" + c.line + "\n    description: ä\n" +
			"  b: {workspace: /b, description: x}\n"
		got, err := Rebind("/etc/tend/tend.yaml", []byte(text), "a", "/new/place", env)
		if err != nil {
			t.Fatalf("%s: %v", c.line, err)
		}
		if want := strings.Replace(text, c.line, c.want, 1); string(got) != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
		got, err = Rebind("/etc/tend/tend.yaml", []byte(text), "b", "/new b", env)
		if err != nil || !strings.Contains(string(got), "  b: {workspace: /new b, description: x}\n") {
			t.Errorf("flow: %v\n%s", err, got)
		}
	}
	if _, err := Rebind("/etc/tend/tend.yaml", []byte("version: 1\nagents: {}\n"), "a", "/n", env); err == nil {
		t.Error("an unknown agent was moved")
	}
}

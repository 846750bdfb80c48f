package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tend/test/require"
)

var must = require.NoError

func dirEnv(dir string, vars map[string]string) Env {
	return Env{Get: func(name string) string { return vars[name] }, Dir: dir}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	write := func(path string) string {
		t.Helper()
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte("version: 1\n"), 0o644))
		return path
	}
	vars := map[string]string{"HOME": home}
	env := dirEnv(dir, vars)
	find := func(named, want string) {
		t.Helper()
		if got, err := Find(named, env); err != nil || got != want {
			t.Errorf("Find(%q) = %q, %v, want %q", named, got, err, want)
		}
	}

	if _, err := Find("", env); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), filepath.Join(dir, "tend.yaml")) {
		t.Errorf("with no file anywhere: %v", err)
	}
	find("", write(filepath.Join(home, ".config/tend/tend.yaml")))
	vars["XDG_CONFIG_HOME"] = filepath.Join(dir, "xdg")
	find("", write(filepath.Join(dir, "xdg/tend/tend.yaml")))
	find("", write(filepath.Join(dir, "tend.yaml")))
	vars["TEND_CONFIG"] = "missing.yaml"
	find("", filepath.Join(dir, "missing.yaml"))
	find("~/mine.yaml", filepath.Join(home, "mine.yaml"))
}

func TestAbs(t *testing.T) {
	env := dirEnv("/work-dir", map[string]string{"HOME": "/home/op"})
	for in, want := range map[string]string{
		"a": "/base/a", "./a/../b": "/base/b", "/a//b/": "/a/b", "~": "/home/op", "~/a": "/home/op/a", "$HOME/a": "/base/$HOME/a",
	} {
		if got, err := env.Abs(in, "/base"); err != nil || got != want {
			t.Errorf("Abs(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "~other/a", "a\x00b"} {
		if got, err := env.Abs(in, "/base"); err == nil {
			t.Errorf("Abs(%q) = %q, want an error", in, got)
		}
	}
}

func TestStateDir(t *testing.T) {
	for _, test := range []struct {
		vars map[string]string
		want string
	}{
		{map[string]string{"HOME": "/home/op"}, "/home/op/.local/state/tend"},
		{map[string]string{"HOME": "/home/op", "XDG_STATE_HOME": "/var/s"}, "/var/s/tend"},
		{map[string]string{"HOME": "/home/op", "XDG_STATE_HOME": "relative"}, "/home/op/.local/state/tend"},
		{nil, "/var/lib/tend"},
	} {
		if got := dirEnv("/", test.vars).DefaultStateDir(); got != test.want {
			t.Errorf("with %v: %s, want %s", test.vars, got, test.want)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	env := dirEnv(dir, map[string]string{"HOME": "/home/op"})
	if _, err := Load("gone.yaml", env); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gave %v", err)
	}
	if _, err := Load(".", env); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder gave %v", err)
	}
	path := filepath.Join(dir, "tend.yaml")
	text := "\ufeff" + strings.ReplaceAll("version: 1\ndefaults: {layout: shepherd}\nagents:\n  a: {workspace: ./a}\n", "\n", "\r\n")
	must(t, os.WriteFile(path, []byte(text), 0o644))
	cfg, err := Load("tend.yaml", env)
	must(t, err)
	if got, want := cfg.Agents[0].Workspace.Path, filepath.Join(dir, "a"); got != want {
		t.Errorf("workspace %s, want %s", got, want)
	}
}

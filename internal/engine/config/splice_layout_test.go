package config

import (
	"strings"
	"testing"
)

func TestAddLayout(t *testing.T) {
	const body = "extends: shepherd\nroles:\n  hot: NOTES.md\n"
	agents := "agents:\n  a: {workspace: ./a, layout: mine}\n"
	for what, text := range map[string]string{
		"no section":     "version: 1\nstate_dir: ./state\n",
		"no newline":     "version: 1\nstate_dir: ./state",
		"another layout": "version: 1\nlayouts: # ours\n    other:\n        extends: shepherd\n\n# the state\nstate_dir: ./state\n",
		"windows":        "version: 1\r\nstate_dir: ./state\r\n",
	} {
		got, err := AddLayout("/srv/tend.yaml", []byte(text), "mine", body, testEnv())
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		cfg, err := Parse("/srv/tend.yaml", append(got, agents...), testEnv())
		if err != nil {
			t.Errorf("%s: %v\n%s", what, err, got)
			continue
		}
		if cfg.Agents[0].Layout.Path("hot", "") != "NOTES.md" || cfg.Layouts["mine"] != body {
			t.Errorf("%s: %q", what, cfg.Layouts["mine"])
		}
		left := strings.NewReplacer("\r", "").Replace(string(got))
		for line := range strings.Lines(text) {
			if !strings.Contains(left, strings.TrimSpace(line)) {
				t.Errorf("%s: %q is missing", what, line)
			}
		}
	}
	if _, err := AddLayout("/srv/tend.yaml", []byte("version: 1\nlayouts: {x: ./x.yaml}\n"), "mine", body, testEnv()); err == nil {
		t.Error("written into braces")
	}
}

// TestLayoutTexts: a layout's text is found wherever it is in the file.
func TestLayoutTexts(t *testing.T) {
	text := "version: 1\nlayouts:\n  one:\n    # ours\n    extends: shepherd\n    roles:\n      hot: A.md\n\n  # the second\n  two:\n" +
		"    extends: shepherd\n\n# agents\nagents: {}\n"
	cfg, err := Parse("/srv/tend.yaml", []byte(text), testEnv())
	must(t, err)
	for name, want := range map[string]string{"one": "extends: shepherd\nroles:\n  hot: A.md\n", "two": "extends: shepherd\n"} {
		if got := cfg.Layouts[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

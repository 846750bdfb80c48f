package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tend/internal/model/policy"
)

// TestProblems checks every message and its position: testdata/problems/NAME.yaml gives NAME.report.
func TestProblems(t *testing.T) {
	eachFile(t, "problems/*.yaml", func(t *testing.T, path string, text []byte) {
		_, err := Parse("/srv/tend.yaml", text, testEnv())
		if err == nil {
			t.Fatal("no problem was found")
		}
		golden(t, path, ".report", []byte(err.Error()+"\n"))
	})
}

// TestGood checks what a file means: testdata/good/NAME.yaml gives NAME.dump.
func TestGood(t *testing.T) {
	eachFile(t, "good/*.yaml", func(t *testing.T, path string, text []byte) {
		cfg, err := Parse("/srv/tend.yaml", text, testEnv())
		must(t, err)
		golden(t, path, ".dump", []byte(cfg.dump()))
	})
}

func (c *Config) dump() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("state %s", c.StateDir)
	line("archives %s", c.ArchiveDir)
	line("keeper %+v", c.Keeper)
	line("alerts %+v", c.Alerts)
	for _, a := range c.Agents {
		zone := a.Location.String()
		if a.Location == time.Local { // with TZ set, it has that name
			zone = "Local"
		}
		line("agent %s line %d enabled %t tools %t zone %s", a.Name, a.Line, a.Enabled, a.MemoryTools, zone)
		if a.Description != "" {
			line("  %s", a.Description)
		}
		line("  workspace %s %s", a.Workspace.Kind, a.Workspace)
		line("  layout %s, hot %s", a.Layout.Ref(), a.Layout.Path("hot", ""))
		line("  archives %s, separator %q, automation %s", a.ArchiveDir, a.Separator(), a.Automation())
		for _, bl := range a.Baselines {
			line("  baseline %s from %s", bl.File, bl.Source)
		}
		for _, row := range a.Policy.Explain() {
			if strings.HasPrefix(row.SetBy, "tend.yaml") {
				line("  %s = %s (%s)", row.Name, row.Value, row.SetBy)
			}
		}
	}
	for _, w := range c.Warnings {
		line("warning %s", w)
	}
	return b.String()
}

func TestUnknownAgent(t *testing.T) {
	cfg, err := Parse("/srv/tend.yaml", fleet(3), testEnv())
	must(t, err)
	if a, err := cfg.Agent("agent-00001"); err != nil || a.Name != "agent-00001" {
		t.Errorf("got %s, %v", a.Name, err)
	}
	_, err = cfg.Agent("agnet-00001")
	want := `no agent "agnet-00001" in /srv/tend.yaml; did you mean agent-00001? (agents: agent-00000, agent-00001, agent-00002)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestValidName(t *testing.T) {
	long := strings.Repeat("a", 63)
	for name, want := range map[string]bool{
		"a": true, "A9": true, "bot_one-2": true, long: true, long + "a": false,
		"": false, "..": false, ".a": false, "a.b": false, "a/b": false, "-a": false, "_a": false, "all": false,
		"ä": false, "a b": false, "a\n": false,
	} {
		if got := ValidName(name); got != want {
			t.Errorf("ValidName(%q) = %t, want %t", name, got, want)
		}
	}
}

func TestPolicyIsShared(t *testing.T) {
	cfg, err := Parse("/srv/tend.yaml", fleet(30), testEnv())
	must(t, err)
	for i, a := range cfg.Agents {
		if got, want := policy.HotMaxLines.Of(a.Policy), 50+i%10; got != want {
			t.Errorf("%s: hot.max_lines = %d, want %d", a.Name, got, want)
		}
	}
}

// FuzzParse parses any text as tend.yaml: it is read, or refused with a position in the file.
func FuzzParse(f *testing.F) {
	f.Add(string(fleet(1)))
	f.Add("version: 1\nlayouts:\n  a:\n    extends: shepherd\nagents: {b: {workspace: x, layout: a}}\n")
	f.Add("version: 1\ragents: {b: {workspace: x, layout:\r a}}")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := Parse("/srv/tend.yaml", []byte(text), testEnv())
		var problems *Error
		if err != nil && !errors.As(err, &problems) {
			t.Errorf("got %T: %v", err, err)
		}
		lines := strings.Count(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + strings.Count(strings.ReplaceAll(text, "\r\n", ""), "\r") + 1
		for _, p := range problemsOf(problems) {
			if p.File == "/srv/tend.yaml" && (p.Line < 1 || p.Line > lines || p.Col < 0) {
				t.Errorf("place %d:%d in a file of %d lines: %s", p.Line, p.Col, lines, p.Text)
			}
		}
	})
}

func problemsOf(e *Error) []Problem {
	if e == nil {
		return nil
	}
	return e.Problems
}

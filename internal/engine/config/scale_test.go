package config

import (
	"fmt"
	"strings"
	"testing"
)

// fleet returns a tend.yaml of n agents as a generator or a careful person would write it.
func fleet(n int) []byte {
	var b strings.Builder
	b.WriteString("version: 1\nstate_dir: /srv/state\ndefaults:\n  layout: openclaw@2026.8\n  timezone: Europe/Berlin\nagents:\n")
	for i := range n {
		fmt.Fprintf(&b, "  agent-%05d:\n    workspace: ./workspaces/agent-%05d # its folder\n    baselines:\n"+
			"      MEMORY.md: ./baselines/agent-%05d.md\n    automation: maintain\n    policy:\n      hot.max_lines: %d\n      reset.every: 3h\n",
			i, i, i, 50+i%10)
	}
	return []byte(b.String())
}

func TestFleetIsShared(t *testing.T) {
	cfg, err := Parse("/srv/tend.yaml", fleet(2000), testEnv())
	must(t, err)
	if got, want := len(cfg.Agents), 2000; got != want {
		t.Fatalf("%d agents, want %d", got, want)
	}
	if got, want := cfg.Agents[1999].Name, "agent-01999"; got != want {
		t.Errorf("last agent is %s, want %s", got, want)
	}
}

func testEnv() Env {
	vars := map[string]string{"HOME": "/home/op"}
	return Env{Get: func(name string) string { return vars[name] }, Dir: "/srv"}
}

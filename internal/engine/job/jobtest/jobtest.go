// Package jobtest describes an agent's evening, for tests of jobs and of the audit.
package jobtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
)

// Night is an agent's evening in a table of tests.
type Night struct {
	Layout string            // default openclaw@2026.8
	Clock  string            // default 2026-11-15 23:00
	Zone   string            // default Europe/Berlin
	Files  map[string]string // path: text
	Policy map[string]any
	Base   map[string]string // baselines
}

// Given is a job's input on a night. It is a part of job.Input, which this package cannot import: job's own tests use it.
type Given struct {
	Snapshot  plan.Snapshot
	Layout    layout.Layout
	Policy    policy.Policy
	Baselines map[vault.Path][]byte
}

// Clock returns a time in a zone.
func Clock(t *testing.T, text, zone string) time.Time {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	now, err := time.ParseInLocation("2006-01-02 15:04", text, loc)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// Given returns the night's files, layout and policy.
func (n Night) Given(t *testing.T) Given {
	t.Helper()
	if n.Layout == "" {
		n.Layout = "openclaw@2026.8"
	}
	if n.Clock == "" {
		n.Clock = "2026-11-15 23:00"
	}
	if n.Zone == "" {
		n.Zone = "Europe/Berlin"
	}
	l, err := layout.Preset(n.Layout)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Policy{}.With("layout", l.Policy())
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(n.Layout, "openclaw@") { // the protocol that these tables are about
		if p, err = p.With("test", map[string]any{"protocol": "layered"}); err != nil {
			t.Fatal(err)
		}
	}
	if p, err = p.With("test", n.Policy); err != nil {
		t.Fatal(err)
	}
	now := Clock(t, n.Clock, n.Zone)
	g := Given{Snapshot: plan.Snapshot{Agent: "ada", Now: now, Files: map[vault.Path]vault.Doc{}}, Layout: l, Policy: p}
	for name, text := range n.Files {
		path := vault.Path(name)
		g.Snapshot.Files[path] = vault.Doc{Path: path, Data: []byte(text), Version: vault.VersionOf([]byte(text)),
			ModTime: now.Add(-time.Hour), Links: 1}
	}
	if len(n.Base) > 0 {
		g.Baselines = map[vault.Path][]byte{}
		for name, text := range n.Base {
			g.Baselines[vault.Path(name)] = []byte(text)
		}
	}
	return g
}

// Files returns a map of alternating paths and texts.
func Files(kv ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return m
}

// Lines returns a text of n lines.
func Lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- line %d\n", i+1)
	}
	return b.String()
}

// Texts that many tables share.
const (
	V4         = "openclaw-v4@4.6"
	BufferFile = "memory/working-buffer.md"
	DailyFile  = "memory/episodic/2026-11-15.md"
	InfraFile  = "memory/semantic/infra.md"
	BufferHead = "# Working Buffer\ncreated: 2026-11-15T08:00:00+01:00\nlast_active: %s\n\n"
	HotHead    = "# Agent Memory\n#tags: memory\nlast_verified: 2026-11-15\nlast_updated: 2026-11-15\n"
	AWSKey     = "AKIAQYLPMN5HHHFPZAM2"
	Closure    = "Updated: 2026-11-15\nDecisions: none\nSignal: none\nOpen: none\n"
)

// Buffer returns a buffer of so many lines, with bullets under one heading.
func Buffer(active string, lines int) string {
	var b strings.Builder
	fmt.Fprintf(&b, BufferHead, active)
	b.WriteString("## Notes\n")
	for i := 5; i < lines; i++ {
		fmt.Fprintf(&b, "- [x] step %d\n", i)
	}
	return b.String()
}

// Codes returns the codes of a plan's findings.
func Codes(pl plan.Plan) string {
	var out []string
	for _, f := range pl.Findings {
		if !slices.Contains(out, f.Code) {
			out = append(out, f.Code)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

package memory

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/engine/fleet/harness/harnesstest"
	"tend/internal/text/session"
	"tend/internal/text/session/seen"
)

// TestStart: a hook gives what OpenClaw does not load, nothing of what it keeps from the model, never more than OpenClaw takes,
// and records what the session's request has.
func TestStart(t *testing.T) {
	const day = "2026-11-14"
	var memory strings.Builder
	memory.WriteString("# Memory\n\n")
	for i := range 400 {
		memory.WriteString(fmt.Sprintf("- fact %03d, one of so many that OpenClaw has to cut the file\n", i))
	}
	for _, tt := range []struct {
		name        string
		policy      string
		untrusted   bool
		event       session.Event
		given, kept []string // texts that the hook gives, and that it does not
		log         seen.Why // of the log
		memory      seen.Why // of the middle of MEMORY.md
	}{
		{name: "main session", event: session.Event{Session: "s1", Key: "agent:main:main"}, given: []string{"the day's entry", "fact 250"},
			kept: []string{"fact 001"}},
		{name: "group chat", event: session.Event{Session: "s1", Key: "agent:main:telegram:group:1"},
			kept: []string{"the day's entry", "fact"}, log: seen.NotLoaded, memory: seen.NotLoaded},
		{
			name: "untrusted", untrusted: true, event: session.Event{Session: "s1"},
			given: []string{"the day's entry", "[MEMORY.md is left out: OpenClaw recorded it as untrusted."},
			kept:  []string{"fact 0", "fact 250"}, memory: seen.Excluded,
		},
		{name: "untrusted, and the operator gives it", policy: "    policy: {context.untrusted: give}\n", untrusted: true,
			event: session.Event{Session: "s1"}, given: []string{"fact 001"}, memory: seen.Excluded},
		{name: "nothing left of the total", event: session.Event{Session: "s1", Limit: 20_000, Total: 20_000},
			kept: []string{"the day's entry", "fact"}, log: seen.NotLoaded, memory: seen.Cut},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, ws := serve(t, tt.policy, "openclaw@2026.9")
			put(t, filepath.Join(ws, "MEMORY.md"), memory.String())
			put(t, filepath.Join(ws, "memory", day+".md"), "# "+day+"\n\n- the day's entry\n")
			if tt.untrusted {
				harnesstest.OpenClaw(t, ws, harnesstest.Write{File: "MEMORY.md", Text: memory.String(), Untrusted: true, At: time.Unix(1, 0)})
			}
			c, err := s.Session.Start(t.Context(), session.OpenClaw, tt.event, session.Options{Budget: -1})
			must(t, err)
			if room := 20_000; len(c.Text) > room {
				t.Errorf("%d characters, OpenClaw takes %d", len(c.Text), room)
			}
			for _, text := range tt.given {
				if !strings.Contains(c.Text, text) {
					t.Errorf("%q is not given:\n%.2000s", text, c.Text)
				}
			}
			for _, text := range tt.kept {
				if strings.Contains(c.Text, text) {
					t.Errorf("%q is given:\n%.2000s", text, c.Text)
				}
			}
			list, err := s.agent.Cache.Sessions()
			must(t, err)
			if len(list) != 1 || list[0].ID != "s1" {
				t.Fatalf("recorded: %+v", list)
			}
			for path, want := range map[string]seen.Why{"memory/" + day + ".md": tt.log, "MEMORY.md": tt.memory} {
				f, ok := list[0].File(path)
				line := max(1, min(253, f.Lines))
				if why := f.Line(line); ok && why != want || !ok && want != seen.NotLoaded {
					t.Errorf("line %d of %s: %q, want %q in %+v", line, path, why, want, f.Seen)
				}
			}
		})
	}
}

// TestStartOfNoSession: what `tend doctor` tries is not a session.
func TestStartOfNoSession(t *testing.T) {
	s, ws := serve(t, "", "openclaw@2026.9")
	put(t, filepath.Join(ws, "MEMORY.md"), "- a fact\n")
	for _, id := range []string{"", "tend-doctor"} {
		_, err := s.Session.Start(t.Context(), session.OpenClaw, session.Event{Session: id}, session.Options{})
		must(t, err)
	}
	if list, err := s.agent.Cache.Sessions(); err != nil || len(list) > 0 {
		t.Errorf("recorded: %v, %v", list, err)
	}
}

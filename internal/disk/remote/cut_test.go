package remote_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/remote/sshdtest"
)

// call returns what a harness sends to `tend mcp` to call a tool.
func call(tool, args string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}
`
}

// A connection is cut during a command, at any packet, losing the request, half of it, or the reply. No text is lost, no
// file is half written, and running the command again gives the usual result.
func TestCut(t *testing.T) {
	const shepherd, claw, v4 = "shepherd", "openclaw@2026.8", "openclaw-v4@1.3"
	s := sshdtest.Start(t, sshdtest.Options{Config: []string{"MaxStartups 1000"}})
	t.Setenv("HOME", s.Home)
	points := int64(6)
	if os.Getenv("TEND_SLOW") != "" {
		points = 1000
	}
	for i, tt := range []struct {
		layout, step string
		before       []string
		input        string
	}{
		{layout: shepherd, before: []string{"baseline approve ada"}, step: "reset ada"},
		{layout: shepherd, before: []string{"baseline approve ada", "reset ada"}, step: "undo LAST"},
		{layout: shepherd, before: []string{"baseline approve ada", "reset ada"}, step: "restore MEMORY.md --at LAST~"},
		{layout: claw, step: "nightly ada"},
		{layout: claw, step: "curate ada"},
		{layout: claw, before: []string{"curate ada"}, step: "prune ada"},
		{layout: claw, step: "replay ada"},
		{layout: claw, step: "note one_more_thing"},
		{layout: claw, step: "buffer add one_more_thing"},
		{layout: claw, step: "session write one_more_thing"},
		{layout: claw, step: "checkpoint --used 170000 --window 200000 --text one_more_thing"},
		{layout: claw, step: "mcp ada", input: call("memory_append", `{"filename":"memory/2026-11-15.md","text":"- one more thing"}`)},
		{layout: v4, step: "check ada --fix"},
		{layout: v4, step: "rotate ada"},
		{layout: v4, step: "archive ada"},
		{layout: v4, step: "review ada"},
		{layout: v4, step: "buffer clear"},
	} {
		p := through(t, s)
		t.Run(strings.ReplaceAll(tt.step, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.layout, map[string]place{"ada": p.url(s)}, "hot.max_lines: 20, replay.idle: never")
			w.append("ada", "- a note of ada\n")
			for name, text := range map[string]map[string]string{claw: night(), v4: week()}[tt.layout] {
				w.put("ws/ada/"+name, text)
			}
			for _, b := range tt.before {
				if code, out := w.tend(strings.Fields(b)...); code > 1 {
					t.Fatalf("tend %s: exit code %d: %s", b, code, out)
				}
			}
			step := w.args(tt.step)
			w.save()
			old := memory(t, w)
			p.heal(0, 0, true)
			wantCode, whole := w.give(tt.input, step...)
			want, packets := memory(t, w), p.sent.Load()
			if wantCode > 1 || maps.Equal(old, want) {
				t.Fatalf("exit code %d, nothing changed: %s", wantCode, whole)
			}
			cuts := 0
			for at := 1 + int64(i)%3; at <= packets; at += max(1, packets/points) {
				how := cutting(at) % cuttings
				w.load()
				p.heal(at, how, at%2 == 1)
				code, out := w.give(tt.input, step...)
				what := fmt.Sprintf("cut at packet %d of %d (%d)", at, packets, how)
				if p.cut.Load() {
					cuts++
				}
				if code != wantCode && code != 1 && code != 5 || code == 5 && !strings.Contains(out, "unreachable") {
					t.Errorf("%s: exit code %d: %s", what, code, out)
				}
				w.conserved(what, old, want)
				p.heal(0, 0, true)
				code, out = w.give(tt.input, step...)
				// If it was done before the cut, there is nothing left to report.
				if code != wantCode && code != 0 && !(code == 1 && (strings.Contains(out, "[recovered]") || strings.Contains(out, "[job-errors]"))) {
					t.Errorf("%s, run again: exit code %d, want %d: %s", what, code, wantCode, out)
				}
				w.conserved(what+", run again", old, want)
				for name, text := range want {
					// If the reply was lost and the command run again, a line may be there twice.
					if got := memory(t, w)[name]; uniq(got) != uniq(text) {
						t.Errorf("%s, run again: %s is\n%s\nwant\n%s", what, name, got, text)
					}
				}
			}
			if cuts < int(min(points, packets))-2 {
				t.Errorf("only %d were cut off", cuts)
			}
		})
	}
}

// uniq returns a text without consecutive duplicate lines.
func uniq(text string) string {
	return strings.Join(slices.Compact(strings.SplitAfter(text, "\n")), "")
}

// conserved checks that every old line can be found somewhere, and that no file is truncated or has a line that was never
// written.
func (w *world) conserved(what string, old, want map[string]string) {
	w.t.Helper()
	all, known := w.everything(), map[string]bool{}
	for _, texts := range []map[string]string{old, want} {
		for name, text := range texts {
			for line := range strings.Lines(text) {
				known[line] = true
				if _, was := old[name]; was && !strings.Contains(all, strings.TrimSpace(line)) && old[name] == text {
					w.t.Errorf("%s: the line %q of %s is lost", what, line, name)
				}
			}
		}
	}
	for name, text := range memory(w.t, w) {
		for line := range strings.Lines(text) {
			if !known[line] {
				w.t.Errorf("%s: %s has the line %q, which is of neither the old nor the new text", what, name, line)
			}
		}
	}
}

// save copies the agent's files and the state, for load to restore.
func (w *world) save() {
	w.t.Helper()
	for _, dir := range []string{"ws", "state"} {
		must(w.t, os.MkdirAll(filepath.Join(w.dir, dir), 0o700))
		must(w.t, os.CopyFS(filepath.Join(w.dir, "saved", dir), os.DirFS(filepath.Join(w.dir, dir))))
	}
}

func (w *world) load() {
	w.t.Helper()
	for _, dir := range []string{"ws", "state"} {
		must(w.t, os.RemoveAll(filepath.Join(w.dir, dir)))
		must(w.t, os.CopyFS(filepath.Join(w.dir, dir), os.DirFS(filepath.Join(w.dir, "saved", dir))))
	}
}

// If a server is killed during a long command, only its agents fail; the command works once it is back.
func TestKilled(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	t.Setenv("HOME", s.Home)
	agents := map[string]place{"near": direct}
	for i := range 20 {
		agents[fmt.Sprintf("far%02d", i)] = s.URL
	}
	w := newWorld(t, "shepherd", agents)
	w.ok("baseline", "approve", "--all")
	for name := range agents {
		w.append(name, "- a note of "+name+"\n")
	}
	// If the command ends before the server is killed, try the next one.
	for code, n := 0, 0; code != 5; n++ {
		if n > 0 {
			must(t, s.Run())
			for name := range agents {
				w.append(name, fmt.Sprintf("- note %d of %s\n", n, name))
			}
		}
		archives := func() int {
			list, _ := os.ReadDir(filepath.Join(w.dir, "state/archive/far03"))
			return len(list)
		}
		before, over, killed := archives(), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(killed)
			for archives() == before {
				select {
				case <-over:
					before = -1
				case <-time.After(time.Millisecond):
				}
			}
			s.Stop()
		}()
		var said string
		code, said = w.tend("reset", "--all")
		close(over)
		<-killed
		if code > 1 && (code != 5 || !strings.Contains(said, "unreachable")) {
			t.Fatalf("exit code %d: %s", code, said)
		}
	}
	w.wasReset("near")
	for name := range agents {
		w.kept("a note of " + name)
	}
	must(t, s.Run())
	if code, said := w.tend("reset", "--all"); code > 1 {
		t.Errorf("once it is back: exit code %d: %s", code, said)
	}
	for name := range agents {
		w.wasReset(name)
	}
}

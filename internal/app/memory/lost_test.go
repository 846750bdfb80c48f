package memory

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/engine/fleet"
	"tend/internal/state/pack"
)

// TestLostByDreaming: an agent learns what a rewrite by its harness took out, without the secrets in it. What stands in a log
// is not lost.
func TestLostByDreaming(t *testing.T) {
	s, ws := serve(t, "")
	none, err := s.History.Lost(t.Context(), LostRequest{})
	must(t, err)
	if none.Change != "" {
		t.Errorf("a new memory lost %+v", none)
	}
	var before strings.Builder
	before.WriteString("# Memory\n\n## Hosts\n\n- the key of the bucket is AKIAIOSFODNN7EXAMPLQ\n")
	before.WriteString("- ask Ines before the relay is restarted at noon\n")
	for i, word := range strings.Fields("ember tarn skerry linden harrow fjell brae moss tern vole asp elder ridge sorrel kestrel plover") {
		fmt.Fprintf(&before, "- the %s catalogue is served from host %s on port 80%02d with a backup of its own\n", word, word, i)
	}
	after := "# Memory\n\n## Promoted From Short-Term Memory (2026-11-15)\n\n- all is well\n"
	at := time.Date(2026, 11, 14, 3, 0, 0, 0, time.UTC)
	must(t, s.History.agent.History.Pack(fleet.SeenPack).Add([]pack.Entry{
		{Name: "MEMORY.md", At: at, Text: []byte(before.String())},
		{Name: "MEMORY.md", At: at.Add(24 * time.Hour), Text: []byte(after)},
	}))
	put(t, filepath.Join(ws, "MEMORY.md"), after)
	put(t, filepath.Join(ws, "memory/2026-11-10.md"), "# 2026-11-10\n\n- Ines said: ask Ines before the relay is restarted at noon\n")

	got, err := s.History.Lost(t.Context(), LostRequest{})
	must(t, err)
	if !got.Burst || got.By != "OpenClaw's dreaming" || got.File != "MEMORY.md" {
		t.Errorf("lost: %+v", got)
	}
	text := fmt.Sprint(got.Sections)
	if !strings.Contains(text, "host plover on port 8015") {
		t.Errorf("a lost line is not listed: %s", text)
	}
	if !strings.Contains(text, "at noon memory/2026-11-10.md:3}") || strings.Contains(text, "AKIAIOSFODNN7EXAMPLQ") {
		t.Errorf("a line of the log is not named, or a secret is listed: %s", text)
	}
	again, err := s.History.Lost(t.Context(), LostRequest{Change: got.Change})
	must(t, err)
	if again.Lost != got.Lost {
		t.Errorf("by its name: %+v", again.Lost)
	}
	if _, err := s.History.Lost(t.Context(), LostRequest{Change: "MEMORY.md@seen-7"}); err == nil {
		t.Error("an unknown change was found")
	}
}

// TestAnOrdinaryEditIsJudgedOnce: what lost nothing is not read again at each look. A burst is looked at each time, as its text may
// be put back.
func TestAnOrdinaryEditIsJudgedOnce(t *testing.T) {
	s, ws := serve(t, "")
	a := s.History.agent
	at := time.Date(2026, 11, 14, 3, 0, 0, 0, time.UTC)
	var seen []pack.Entry
	var text strings.Builder
	text.WriteString("# Memory\n\n")
	see := func(text string) {
		seen = append(seen, pack.Entry{Name: "MEMORY.md", At: at.Add(time.Duration(len(seen)) * time.Minute), Text: []byte(text)})
	}
	for i := range 30 {
		text.WriteString(fmt.Sprintf("- the catalogue number %d is served from host tarn%d on port 80%02d with a backup of its own\n", i, i, i))
		see(text.String())
	}
	see("# Memory\n")
	must(t, a.History.Pack(fleet.SeenPack).Add(seen))
	put(t, filepath.Join(ws, "MEMORY.md"), "# Memory\n")

	look := func() (read []string) {
		in, err := a.Input(t.Context())
		must(t, err)
		list, err := a.Rewrites(in)
		must(t, err)
		for _, r := range list {
			if r.After != nil {
				read = append(read, r.Ref)
			}
		}
		return read
	}
	if n := len(look()); n != 30 {
		t.Errorf("at first %d are read", n)
	}
	for range 2 {
		found, err := a.Judge(t.Context())
		must(t, err)
		if len(found) != 1 {
			t.Fatalf("found %v", found)
		}
	}
	if read := look(); len(read) != 1 || read[0] != fmt.Sprintf("MEMORY.md@seen-%d", seen[30].At.Unix()) {
		t.Errorf("read again: %v", read)
	}
	in, err := a.Input(t.Context())
	must(t, err)
	losses, err := a.Losses(in, at, 100)
	must(t, err)
	if len(losses) != 1 || losses[0].At.Before(seen[30].At) {
		t.Errorf("losses: %d", len(losses))
	}
	last, err := s.History.Lost(t.Context(), LostRequest{Change: fmt.Sprintf("MEMORY.md@seen-%d", seen[7].At.Unix())})
	must(t, err)
	if last.Before.Lines != 8 || last.After.Lines != 9 {
		t.Errorf("one that was not read again: %+v", last)
	}
}

package session

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"tend/internal/text/layout"
)

// TestLongLineInAContext: a file with one line of megabytes needs little more memory than its text, although none of it fits.
func TestLongLineInAContext(t *testing.T) {
	l, err := layout.Preset("openclaw")
	must(t, err)
	text := append([]byte("# M\n\n"), bytes.Repeat([]byte("word "), 1<<20)...)
	in := Input{Agent: "ada", Workspace: "/ws", Now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC), Layout: l,
		Files: []File{{Path: "MEMORY.md", Role: layout.Hot, Text: text}}}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c := Render(in, Options{})
	runtime.ReadMemStats(&after)
	took := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d KB for a text of %d KB", took>>10, len(text)>>10)
	if took > 2*uint64(len(text)) {
		t.Errorf("%d MB for a text of %d MB", took>>20, len(text)>>20)
	}
	if len(c.Left) != 1 || c.Left[0].Size < 1<<20 {
		t.Errorf("left out: %+v", c.Left)
	}
}

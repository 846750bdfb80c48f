package loadview

import (
	"runtime"
	"strings"
	"testing"

	"tend/internal/text/layout"
)

// TestLongLineTakesNoMemory: a file with one line of megabytes needs little more memory than its text, whatever the harness.
func TestLongLineTakesNoMemory(t *testing.T) {
	text := []byte("# M\n" + strings.Repeat("word ", 1<<20) + "\n")
	for _, ref := range layout.Presets() {
		l, err := layout.Preset(ref)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"MEMORY.md", "CLAUDE.md", "AGENTS.md"} {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			r := Inject(l, []File{{Name: name, Data: text}}, Options{})
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 3*uint64(len(text)) {
				t.Errorf("%s, %s: %d MB for a text of %d MB", ref, name, took>>20, len(text)>>20)
			}
			_ = r
		}
	}
}

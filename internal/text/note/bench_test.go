package note

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// memoryFile is a long-term memory of this many entries under headings.
func memoryFile(entries int) []byte {
	var b strings.Builder
	b.WriteString("# Memory\n")
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range entries {
		if i%20 == 0 {
			fmt.Fprintf(&b, "\n## %s\n\n", day.AddDate(0, 0, i/20).Format(time.DateOnly))
		}
		fmt.Fprintf(&b, "- [decision] service %d listens on port %d, restart it with `make up`\n", i, 8000+i)
	}
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	text := memoryFile(1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Parse(text).Entries(0)
	}
}

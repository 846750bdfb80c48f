package scan_test

import (
	"strings"
	"testing"

	"tend/internal/text/scan"
)

// BenchmarkText scans a log that has nothing to find, as most have.
func BenchmarkText(b *testing.B) {
	text := []byte(strings.Repeat("- 09:00 moved the queue to the new host, the old one answers until Friday (ticket 4711)\n", 500))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if hits := scan.Text(text, scan.Options{}); len(hits) > 0 {
			b.Fatal(hits)
		}
	}
}

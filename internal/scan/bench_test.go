package scan_test

import (
	"strings"
	"testing"

	"tend/internal/scan"
	"tend/internal/scan/scantest"
)

func BenchmarkText16KB(b *testing.B) {
	var notes strings.Builder
	for _, h := range scantest.Tuned().Harmless {
		if notes.WriteString(h.Text + "\n"); notes.Len() > 16<<10 {
			break
		}
	}
	text := []byte(notes.String()[:16<<10])
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		scan.Text(text, scan.Options{})
	}
}

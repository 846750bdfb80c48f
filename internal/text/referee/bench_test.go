package referee

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tend/internal/text/note"
)

// page writes a memory file of about this many lines.
func page(lines int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	vocabulary := strings.Fields("the server restarts on port deploy every night before backup runs and logs go to disk when cache is " +
		"full we ask owner first never push to main report weekly numbers budget review model prompt token limit script cron heartbeat " +
		"archive note project client invoice meeting plan design test release branch")
	for i := range lines {
		if i%12 == 0 {
			fmt.Fprintf(&b, "\n## Topic %d\n\n", i/12)
		}
		b.WriteString("- **Item:** ")
		for range 8 + r.IntN(8) {
			b.WriteString(vocabulary[r.IntN(len(vocabulary))])
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d\n", r.IntN(10000))
	}
	return []byte(b.String())
}

func BenchmarkReading(b *testing.B) {
	before, after := edited()
	b.SetBytes(int64(len(before) + len(after)))
	for b.Loop() {
		note.Parse(before).Entries(0)
		note.Parse(after).Entries(0)
	}
}

func BenchmarkOrdinary(b *testing.B) {
	before, after := edited()
	b.SetBytes(int64(len(before) + len(after)))
	for b.Loop() {
		Verify(before, after, nil, Options{})
	}
}

func BenchmarkBurst(b *testing.B) {
	before, after := page(400, 1), page(60, 2)
	b.SetBytes(int64(len(before) + len(after)))
	for b.Loop() {
		Verify(before, after, nil, Options{})
	}
}

// edited is an ordinary edit: a line changed, two added.
func edited() (before, after []byte) {
	before = page(160, 1)
	s := strings.Replace(string(before), "- **Item:** ", "- **Item:** Berlin 42 ", 1)
	return before, []byte(s + "- a new line about Lisbon\n- another with 10.0.0.7\n")
}

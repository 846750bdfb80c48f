package note

import (
	"bytes"
	"strings"
	"testing"
)

func benchText() []byte {
	day := "## 2026-11-15\n\n- [decision] Use Postgres for the ledger because the team knows it\n- [14:30] Restarted the gateway after the certificate ran out\n" +
		"  - took 12 minutes\n- [x] Rotate the keys (2026-11-14)\n\nA paragraph of two lines that says\nwhat happened in the afternoon.\n\n```sh\nmake test\n```\n\n"
	return []byte(strings.Repeat(day, 16<<10/len(day)))
}

func BenchmarkParse(b *testing.B) {
	text := benchText()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(text)
	}
}

func BenchmarkEntries(b *testing.B) {
	d := Parse(benchText())
	b.ReportAllocs()
	for b.Loop() {
		d.Entries(0)
	}
}

func BenchmarkSplit(b *testing.B) {
	baseline := append(benchText(), "---\n"...)
	equal, notes := bytes.Clone(baseline), append(bytes.Clone(baseline), "- note\n"...)
	drift := append([]byte("x\n"), notes...)
	for _, c := range []struct {
		name string
		text []byte
	}{{"equal", equal}, {"notes", notes}, {"drift", drift}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				Split(c.text, baseline, "")
			}
		})
	}
}

func BenchmarkGist(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		NewGist("- [decision] Use Postgres for the ledger because the team knows it")
	}
}

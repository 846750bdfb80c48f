package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tend/internal/text/note"
	"tend/internal/text/search"
)

// vocabulary makes words that look like words; the first are short and, by Zipf's law, common.
func vocabulary(r *rand.Rand, n int) []string {
	syllables := strings.Fields("ba be bi bo ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro sa se si so ta " +
		"te ti to va ve vi vo ing er al")
	seen := map[string]bool{}
	var out []string
	for len(out) < n {
		var b strings.Builder
		for range 2 + len(out)*3/n + r.IntN(2) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// notes writes n markdown files of about two to three KB.
func notes(n int) (paths []string, texts [][]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	words := vocabulary(r, 40000)
	zipf := rand.NewZipf(r, 1.15, 12, uint64(len(words)-1))
	glue := strings.Fields("the of and to in is was for on that with as it at by from")
	for i := range n {
		day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i%700)
		var b strings.Builder
		fmt.Fprintf(&b, "# Log %d of %s\n", i, words[zipf.Uint64()])
		for s := range 3 {
			fmt.Fprintf(&b, "\n## %s %s\n\n", words[zipf.Uint64()], words[zipf.Uint64()])
			for range 6 {
				b.WriteString("- ")
				if s == 0 {
					b.WriteString("[lesson] ")
				}
				for range 16 + r.IntN(10) {
					if r.IntN(5) < 2 {
						b.WriteString(glue[r.IntN(len(glue))])
					} else {
						b.WriteString(words[zipf.Uint64()])
					}
					b.WriteByte(' ')
				}
				fmt.Fprintf(&b, "port %d.\n", 8000+r.IntN(1000))
			}
		}
		paths = append(paths, fmt.Sprintf("memory/%s-%05d.md", day.Format("2006-01-02"), i))
		texts = append(texts, []byte(b.String()))
	}
	return paths, texts
}

func build(tb testing.TB, paths []string, texts [][]byte) *search.Index {
	ix := search.New()
	for i, p := range paths {
		ix.Put(search.Markdown(p, search.Warm, note.Day(0), note.Syntax{}, texts[i]))
	}
	return ix
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		paths, texts := notes(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				build(b, paths, texts)
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		paths, texts := notes(n)
		ix := build(b, paths, texts)
		r := rand.New(rand.NewPCG(3, 4))
		var queries []string
		for range 64 {
			words := strings.Fields(string(texts[r.IntN(n)]))
			at := r.IntN(len(words) - 8)
			queries = append(queries, strings.Join(words[at:at+5], " "))
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				ix.Search(context.Background(), search.Request{Query: queries[i%len(queries)]})
				i++
			}
		})
	}
}

package scantest

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// combined generates n different harmless lines from an opener, a fact and a tail. Every fact is
// used before one is repeated.
func combined(n int) []Sample {
	r := dice("combine")
	words := sections("combine.txt")
	facts := words["fact"]
	seen := map[string]bool{}
	var out []Sample
	for i := 0; len(out) < n; i++ {
		if i%len(facts) == 0 {
			facts = slices.Clone(facts)
			r.Shuffle(len(facts), func(a, b int) { facts[a], facts[b] = facts[b], facts[a] })
		}
		opener, tail := pick(r, words["opener"]), pick(r, words["tail"])
		line := fill(r, strings.TrimRight(opener, " ")+" "+facts[i%len(facts)]+tail, words)
		if !seen[line] {
			seen[line] = true
			out = append(out, Sample{Text: line})
		}
	}
	return out
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

// sections reads a file of lists, each below a line "# name".
func sections(name string) map[string][]string {
	out := map[string][]string{}
	section := ""
	for _, l := range lines(name) {
		if head, ok := strings.CutPrefix(l, "# "); ok {
			section = head
			continue
		}
		out[section] = append(out[section], l)
	}
	return out
}

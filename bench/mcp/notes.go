package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

func file(i int) string { return fmt.Sprintf("notes/n%05d.md", i) }

// vocabulary is the number of words in the notes; as in any language, the first are frequent and the last rare.
const vocabulary = 8000

// word makes up a word; low numbers are common ones.
func word(n int) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for n += 70; n > 0; n /= len(consonants) * len(vowels) {
		b.WriteByte(consonants[n%len(consonants)])
		b.WriteByte(vowels[n/len(consonants)%len(vowels)])
	}
	return b.String()
}

// sample returns a note of about 1 KB, always the same for a number.
func sample(i int) string {
	rnd := rand.New(rand.NewPCG(1, uint64(i)))
	draw := func() string {
		x := rnd.Float64()
		return word(int(x * x * x * vocabulary))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Note %d\n\nmark-%d\n", i, i)
	for b.Len() < 1000 {
		b.WriteString("- [lesson]")
		for range 14 {
			b.WriteString(" " + draw())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

package scan

import "strings"

// fewestSpaced is how many letters must stand apart before they are read as one word.
const fewestSpaced = 8

// spacedOut finds the gaps in l e t t e r s that stand apart to escape a reader of words: what is
// to be left out to read them. A wider or another gap divides words: of it one byte stays.
func spacedOut(b []byte) []found {
	var out []found
	for i := 0; i < len(b); i++ {
		if !alone(b, i) {
			continue
		}
		var drop []found
		letters, sign := 1, byte(0)
		for i+1 < len(b) {
			next := i + 1
			for next < len(b) && next-i <= 4 && strings.IndexByte(" .-_*|", b[next]) >= 0 {
				next++
			}
			if next == i+1 || next >= len(b) || !alone(b, next) {
				break
			}
			if sign == 0 {
				sign = b[i+1]
			}
			from := i + 1
			if next-from > 1 || b[from] != sign {
				from++
			}
			if from < next {
				drop = append(drop, found{rank: zeroWidth, lo: from, hi: next})
			}
			letters++
			i = next
		}
		if letters >= fewestSpaced {
			out = append(out, drop...)
		}
	}
	return out
}

// alone holds for a letter without a letter or digit beside it.
func alone(b []byte, i int) bool {
	c := lower(b[i])
	return c >= 'a' && c <= 'z' && (i == 0 || !isAlnum(b[i-1])) && (i+1 == len(b) || !isAlnum(b[i+1]))
}

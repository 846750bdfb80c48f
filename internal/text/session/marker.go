package session

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"tend/internal/model/finding"
)

// foretold is how many names are tried that follow from the agent's name alone.
const foretold = 8

// marker is the name that fences notes as data. It is the same for every session of an agent, so that the start of a
// context stays the same while the notes change. No note can forge it: a name that occurs anywhere in the texts, in any
// case, is not used. Where the notes have all names that can be foretold, it follows from the notes, which cannot contain it.
func marker(in Input) string {
	sum := sha256.Sum256([]byte(in.Agent))
	for tried := 1; ; tried++ {
		if name := hex.EncodeToString(sum[:6]); !mentions(in, name) {
			return "memory-" + name
		}
		if tried >= foretold {
			h := sha256.New()
			h.Write(sum[:])
			for _, f := range in.Files {
				h.Write(f.Text)
			}
			copy(sum[:], h.Sum(nil))
			continue
		}
		sum = sha256.Sum256(sum[:])
	}
}

func mentions(in Input, name string) bool {
	for _, f := range in.Files {
		if hasFold(f.Text, name) || hasFold(f.Baseline, name) || hasFold(f.Path+f.Broken, name) {
			return true
		}
	}
	for _, p := range in.Proposed {
		if hasFold(p.Path+"\n"+p.Text, name) {
			return true
		}
	}
	return slices.ContainsFunc(in.Health, func(f finding.Finding) bool { return hasFold(f.File+f.Text, name) })
}

// hasFold reports whether a text contains a lower-case ASCII word, ignoring case. It does not copy the text, which may
// be large.
func hasFold[T string | []byte](text T, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		n := 0
		for n < len(word) && lower(text[i+n]) == word[n] {
			n++
		}
		if n == len(word) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

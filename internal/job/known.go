package job

import (
	"slices"
	"strings"

	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/policy"
)

// longTerm are the roles whose files hold what is known, as opposed to what happened.
func longTerm() []layout.Role {
	return []layout.Role{
		layout.Hot, layout.Identity, layout.Agents, layout.User, layout.Tools,
		layout.Semantic, layout.Procedural, layout.Decisions, layout.Lessons,
	}
}

// known is what an agent's long-term memory says already.
type known struct {
	past    Marks
	similar float64
	words   map[string]bool
	gists   []note.Gist
	numbers [][]string
}

func (in Input) known() *known {
	k := &known{past: in.Facts.Past.Promoted, similar: policy.CurateSimilar.Of(in.Policy), words: map[string]bool{}}
	for _, doc := range in.Of(longTerm()...) {
		if in.formerly(doc.Path) {
			continue
		}
		for _, e := range in.Parse(doc).Entries(0) {
			k.add(e.Normal(), e.Gist())
		}
	}
	return k
}

func (k *known) add(normal string, g note.Gist) {
	if normal == "" || k.words[normal] {
		return
	}
	k.words[normal] = true
	k.gists = append(k.gists, g)
	k.numbers = append(k.numbers, numbersOf(normal))
}

// says reports whether the words, or words much like them, are known.
func (k *known) says(normal string, g note.Gist) bool {
	if normal == "" || k.words[normal] || k.past.Has(MarkOf(normal)) {
		return true
	}
	numbers := numbersOf(normal)
	for i, have := range k.gists {
		if have.Alike(g, k.similar) && slices.Equal(numbers, k.numbers[i]) {
			return true
		}
	}
	return false
}

// numbersOf are the numbers of a text, in order: words that are alike but for a number do not say the same.
func numbersOf(normal string) []string {
	return strings.FieldsFunc(normal, func(r rune) bool { return r < '0' || r > '9' })
}

package job

import (
	"slices"
	"strings"

	"tend/internal/model/policy"
	"tend/internal/text/claim"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// longTerm are the roles of files with knowledge, as opposed to events.
func longTerm() []layout.Role {
	return []layout.Role{
		layout.Hot, layout.Identity, layout.Agents, layout.User, layout.Tools,
		layout.Semantic, layout.Procedural, layout.Decisions, layout.Lessons,
	}
}

// known is what an agent's long-term memory already says.
type known struct {
	past    Marks
	similar float64
	words   map[string]bool
	list    []saying
}

// saying is an entry of known memory. Its gist is needed only if something new is worth comparing with all of them.
type saying struct {
	normal string
	gist   func() note.Gist
}

func (in view) known() *known {
	k := &known{past: in.Facts.Past.Promoted, similar: policy.CurateSimilar.Of(in.Policy), words: map[string]bool{}}
	for _, doc := range in.Of(longTerm()...) {
		if in.formerly(doc.Path) {
			continue
		}
		list := in.Parse(doc).Entries(0)
		for i := range list {
			k.add(list[i].Normal(), func() note.Gist { return list[i].Gist() })
		}
	}
	return k
}

func (k *known) add(normal string, gist func() note.Gist) {
	if normal == "" || k.words[normal] {
		return
	}
	k.words[normal] = true
	k.list = append(k.list, saying{normal, gist})
}

// says reports whether the words, or very similar ones, are known.
func (k *known) says(normal string, g note.Gist) bool {
	if normal == "" || k.words[normal] || k.past.Has(MarkOf(normal)) {
		return true
	}
	numbers := numbersOf(normal)
	return slices.ContainsFunc(k.list, func(have saying) bool {
		return have.gist().Alike(g, k.similar) && slices.Equal(numbers, numbersOf(have.normal))
	})
}

// numbersOf returns the numbers of a text, in order: similar words with another number do not mean the same.
func numbersOf(normal string) []string {
	return strings.FieldsFunc(normal, func(r rune) bool { return r < '0' || r > '9' })
}

// Vanished returns those of some entries that long-term memory no longer has, in these words or in others. The fresh entries have come
// to the same file since. Each accounts for one that is gone if both are about the same thing: somebody has edited the line.
func Vanished(in Input, gone, fresh []note.Entry) []note.Entry {
	v := view{in}
	everywhere, memory := v.known(), v.memory()
	var edited []claim.Statement
	for _, e := range fresh {
		edited = append(edited, claim.Read(e.Text(), 0))
	}
	account := func(e note.Entry) bool {
		was := claim.Read(e.Text(), 0)
		i := slices.IndexFunc(edited, func(now claim.Statement) bool { return len(claim.Shared(was, now)) > 0 })
		if i >= 0 {
			edited = slices.Delete(edited, i, i+1)
		}
		return i >= 0
	}
	var out []note.Entry
	for _, e := range gone {
		switch {
		case everywhere.present(e.Normal(), e.Gist()):
		case memory.reworded(e):
			account(e)
		default:
			out = append(out, e)
		}
	}
	return slices.DeleteFunc(out, account)
}

// reworded reports whether memory says the same in other words, or something newer about the same subject: somebody has
// updated the entry.
func (m *memory) reworded(e note.Entry) bool {
	was := claim.Read(e.Text(), 0)
	return slices.ContainsFunc(m.near(e.Text()), func(h *held) bool {
		no, _ := claim.Contradict(h.said(), was)
		over, _ := claim.Supersedes(h.said(), was)
		return no || over || claim.Same(h.said(), was)
	})
}

// present reports whether the words, or very similar ones, are in a file now.
func (k *known) present(normal string, g note.Gist) bool {
	return k.words[normal] || slices.ContainsFunc(k.list, func(have saying) bool { return have.gist().Alike(g, k.similar) })
}

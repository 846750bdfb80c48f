package job

import (
	"maps"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/text/claim"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// fact is an entry on its way to another file.
type fact struct {
	text string // its words, with nested lines
	tags []string
	day  note.Day // when it was said
}

func (f fact) has(tag string) bool { return slices.Contains(f.tags, tag) }

// shelves are the names of files for entries without an owner in the layout, by the tag that
// says what they are.
var shelves = map[string]string{
	"decision": "decisions", "lesson": "lessons", "human": "people", "surprise": "surprises", "identity": "self", "": "notes",
}

// OwnShelf reports files that Tend itself keeps, which may rest unchanged.
func OwnShelf(in Input, p vault.Path) bool {
	stem := strings.TrimSuffix(p.Base(), ".md")
	return view{in}.formerly(p) || slices.Contains(slices.Collect(maps.Values(shelves)), stem)
}

// home returns where a promoted entry belongs: the hot file for rules the agent must follow, else the file that owns it. A
// file that the harness does not load gets it only once the hot file is nearly full, or in the weekly review. "" if there
// is no place at all.
func (p *promotion) home(f fact) vault.Path {
	hot, owner := p.Sole(layout.Hot), p.ownerOf(f)
	if hot == "" || !p.open(hot) {
		return owner
	}
	if owner == "" || f.rule() || p.job != "review" && !p.shown(owner) && p.below(hot, spare) {
		return hot
	}
	return owner
}

// ownerOf returns the file that owns an entry's class of facts by its tag, "" if none does. A human entry goes to the file
// about people only if its words are about people too.
func (in places) ownerOf(f fact) vault.Path {
	if f.has("decision") {
		if p := in.owned("decisions"); p != "" {
			return p
		}
	}
	if f.has("lesson") {
		if p := in.owned("lessons"); p != "" {
			return p
		}
	}
	if f.has("human") {
		if o, ok := in.Layout.Owner("people"); ok && in.ownerByWords(f.text) == in.ownersFile(o) {
			return in.ownersFile(o)
		}
	}
	return ""
}

// rule reports whether a fact says how the agent must act. The agent needs that in every session, whichever file owns such
// facts.
func (f fact) rule() bool {
	w := claim.WorthOf(f.text, f.day)
	return w.Form == "rule" || w.Form == "agreement" || w.Score >= 2 && !f.has("human")
}

// lower returns where an entry goes that no longer fits into the hot file: its owner, else
// the shelf of its first tag. "" if the layout has no place below the hot file.
func (in places) lower(f fact) vault.Path {
	hot := in.Sole(layout.Hot)
	if f.has("decision") && in.owned("decisions") != "" {
		return in.owned("decisions")
	}
	if f.has("lesson") && in.owned("lessons") != "" {
		return in.owned("lessons")
	}
	if p := in.ownerByWords(f.text); p != "" && len(f.tags) == 0 && !(in.scarce() && in.shown(p)) {
		return p
	}
	tag := ""
	for _, t := range policy.TagsEntry.Of(in.Policy) {
		if f.has(t) {
			tag = t
			break
		}
	}
	name, ok := shelves[tag]
	if !ok {
		name = tag
	}
	for _, at := range []struct {
		tag  string
		role layout.Role
	}{{"decision", layout.Decisions}, {"lesson", layout.Lessons}, {tag, layout.Semantic}} {
		if tag != at.tag {
			continue
		}
		if p := in.named(at.role, name); p != "" && p != hot && in.open(p) {
			return p
		}
	}
	return ""
}

// owned returns the file of a class of facts, if entries may be added to it.
func (in places) owned(class string) vault.Path {
	o, ok := in.Layout.Owner(class)
	if !ok {
		return ""
	}
	return in.ownersFile(o)
}

func (in places) ownersFile(o layout.Owner) vault.Path {
	p := vault.Path(o.Path)
	if p == "" {
		p = in.named(o.Role, o.Class)
	}
	if p == "" || !in.open(p) {
		return ""
	}
	return p
}

// ownerByWords finds the owner with the most words in a text. Classes that depend on a tag
// do not count, and events belong to their day.
func (in places) ownerByWords(text string) vault.Path {
	normal := " " + note.Normal(text) + " "
	best, most := vault.Path(""), 0
	for _, o := range in.Layout.Owners {
		if o.Class == "decisions" || o.Class == "lessons" || o.Role == layout.Daily {
			continue
		}
		n := 0
		for _, w := range o.Words {
			if strings.Contains(normal, " "+note.Normal(w)+" ") {
				n++
			}
		}
		if n > most {
			if p := in.ownersFile(o); p != "" {
				best, most = p, n
			}
		}
	}
	return best
}

// named returns the file of a role: the only one or, for a role with a folder of files, the one
// of that name.
func (in view) named(r layout.Role, name string) vault.Path {
	if p := in.Layout.Path(r, ""); p != "" {
		return vault.Path(p)
	}
	return vault.Path(in.Layout.New(r, strings.ReplaceAll(name, " ", "-")))
}

// open reports whether jobs may add entries to a file. Only the operator and the agent write
// instructions: text from a log must not become a rule by itself. The same goes for files
// whose baseline leaves no room for notes.
func (in view) open(p vault.Path) bool {
	switch r, _ := in.Layout.RoleOf(string(p)); r {
	case layout.Identity, layout.Agents:
		return false
	}
	if _, bad := in.Facts.Unread[p]; bad {
		return false
	}
	baseline, guarded := in.Baselines[p]
	if !guarded {
		return true
	}
	_, _, lined := note.FindLine(baseline, policy.BaselineSeparator.Of(in.Policy))
	return lined
}

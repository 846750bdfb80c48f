package job

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"tend/internal/disk/vault"
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

// stood is an entry that long-term memory has.
type stood struct {
	path vault.Path
	text string // as it stands there
	day  note.Day
	by   note.Day // for one without a day: when it was there at the latest
	ours bool     // Tend wrote it, and nobody has changed it since
	gone bool     // replaced in this run
}

// raw is the entry's text if it is to be replaced, "" otherwise.
func (s *stood) raw(replaced bool) string {
	if s == nil || !replaced {
		return ""
	}
	return s.text
}

// standing is what an agent's long-term memory says now.
type standing struct {
	exact map[string]bool
	near  nearby
	list  []*stood
}

// standing reads the entries of all long-term files.
func (in view) standing() *standing {
	s := &standing{exact: map[string]bool{}}
	for _, doc := range in.WithRoles(longTerm()...) {
		for _, e := range in.Parse(doc).Entries(0) {
			s.add(e.Normal(), stood{path: doc.Path, text: strings.TrimRight(string(e.Raw), "\r\n"), day: e.Day,
				by: in.since(doc, e), ours: in.wrote(e)})
			s.exact[note.Normal(note.WithoutDay(strings.TrimSpace(string(e.Raw))))] = true
		}
	}
	return s
}

// wrote reports whether Tend wrote an entry. The ledger says so: a date or a missing tag says nothing about it.
func (in view) wrote(e note.Entry) bool {
	return in.Facts.Remembered.Promoted.Has(WroteMark(e.Normal()))
}

func (s *standing) add(normal string, x stood) {
	s.exact[normal] = true
	s.near.add(normal)
	s.list = append(s.list, &x)
}

func (s *standing) drop(x *stood) { x.gone = true }

// says reports whether memory has the words, or nearly the same ones.
func (s *standing) says(normal string) bool {
	return normal == "" || s.exact[normal] || len(s.near.like(normal, sameAt)) > 0
}

// versionOf finds the entry of a file that a new one is a newer version of: it begins and ends with the same word, and most
// of its words are the same. That is structure, the same in every language; no value is exchanged inside a sentence.
//
// What was said on the same day stands beside it; what is of a later day, or was there later, is the newer version itself.
func (s *standing) versionOf(target vault.Path, entry string, day note.Day) (older *stood, stale bool) {
	normal := note.Normal(entry)
	for _, i := range s.near.likely(normal, NewerAt) {
		x := s.list[i]
		if x.path != target || x.gone || !sameEnds(normal, s.near.texts[i]) || x.day == day {
			continue
		}
		return x, max(x.day, x.by) > day
	}
	return nil, false
}

// Versions is how similar two normalized texts are if one may be a newer version of the other, else 0.
func Versions(a, b string) float64 {
	if !sameEnds(a, b) {
		return 0
	}
	return similarity(terms(a), terms(b))
}

// sameEnds reports whether two normalized texts begin with the same word and end with the same word.
func sameEnds(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	return len(x) > 1 && len(y) > 1 && x[0] == y[0] && x[len(x)-1] == y[len(y)-1]
}

// Deleted is an entry that its owner removed from long-term memory or rejected as a proposal: no job brings it back, in
// these words or similar ones.
type Deleted struct {
	Normal string
	Day    note.Day
	Path   vault.Path
}

// LikeDeleted finds the deletion that keeps an entry from being promoted.
func LikeDeleted(list []Deleted, normal string) (Deleted, bool) {
	if again := deletions(list).again(normal); len(again) > 0 {
		return list[again[len(again)-1]], true
	}
	return Deleted{}, false
}

func deletions(list []Deleted) *nearby {
	n := &nearby{}
	for _, d := range list {
		n.add(d.Normal)
	}
	return n
}

// LastSeen is an entry of long-term memory as it stood when Tend last looked.
type LastSeen struct {
	Path   vault.Path
	Normal string
}

// MemoryKey identifies the state of all long-term files: while it is the same, nothing was added or deleted.
func MemoryKey(in Input) string {
	h := fnv.New64a()
	for _, doc := range in.WithRoles(longTerm()...) {
		_, _ = fmt.Fprintf(h, "%s\x00%s\x00", doc.Path, doc.Version)
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

// longestSeen is the size above which a file's entries are not recorded: nobody keeps such a file by hand.
const longestSeen = 256 << 10

// SeenNow lists the entries of long-term memory as they stand now.
func SeenNow(in Input) []LastSeen {
	var out []LastSeen
	for _, doc := range in.WithRoles(longTerm()...) {
		if len(doc.Data) > longestSeen {
			continue
		}
		for _, e := range in.Parse(doc).Entries(0) {
			if normal := e.Normal(); normal != "" {
				out = append(out, LastSeen{doc.Path, normal})
			}
		}
	}
	return out
}

// Deletions are the entries that were recorded and that nobody can find in long-term memory now, in these words or nearly
// the same ones, although Tend has not changed their file since. A file that is gone altogether is an accident, not a
// statement about each of its lines.
func Deletions(in Input, recorded []LastSeen) []Deleted {
	if len(recorded) == 0 {
		return nil
	}
	has := saidNow(in)
	missing := slices.DeleteFunc(slices.Clone(recorded), func(r LastSeen) bool {
		doc := in.File(r.Path)
		left, touched := in.Facts.Audit.Left[r.Path]
		return has[r.Normal] || doc.Version == vault.Absent || touched && left.Version == doc.Version
	})
	if len(missing) == 0 {
		return nil
	}
	now := view{in}.standing()
	var out []Deleted
	for _, r := range missing {
		if !now.says(r.Normal) {
			out = append(out, Deleted{Normal: r.Normal, Day: in.Today(), Path: r.Path})
		}
	}
	if 2*len(out) > len(recorded) && len(out) > 10 {
		return nil // a rewrite of everything: it is reported as a loss, and says nothing about single lines
	}
	return out
}

// StillDeleted drops what stands in memory again: who restores or rewrites an entry takes the deletion back.
func StillDeleted(in Input, list []Deleted) []Deleted {
	if len(list) == 0 {
		return nil
	}
	has := saidNow(in)
	return slices.DeleteFunc(slices.Clone(list), func(x Deleted) bool { return has[x.Normal] })
}

// saidNow is the set of what the entries of long-term memory say now.
func saidNow(in Input) map[string]bool {
	has := map[string]bool{}
	for _, e := range SeenNow(in) {
		has[e.Normal] = true
	}
	return has
}

// owned returns the file of a class of facts, if entries may be added to it.
func (in view) owned(class string) vault.Path {
	o, ok := in.Layout.Owner(class)
	if !ok {
		return ""
	}
	p := vault.Path(o.Path)
	if p == "" {
		p = in.named(o.Role, o.Class)
	}
	if p == "" || !in.open(p) {
		return ""
	}
	return p
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
	_, _, lined := note.FindLine(baseline, in.Line(p, baseline))
	return lined
}

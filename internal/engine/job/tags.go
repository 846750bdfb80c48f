package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// TagKind is where a tag is.
type TagKind string

// The kinds: on entries, and on the #tags: line of files.
const (
	EntryTag TagKind = "entry"
	FileTag  TagKind = "file"
)

// TagUse is a tag and where it is used.
type TagUse struct {
	Tag   string       `json:"tag"`
	Kind  TagKind      `json:"kind"`
	Count int          `json:"count"` // entries, or files
	Known bool         `json:"known"` // it is in tags.entry, or allowed on files
	Files []vault.Path `json:"files"`
}

// looksTagged matches a word in brackets before an entry, whether it is a tag or not.
var looksTagged = expr(`^\[([\p{L}][\p{L}\p{N}_-]{1,30})\](?:[^(\[:]|$)`)

// Tags returns every tag in use, most used first.
func Tags(in Input) []TagUse {
	uses := map[[2]string]*TagUse{}
	add := func(kind TagKind, tag string, p vault.Path, known bool) {
		key := [2]string{string(kind), tag}
		u := uses[key]
		if u == nil {
			u = &TagUse{Tag: tag, Kind: kind, Known: known}
			uses[key] = u
		}
		u.Count++
		if n := len(u.Files); n == 0 || u.Files[n-1] != p { // files come one after the other
			u.Files = append(u.Files, p)
		}
	}
	for _, d := range in.All() {
		doc := in.Parse(d)
		for _, t := range doc.TagList() {
			add(FileTag, strings.ToLower(t), d.Path, allowsTag(in, t))
		}
		for _, e := range doc.Entries(0) {
			for _, t := range e.Tags {
				add(EntryTag, t, d.Path, true)
			}
			if m := looksTagged().FindStringSubmatch(e.Text()); m != nil && len(e.Tags) == 0 {
				add(EntryTag, strings.ToLower(m[1]), d.Path, false)
			}
		}
	}
	out := make([]TagUse, 0, len(uses))
	for _, u := range uses {
		out = append(out, *u)
	}
	slices.SortFunc(out, func(a, b TagUse) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), b.Count-a.Count, cmp.Compare(a.Tag, b.Tag))
	})
	return out
}

// allowsTag reports whether a file may have a tag.
func allowsTag(in Input, tag string) bool {
	if !tagWord().MatchString(tag) {
		return false
	}
	return policy.TagsVocabulary.Of(in.Policy) != policy.VocabularyClosed ||
		slices.Contains(policy.TagsFile.Of(in.Policy), strings.ToLower(tag))
}

// RenameTag renames a tag on entries and on files. The operator's text, logs of past days and
// archives keep theirs.
func RenameTag(in Input, from, to string) (plan.Plan, error) {
	d := newDraft(in, "tags")
	from, to = tagName(from), tagName(to)
	if !IsTag(to) || from == "" || from == to {
		return d.pl, &Refusal{Why: fmt.Sprintf("%q cannot become %q", from, to), Try: "name two different tags of letters, digits, - and _",
			Usage: true}
	}
	onEntries := slices.Contains(policy.TagsEntry.Of(in.Policy), from)
	entriesDone, filesDone, left := 0, 0, 0
	for _, doc := range in.All() {
		edits, n, f := renames(in, doc, from, to, onEntries)
		switch {
		case len(edits) == 0:
			continue
		case isFinal(in, doc) || edits[0].At < in.Owned(doc):
			left++
			continue
		}
		entriesDone, filesDone = entriesDone+n, filesDone+f
		d.edit(doc.Path, "rename the tag "+from, edits...)
	}
	switch {
	case entriesDone+filesDone+left == 0:
		return d.pl, &Refusal{Why: fmt.Sprintf("no entry or file has the tag %q", from), Try: "`tend tags` lists those that are used",
			Usage: true}
	case entriesDone > 0 && !slices.Contains(policy.TagsEntry.Of(in.Policy), to):
		return d.pl, &Refusal{Why: fmt.Sprintf("%q is not a tag for entries, they would count as having none", to),
			Try: "add it to tags.entry first"}
	case filesDone > 0 && !allowsTag(in, to):
		return d.pl, &Refusal{Why: fmt.Sprintf("%q is not in the vocabulary", to), Try: "add it to tags.file first"}
	}
	pl := d.plan()
	pl.Summary = fmt.Sprintf("%s is %s now on %s and %d files", from, to, entries(entriesDone), filesDone)
	if left > 0 {
		pl.Summary += fmt.Sprintf("; left alone in %d files that are past logs, archives or the operator's", left)
	}
	return pl, nil
}

// tagWord is the form of a file's tag, whatever the vocabulary: something a search can find,
// without quotes or brackets.
var tagWord = expr(`^[\p{L}\p{N}][\p{L}\p{N}._+/-]*$`)

// IsTag reports whether a word can be a file's tag.
func IsTag(word string) bool { return tagWord().MatchString(word) }

func tagName(s string) string { return strings.ToLower(strings.Trim(strings.TrimSpace(s), "[]#,")) }

// isFinal reports files that are no longer edited.
func isFinal(in Input, d vault.Doc) bool {
	role, _ := in.Layout.RoleOf(string(d.Path))
	day, dated := in.Layout.DayOf(string(d.Path))
	return role == layout.Archive || role == layout.Daily && dated && day < in.Today().String()
}

// bracket matches what may contain an entry's tags.
var bracket = expr(`\[[^\[\]\n]{1,62}\]`)

// renames returns the edits that rename a tag in one file, on how many entries, and whether on
// the file itself.
func renames(in Input, d vault.Doc, from, to string, onEntries bool) (edits []note.Edit, entries, files int) {
	doc := in.Parse(d)
	if h, ok := doc.Header("tags"); ok {
		if value, changed := renameIn(h.Value, from, to); changed {
			edits = append(edits, note.Edit{At: h.ValueStart, Cut: h.ValueEnd - h.ValueStart, Text: value})
			files = 1
		}
	}
	if !onEntries {
		return edits, 0, files
	}
	for _, e := range doc.Entries(0) {
		if !e.Has(from) {
			continue
		}
		entries++
		for _, m := range bracket().FindAllIndex(e.Raw, -1) {
			inner := string(e.Raw[m[0]+1 : m[1]-1])
			if !allTags(in, inner) {
				continue
			}
			if value, changed := renameIn(inner, from, to); changed {
				edits = append(edits, note.Edit{At: e.Start + m[0] + 1, Cut: len(inner), Text: value})
			}
		}
	}
	return edits, entries, files
}

// allTags reports whether a bracket contains only tags.
func allTags(in Input, inner string) bool {
	known := policy.TagsEntry.Of(in.Policy)
	words := strings.FieldsFunc(inner, tagBreak)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(known, strings.ToLower(w)) })
}

func tagBreak(r rune) bool { return r == ' ' || r == ',' || r == '/' || r == '|' || r == '\t' }

// renameIn renames a word of a list and keeps everything else. A list that already has the new
// name loses the old one.
func renameIn(list, from, to string) (string, bool) {
	words := strings.FieldsFunc(list, tagBreak)
	has := slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, to) })
	var b strings.Builder
	changed := false
	for rest := list; rest != ""; {
		n := strings.IndexFunc(rest, tagBreak)
		if n < 0 {
			n = len(rest)
		}
		word, gap := rest[:n], rest[n:]
		gap = gap[:len(gap)-len(strings.TrimLeftFunc(gap, tagBreak))]
		rest = rest[n+len(gap):]
		switch {
		case !strings.EqualFold(word, from):
			b.WriteString(word + gap)
			continue
		case !has:
			b.WriteString(to + gap)
		}
		changed = true
	}
	return strings.TrimRightFunc(b.String(), tagBreak), changed
}

// Verify sets last_verified to today in files that somebody has checked. The operator's text
// and past daily logs are not stamped.
func Verify(in Input, files []vault.Path) (plan.Plan, error) {
	d := newDraft(in, "verify")
	today := in.Today().String()
	for _, p := range files {
		doc := in.File(p)
		if doc.Version == vault.Absent {
			return d.pl, &Refusal{Why: fmt.Sprintf("there is no file %s", p), Try: "name a file of the workspace, such as MEMORY.md", Usage: true}
		}
		role, _ := in.Layout.RoleOf(string(p))
		if day, ok := in.Layout.DayOf(string(p)); ok && role == layout.Daily && day < today {
			return d.pl, &Refusal{Why: fmt.Sprintf("%s is the log of a past day and stays as it is", p),
				Try: "verify the file that has the fact now"}
		}
		e := in.Parse(doc).SetHeader("last_verified", today, quotes(in, role))
		if e.At < in.Owned(doc) {
			return d.pl, &Refusal{Why: fmt.Sprintf("the head of %s is the operator's", p), Try: "set last_verified in the baseline and approve it"}
		}
		d.edit(p, "verified today", e)
	}
	pl := d.plan()
	pl.Summary = fmt.Sprintf("last_verified is %s in %s", today, joinPaths(files))
	return pl, nil
}

// quotes reports whether the layout quotes last_verified in files of a role.
func quotes(in Input, r layout.Role) bool {
	h, ok := in.Layout.Header(r)
	if !ok {
		h, ok = in.Layout.Header(layout.Semantic)
	}
	n := h.VerifiedLine()
	return ok && n > 0 && strings.HasPrefix(h.Lines[n-1], ">")
}

func joinPaths(files []vault.Path) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

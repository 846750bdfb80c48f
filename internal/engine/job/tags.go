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

// tagWord is the form of a file's tag, whatever the vocabulary: something a search can find,
// without quotes or brackets.
var tagWord = expr(`^[\p{L}\p{N}][\p{L}\p{N}._+/-]*$`)

// IsTag reports whether a word can be a file's tag.
func IsTag(word string) bool { return tagWord().MatchString(word) }

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

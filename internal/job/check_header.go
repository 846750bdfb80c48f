package job

import (
	"bytes"
	"slices"
	"strings"

	"tend/internal/finding"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/vault"
)

// headed lists the files for which the layout has a header of some kind, with it. The
// buffer has a check of its own.
func (l *look) headed(want func(layout.Header) bool) []headedFile {
	var out []headedFile
	for _, h := range l.Layout.Headers {
		if !want(h) {
			continue
		}
		for _, d := range l.Of(h.Roles...) {
			if role, _ := l.Layout.RoleOf(string(d.Path)); role != layout.Buffer {
				out = append(out, headedFile{d, h})
			}
		}
	}
	slices.SortFunc(out, func(a, b headedFile) int { return byPath(a.Doc, b.Doc) })
	return out
}

type headedFile struct {
	vault.Doc
	rule layout.Header
}

// lines are the first n lines of a file, without their ends.
func (f headedFile) lines(n int) []string {
	var out []string
	for line := range bytes.Lines(bytes.TrimPrefix(f.Data, []byte("\ufeff"))) {
		if len(out) == n {
			break
		}
		out = append(out, strings.TrimRight(string(line), " \t\r\n"))
	}
	return out
}

func anyHeader(h layout.Header) bool      { return h.Exact || h.TagsLine() > 1 }
func tagsHeader(h layout.Header) bool     { return h.TagsLine() > 0 }
func verifiedHeader(h layout.Header) bool { return h.VerifiedLine() > 0 }

func hasHeaders(l *look) bool    { return slices.ContainsFunc(l.Layout.Headers, anyHeader) }
func wantsTags(l *look) bool     { return slices.ContainsFunc(l.Layout.Headers, tagsHeader) }
func wantsVerified(l *look) bool { return slices.ContainsFunc(l.Layout.Headers, verifiedHeader) }

// fileHeaders wants exact headers line by line, and of all others their title, for the
// tags stand right below it.
func fileHeaders(l *look) []finding.Finding {
	var out []finding.Finding
	for _, f := range l.headed(anyHeader) {
		want := f.rule.Lines
		if !f.rule.Exact {
			want = want[:1]
		}
		have := f.lines(len(want))
		for i, w := range want {
			if i >= len(have) || !fitsLine(l.Input, w, have[i]) {
				out = append(out, finding.FileHeader.In(string(f.Path), "line %d should read %q", i+1, w).AtLine(i+1))
				break
			}
		}
	}
	return out
}

// fitsLine reports whether a line is one of the layout's, placeholders included.
func fitsLine(in Input, want, have string) bool {
	for name, ok := range map[string]func(string) bool{
		"{title}": func(v string) bool { return v != "" },
		"{tags}":  func(v string) bool { return true }, // the tags have checks of their own
		"{date}":  func(v string) bool { _, err := note.ParseDay(v); return err == nil },
		"{time}":  func(v string) bool { _, ok := note.ParseTime(v, in.Now.Location()); return ok },
	} {
		before, after, found := strings.Cut(want, name)
		if !found {
			continue
		}
		if have == strings.TrimRight(before, " ")+after {
			return ok("") // an empty value leaves no blank behind
		}
		if !strings.HasPrefix(have, before) || !strings.HasSuffix(have, after) || len(have) < len(before)+len(after) {
			return false
		}
		return ok(strings.TrimSpace(have[len(before) : len(have)-len(after)]))
	}
	return want == have
}

func tagsLine(l *look) []finding.Finding {
	var out []finding.Finding
	for _, f := range l.headed(tagsHeader) {
		n := f.rule.TagsLine()
		h, ok := l.doc(f.Doc).Header("tags")
		switch {
		case !ok:
			out = append(out, finding.TagsLine.In(string(f.Path), "it has no #tags: line"))
		case h.Line != n:
			out = append(out, finding.TagsLine.In(string(f.Path), "its tags are on line %d, they belong on line %d", h.Line, n).AtLine(h.Line))
		case len(l.doc(f.Doc).TagList()) == 0:
			out = append(out, finding.TagsLine.In(string(f.Path), "its #tags: line is empty").AtLine(h.Line))
		}
	}
	return out
}

// tagWord is what a file's tag may be made of, whatever the vocabulary: what a search for
// it can find, without quotes or brackets.
var tagWord = expr(`^[\p{L}\p{N}][\p{L}\p{N}._+/-]*$`)

func tagsVocabulary(l *look) []finding.Finding {
	closed := policy.TagsVocabulary.Of(l.Policy) == policy.VocabularyClosed
	known := policy.TagsFile.Of(l.Policy)
	var out []finding.Finding
	for _, d := range l.All() {
		if role, ok := l.Layout.RoleOf(string(d.Path)); !ok || role == layout.Archive {
			continue
		}
		h, _ := l.doc(d).Header("tags")
		for _, t := range l.doc(d).TagList() {
			switch {
			case !tagWord().MatchString(t):
				out = append(out, finding.TagsVocabulary.In(string(d.Path), "%q is not a tag: use letters, digits, - and _", t).AtLine(h.Line))
			case closed && !slices.Contains(known, strings.ToLower(t)):
				f := finding.TagsVocabulary.In(string(d.Path), "%q is not in the vocabulary", t).AtLine(h.Line)
				if near := policy.Nearest(t, known); near != "" {
					f.Text += ", did you mean " + near + "?"
				}
				out = append(out, f)
			}
		}
	}
	return out
}

// lastVerified wants a date that is neither in the future nor as old as verify.max_age.
func lastVerified(l *look) []finding.Finding {
	most := policy.VerifyMaxAge.Of(l.Policy)
	var out []finding.Finding
	for _, f := range l.headed(verifiedHeader) {
		h, ok := l.doc(f.Doc).Header("last_verified")
		if !ok {
			out = append(out, finding.LastVerified.In(string(f.Path), "it has no last_verified line"))
			continue
		}
		day, err := note.ParseDay(strings.TrimSpace(h.Value))
		if t, ok := l.moment(h.Value); err != nil && ok {
			day, err = note.DayOf(t, l.Now.Location()), nil
		}
		switch age := l.Today().Sub(day); {
		case err != nil:
			out = append(out, finding.LastVerified.In(string(f.Path), "%q is not a date", h.Value).AtLine(h.Line))
		case age < 0:
			out = append(out, finding.LastVerified.In(string(f.Path), "%s is in the future", day).AtLine(h.Line))
		case most > 0 && age >= most.Days():
			out = append(out, finding.LastVerified.In(string(f.Path), "verified %d days ago, it must be under %d", age, most.Days()).AtLine(h.Line))
		}
	}
	return out
}

package past

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/text/note"
)

// Wording is what a line said before.
type Wording struct {
	Until time.Time  `json:"until"` // when it was first seen to be different
	File  vault.Path `json:"file"`
	Text  string     `json:"text"`
	Ref   string     `json:"ref"` // the kept text that has it
}

// mostVersions is how many earlier versions of a line are listed.
const mostVersions = 20

// Before lists what an entry of a file said earlier, newest first. Two entries are versions of one line if they stand under
// the same headings and carry the same label, or nearly the same words between the same first and last one. That is read
// from the texts that were kept, in any language; what nobody wrote is never listed.
func (p Past) Before(ctx context.Context, in job.Input, file vault.Path, e note.Entry) ([]Wording, error) {
	var texts []Kept
	collect := func(k Kept, err error) error {
		if err == nil && k.File == file {
			texts = append(texts, k)
		}
		return nil // doctor reports what cannot be read
	}
	if _, err := p.Displaced(ctx, "", mostKept, collect); err != nil {
		return nil, err
	}
	if err := p.Observed(ctx, collect); err != nil {
		return nil, err
	}
	slices.SortStableFunc(texts, func(a, b Kept) int { return b.At.Compare(a.At) })
	texts = texts[:min(len(texts), mostKept)]
	line := lineOf(in.Parse(in.File(file)), e)
	var out []Wording
	last := e.Normal()
	for _, k := range texts {
		if err := ctx.Err(); err != nil || len(out) == mostVersions {
			return out, err
		}
		was, ok := line.in(in.Syntax(file).Parse(k.Data))
		if !ok || was.Normal() == last {
			continue
		}
		last = was.Normal()
		out = append(out, Wording{Until: k.At, File: file, Text: strings.TrimSpace(was.Text()), Ref: k.Ref})
	}
	return out, nil
}

// mostKept is how many kept texts of a file are read for the history of a line.
const mostKept = 200

// line is what makes an entry the same line in two versions of a file.
type line struct {
	path  string // its headings
	label string
	entry note.Entry
}

func lineOf(d *note.Doc, e note.Entry) line {
	return line{strings.Join(d.HeadingPath(e.Section), "\x00"), labelOf(e), e}
}

// labelOf is the label that an entry begins with, normalized.
func labelOf(e note.Entry) string {
	first, _, _ := strings.Cut(e.Text(), "\n")
	label, _, found := cut(first)
	if !found || len(strings.Fields(label)) > 6 {
		return ""
	}
	return note.Normal(label)
}

// cut cuts a text behind its first colon, of either width.
func cut(text string) (before, after string, found bool) {
	i := strings.IndexAny(text, ":：")
	if i <= 0 {
		return text, "", false
	}
	return text[:i], text[i:], true
}

// in finds the line in another version of its file: the entry under the same headings with the same label, else the one
// whose words are most alike.
func (l line) in(d *note.Doc) (note.Entry, bool) {
	var best note.Entry
	most := job.NewerAt
	found := false
	for _, e := range d.Entries(0) {
		if strings.Join(d.HeadingPath(e.Section), "\x00") != l.path {
			continue
		}
		if e.Normal() == l.entry.Normal() || l.label != "" && labelOf(e) == l.label {
			return e, true
		}
		if alike := job.Versions(e.Normal(), l.entry.Normal()); cmp.Compare(alike, most) >= 0 {
			best, most, found = e, alike, true
		}
	}
	return best, found
}

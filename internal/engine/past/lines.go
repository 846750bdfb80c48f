package past

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Wording is what a line says, or said before.
type Wording struct {
	Until time.Time  `json:"until,omitzero"` // when it was first seen to be different; zero for what it says now
	File  vault.Path `json:"file"`
	Line  int        `json:"line,omitempty"` // where the file still has it
	Text  string     `json:"text"`
	Ref   string     `json:"ref,omitempty"` // the kept text that has it
	Day   note.Day   `json:"day,omitempty"` // of the entry, if it has one
}

// maxWordings is how many earlier versions of a line are listed.
const maxWordings = 20

// Follow returns the newest wording of the entry on a line and what it said earlier, newest first: in the kept texts of its
// file, in other dated entries of it, and for a log in the other logs.
func (p Reader) Follow(ctx context.Context, file vault.Path, at int) (now Wording, before []Wording, err error) {
	in, err := p.a.Input(ctx)
	if err != nil {
		return now, nil, err
	}
	e, ok := entryAt(in, file, at)
	if !ok {
		return now, nil, fmt.Errorf("%w at line %d of %s", ErrNoEntry, at, file)
	}
	if before, err = p.Before(ctx, in, file, e); err != nil {
		return now, nil, err
	}
	said, err := datedVersions(ctx, in, file, e)
	if err != nil {
		return now, nil, err
	}
	if len(said) == 0 { // it has no date
		return Wording{File: file, Line: e.Line, Text: strings.TrimSpace(e.Text())}, before, nil
	}
	for i, w := range said[:len(said)-1] {
		w.Until = said[i+1].Day.Start(in.Now.Location())
		before = append(before, w)
	}
	slices.SortStableFunc(before, func(a, b Wording) int { return b.Until.Compare(a.Until) })
	return said[len(said)-1], before[:min(len(before), maxWordings)], nil
}

// datedVersions lists the dated entries that are the same line, oldest first: of the file, or of all logs if it is one. Of
// those with the same words only the first counts.
func datedVersions(ctx context.Context, in job.Input, file vault.Path, e note.Entry) (out []Wording, err error) {
	docs := []vault.Doc{in.File(file)}
	role, _ := in.Layout.RoleOf(string(file))
	if role == layout.Daily {
		docs = docs[:0]
		for _, log := range in.Logs() {
			docs = append(docs, log.Doc)
		}
	}
	line := lineOf(in.Parse(in.File(file)), e, role == layout.Daily)
	for _, doc := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		day, _ := note.DayInName(string(doc.Path))
		d := in.Parse(doc)
		for _, x := range d.Entries(day) {
			if x.Day != 0 && x.DayFrom != note.Mentioned && line.hasHeadings(d, x) && line.similarity(x) >= job.NewerAt {
				out = append(out, Wording{File: doc.Path, Line: x.Line, Text: strings.TrimSpace(x.Text()), Day: x.Day})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Wording) int { return cmp.Compare(a.Day, b.Day) })
	return slices.CompactFunc(out, func(a, b Wording) bool { return note.Normal(a.Text) == note.Normal(b.Text) }), nil
}

// Before lists what an entry of a file said earlier, newest first. Two entries are versions of one line if they stand under
// the same headings and carry the same label, or nearly the same words between the same first and last one. That is read
// from the texts that were kept, in any language; what nobody wrote is never listed.
func (p Reader) Before(ctx context.Context, in job.Input, file vault.Path, e note.Entry) ([]Wording, error) {
	var texts []StoredText
	collect := func(k StoredText, err error) error {
		if err == nil && k.File == file {
			texts = append(texts, k)
		}
		return nil // doctor reports what cannot be read
	}
	if _, err := p.Displaced(ctx, "", maxTexts, collect); err != nil {
		return nil, err
	}
	if err := p.Observed(ctx, collect); err != nil {
		return nil, err
	}
	slices.SortStableFunc(texts, func(a, b StoredText) int { return b.At.Compare(a.At) })
	texts = texts[:min(len(texts), maxTexts)]
	line := lineOf(in.Parse(in.File(file)), e, false)
	var out []Wording
	last, until := e.Normal(), in.File(file).ModTime
	for _, k := range texts {
		observed := strings.Contains(k.Ref, seenMark)
		if !observed { // an action displaced it at that time; an observed text was there from that time on
			until = k.At
		}
		if err := ctx.Err(); err != nil || len(out) == maxWordings {
			return out, err
		}
		was, ok := line.findIn(in.Syntax(file).Parse(k.Data))
		if ok && was.Normal() != last {
			last = was.Normal()
			out = append(out, Wording{Until: until, File: file, Text: strings.TrimSpace(was.Text()), Ref: k.Ref})
		}
		until = k.At
	}
	return out, nil
}

// maxTexts is how many kept texts of a file are read for the history of a line.
const maxTexts = 200

// line is what makes an entry the same line in two texts.
type line struct {
	path  string // its headings, joined by pathOf
	label string
	entry note.Entry
	inLog bool // it is in a log, whose first heading is the day's title
}

func lineOf(d *note.Doc, e note.Entry, inLog bool) line {
	return line{path: pathOf(d, e.Section, inLog), label: labelOf(e), entry: e, inLog: inLog}
}

// pathOf joins the headings above a section's text without dates and times, which say when and not about what.
func pathOf(d *note.Doc, section int, inLog bool) string {
	var path []string
	for s := section; s >= 0; s = d.Sections[s].Parent {
		if inLog && d.Sections[s].Level == 1 {
			continue
		}
		words := strings.Fields(note.Normal(d.Sections[s].Title))
		words = slices.DeleteFunc(words, func(w string) bool { return strings.ContainsFunc(w, unicode.IsDigit) })
		path = append(path, strings.Join(words, " "))
	}
	return strings.Join(path, "\x00")
}

// hasHeadings reports whether an entry stands under the line's headings.
func (l line) hasHeadings(d *note.Doc, e note.Entry) bool {
	return pathOf(d, e.Section, l.inLog) == l.path
}

// similarity says how surely an entry under the same headings is the line, from 0 to 1. A label alone says little in another log
// where there are no headings.
func (l line) similarity(e note.Entry) float64 {
	underHeadings := strings.Trim(l.path, "\x00") != ""
	sameLabel := l.label != "" && labelOf(e) == l.label
	labelled := sameLabel && (underHeadings || !l.inLog)
	if labelled || e.Normal() == l.entry.Normal() {
		return 1
	}
	return job.Versions(e.Normal(), l.entry.Normal())
}

// maxLabelWords is how many words before a colon are a label, and not half a sentence.
const maxLabelWords = 6

// labelOf is the label that an entry begins with, normalized; "" if it has none.
func labelOf(e note.Entry) string {
	first, _, _ := strings.Cut(e.Text(), "\n")
	colon := strings.IndexAny(first, ":：")
	if colon <= 0 || len(strings.Fields(first[:colon])) > maxLabelWords {
		return ""
	}
	return note.Normal(first[:colon])
}

// findIn finds the line in another version of its file: the entry that is most surely it.
func (l line) findIn(d *note.Doc) (best note.Entry, found bool) {
	surest := job.NewerAt
	for _, e := range d.Entries(0) {
		if !l.hasHeadings(d, e) {
			continue
		}
		switch sure := l.similarity(e); {
		case sure == 1:
			return e, true
		case sure >= surest:
			best, surest, found = e, sure, true
		}
	}
	return best, found
}

package past

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/text/note"
)

// Passage is a piece of a kept text: an entry, a paragraph or a section.
type Passage struct {
	StoredText
	From, To int // its byte range in Data
}

// Text returns only the passage.
func (p Passage) Text() []byte { return p.Data[p.From:p.To] }

// Wanted describes the passage to find.
type Wanted struct {
	File    vault.Path // only in this file, "" for all
	Words   string     // some words of an entry or paragraph, in their order
	Section string     // or a part of the heading of a section

	scattered []string // the words, if they need not be a phrase
}

// Passage finds the newest kept text with a passage that the file no longer has. Words that are nowhere a phrase are
// looked for in one line, in any order.
func (p Reader) Passage(ctx context.Context, w Wanted) (Passage, error) {
	in, err := p.a.Input(ctx)
	if err != nil {
		return Passage{}, err
	}
	found, err := p.findPassage(ctx, in, w)
	if words := strings.Fields(note.Normal(w.Words)); errors.Is(err, ErrUnknown) && w.Section == "" && len(words) > 1 {
		w.scattered = words
		return p.findPassage(ctx, in, w)
	}
	return found, err
}

func (p Reader) findPassage(ctx context.Context, in job.Input, w Wanted) (Passage, error) {
	var best Passage
	current := false   // the file still has it
	hits := 0          // passages of the best text
	bestFit := loosely // of the best text
	check := func(k StoredText, err error) error {
		otherFile := w.File != "" && k.File != w.File
		if err != nil || k.File == "" || otherFile {
			return nil // doctor reports what cannot be read
		}
		list, fit := w.findIn(in.Parse(vault.Doc{Path: k.File, Data: k.Data}))
		now, found := in.File(k.File).Data, len(list)
		list = slices.DeleteFunc(list, func(x extent) bool { return bytes.Contains(now, bytes.TrimSpace(k.Data[x.from:x.to])) })
		current = current || len(list) < found
		older := fit == bestFit && best.Ref != "" && !k.At.After(best.At)
		if len(list) == 0 || fit > bestFit || older {
			return nil
		}
		first := list[0]
		best, bestFit, hits = Passage{StoredText: k, From: first.from, To: first.to}, fit, len(list)
		return nil
	}
	_, err := p.Displaced(ctx, "", math.MaxInt, check)
	if err := errors.Join(err, p.Observed(ctx, check), p.Archived(ctx, check)); err != nil {
		return best, err
	}
	switch {
	case hits > 1 && w.scattered != nil: // which one is meant would be a guess
		return best, &job.Refusal{Why: fmt.Sprintf("%d entries of %s have the words %q", hits, best.Ref, w.Words),
			Try: "name more words, or some that stand side by side; `tend past show " + best.Ref + "` shows them", Usage: true}
	case best.Ref != "":
		return best, nil
	case current:
		return best, &job.Refusal{Why: fmt.Sprintf("%s still has it", p.a.Name), Try: "`tend search` shows where", Usage: true}
	}
	return best, unknown(fmt.Sprintf("no kept text of %s has %s", p.a.Name, w))
}

// unknown is ErrUnknown with a specific message.
type unknown string

func (e unknown) Error() string        { return string(e) }
func (e unknown) Is(target error) bool { return target == ErrUnknown }

func (w Wanted) String() string {
	if w.Section != "" {
		return fmt.Sprintf("a section %q", w.Section)
	}
	if strings.Contains(strings.TrimSpace(w.Words), " ") {
		return fmt.Sprintf("%q, nor a line with all these words", w.Words)
	}
	return fmt.Sprintf("%q", w.Words)
}

// How well a passage is named: the smaller, the better.
const (
	asWritten     = iota // by the whole heading with its dates
	partly               // by a part of the heading as written
	byAllItsWords        // by the whole heading, whatever its dates
	loosely              // by some words
)

// extent is a byte range of a text.
type extent struct{ from, to int }

// findIn finds the passages in a kept text: sections, or the entries and other blocks with the words. fit is how well they are
// named.
func (w Wanted) findIn(doc *note.Doc) (list []extent, fit int) {
	if w.Section != "" {
		return findSections(doc, w.Section)
	}
	want := note.Normal(w.Words)
	for _, b := range doc.Parts {
		if b.Kind == note.Blank || want == "" {
			continue
		}
		raw := string(doc.Raw(b))
		has := strings.Contains(note.Normal(raw), want)
		if w.scattered != nil {
			has = hasInOneLine(raw, w.scattered)
		}
		if has {
			list = append(list, extent{b.Start, b.End})
		}
	}
	return list, loosely
}

// hasInOneLine reports whether one line of a text has all the words.
func hasInOneLine(text string, words []string) bool {
	for line := range strings.Lines(text) {
		has := strings.Fields(note.Normal(line))
		if !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(has, w) }) {
			return true
		}
	}
	return false
}

// findSections finds the sections that a heading names best: as it is written, with its dates, else by its words; whole, else in part.
func findSections(doc *note.Doc, heading string) (list []extent, fit int) {
	raw, want := strings.ToLower(strings.TrimSpace(heading)), note.Normal(heading)
	fit = loosely
	if raw == "" {
		return nil, fit
	}
	for _, s := range doc.Sections {
		f, ok := fitOf(s.Title, raw, want)
		if !ok || f > fit {
			continue
		}
		if f < fit {
			fit, list = f, nil
		}
		list = append(list, extent{s.Start, s.End})
	}
	return list, fit
}

// fitOf says how well a title is named by a text in lower case, or by its words in normal form; ok is false if it is not.
func fitOf(title, raw, words string) (fit int, ok bool) {
	lower, normal := strings.ToLower(title), note.Normal(title)
	switch {
	case lower == raw:
		return asWritten, true
	case strings.Contains(lower, raw):
		return partly, true
	case words == "" || !strings.Contains(normal, words):
		return 0, false
	case normal == words:
		return byAllItsWords, true
	}
	return loosely, true
}

package past

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"tend/internal/job"
	"tend/internal/note"
	"tend/internal/vault"
)

// Passage is a piece of a kept text: an entry, a paragraph or a section.
type Passage struct {
	Kept
	From, To int // its extent in Data
}

// Text is the passage alone.
func (p Passage) Text() []byte { return p.Data[p.From:p.To] }

// Wanted says which passage is looked for.
type Wanted struct {
	File    vault.Path // only in this file, "" for all
	Words   string     // some words of an entry or paragraph, in their order
	Section string     // or the heading of a section
}

// Passage finds the newest kept text that has a passage which the file has no longer.
func (p Past) Passage(ctx context.Context, w Wanted) (Passage, error) {
	in, err := p.a.Input(ctx)
	if err != nil {
		return Passage{}, err
	}
	var best Passage
	stands := false
	look := func(k Kept, err error) error {
		if err != nil || k.File == "" || w.File != "" && k.File != w.File || best.Ref != "" && !k.At.After(best.At) {
			return nil // what cannot be read is doctor's to report
		}
		from, to, ok := w.in(in, k)
		if !ok {
			return nil
		}
		if now := in.File(k.File); bytes.Contains(now.Data, bytes.TrimSpace(k.Data[from:to])) {
			stands = true
			return nil
		}
		best = Passage{k, from, to}
		return nil
	}
	_, err = p.Displaced(ctx, "", math.MaxInt, look)
	if err := errors.Join(err, p.Observed(ctx, look), p.Archived(ctx, look)); err != nil {
		return best, err
	}
	switch {
	case best.Ref != "":
		return best, nil
	case stands:
		return best, &job.Refusal{Why: fmt.Sprintf("%s still has it", p.a.Name), Try: "`tend search` shows where", Usage: true}
	}
	return best, unknown(fmt.Sprintf("nothing that is kept of %s has %s", p.a.Name, w))
}

// unknown is ErrUnknown in words of its own.
type unknown string

func (e unknown) Error() string        { return string(e) }
func (e unknown) Is(target error) bool { return target == ErrUnknown }

func (w Wanted) String() string {
	if w.Section != "" {
		return fmt.Sprintf("a section %q", w.Section)
	}
	return fmt.Sprintf("%q", w.Words)
}

// in finds the passage in a kept text.
func (w Wanted) in(in job.Input, k Kept) (from, to int, ok bool) {
	doc := in.Parse(vault.Doc{Path: k.File, Data: k.Data})
	if w.Section != "" {
		for _, s := range doc.Sections {
			if strings.EqualFold(strings.TrimSpace(s.Title), strings.TrimSpace(w.Section)) {
				return s.Start, s.End, true
			}
		}
		return 0, 0, false
	}
	want := note.Normal(w.Words)
	for _, b := range doc.Blocks {
		if b.Kind != note.Blank && want != "" && strings.Contains(note.Normal(string(doc.Raw(b))), want) {
			return b.Start, b.End, true
		}
	}
	return 0, 0, false
}

package fleet

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
)

// UnfitError: the baselines are not the approved ones, so they must not be used.
type UnfitError struct {
	Findings []finding.Finding
	Because  finding.Finding // the one that decides
}

func (e *UnfitError) Error() string { return e.Because.Text }

// Unwrap makes it a refusal.
func (e *UnfitError) Unwrap() error { return vault.ErrRefused }

// Guarded returns a snapshot of the files that have baselines, with the approved texts. unfit returns the finding that
// forbids using the baselines, or nil.
func (f *Files) Guarded(ctx context.Context, unfit func(found []finding.Finding, approved int) *finding.Finding) (s Snapshot, err error) {
	texts, found, err := f.baselines.Check()
	if err != nil {
		return s, err
	}
	if x := unfit(found, len(texts)); x != nil {
		return s, &UnfitError{found, *x}
	}
	s.Input = f.Empty()
	s.Guarded, s.Newest, err = f.readGuarded(ctx, texts)
	return s, err
}

// readGuarded reads the files that have baselines, and returns when the newest changed.
func (f *Files) readGuarded(ctx context.Context, texts map[vault.Path]job.Guarded) ([]job.Guarded, time.Time, error) {
	var newest time.Time
	files := make([]job.Guarded, 0, len(texts))
	promoted := sync.OnceValues(f.tally.Promoted) // only a file that differs from its baseline needs it
	for _, b := range f.agent.Baselines {         // in the configuration's order
		p := vault.Path(b.File)
		if _, approved := texts[p]; !approved {
			continue
		}
		doc, err := f.vault.Read(ctx, p)
		if errors.Is(err, vault.ErrAbsent) {
			doc, err = vault.Doc{Path: p}, f.fatalError(ctx, err)
		}
		if _, large := TooLarge(err); large {
			doc, err = f.vault.Head(ctx, p, headOf(texts[p].Baseline))
		} else if errors.Is(err, vault.ErrRefused) || errors.Is(err, syscall.ENOTDIR) {
			doc, err = vault.Doc{Path: p}, nil // not a file: the reset sets it aside and creates one
		}
		if err != nil {
			return nil, newest, err
		}
		if doc.ModTime.After(newest) {
			newest = doc.ModTime
		}
		g := texts[p]
		g.Doc = doc
		if g.Former, err = f.baselines.formerText(g); err != nil {
			return nil, newest, err
		}
		if !bytes.Equal(doc.Data, g.Baseline) {
			if g.Promoted, err = promoted(); err != nil {
				return nil, newest, err
			}
		}
		files = append(files, g)
	}
	return files, newest, nil
}

// headOf is how much of a file that is too large is read to compare it with its baseline.
func headOf(baseline []byte) int { return 2*len(baseline) + 64<<10 }

// TooLarge returns the finding for a file above the read limit.
func TooLarge(err error) (finding.Finding, bool) {
	if err == nil {
		return finding.Finding{}, false
	}
	var large *vault.TooLargeError
	var at *vault.PathError
	if !errors.As(err, &large) || !errors.As(err, &at) {
		return finding.Finding{}, false
	}
	return finding.FileTooLarge.In(string(at.Path), "%v", large), true
}

package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"

	"tend/internal/finding"
	"tend/internal/plan"
	"tend/internal/vault"
)

// recover puts right what an action left that never came to its end. If it had
// changed nothing it is taken back; otherwise the rest of it is done, as far as
// the files still are what it expected. Doing this twice is the same as once.
func (s *Session) recover(ctx context.Context) error {
	if s.tail.last == nil || s.tail.last.State != Intent {
		return nil
	}
	rec := *s.tail.last
	fail := func(err error) error {
		return fmt.Errorf("recover action %s of %s: %w", rec.ID, s.l.Agent, err)
	}
	if len(rec.Retired) > 0 {
		if err := s.retire(ctx, rec); err != nil {
			return fail(err)
		}
		_, err := s.complete(rec, Record{ID: rec.ID, State: Finished}, nil)
		return err
	}
	fates, applied, err := s.inspect(ctx, rec)
	if err != nil {
		return fail(err)
	}
	if !applied {
		if err := s.l.vault.Sync(ctx); err != nil {
			return fail(err)
		}
		if err := s.takeBack(ctx, rec, nil); err != nil {
			return fail(err)
		}
		s.Recovered = append(s.Recovered, finding.Recovered.In("", "%s (action %s) had been cut off before it changed anything: taken back", rec.Job, rec.ID))
		return nil
	}
	end := Record{ID: rec.ID, State: Finished, Files: make([]File, len(rec.Files))}
	for i, f := range fates {
		end.Files[i] = File{Path: rec.Files[i].Path, Kept: f.kept, Was: f.was, Skipped: f.skipped}
		if f.late != nil {
			name, err := s.archiveLate(rec, i, f.late, nil)
			if err != nil {
				return fail(err)
			}
			end.Archives = append(end.Archives, name)
		}
		if !f.todo {
			continue
		}
		kept, skipped, err := s.finish(ctx, rec, i)
		if err != nil {
			return fail(err)
		}
		end.Files[i].Kept, end.Files[i].Skipped = kept, skipped
	}
	if err := s.l.vault.Sync(ctx); err != nil {
		return fail(err)
	}
	found := []finding.Finding{finding.Recovered.In("", "%s (action %s) had been cut off half-way: finished", rec.Job, rec.ID)}
	if _, err := s.complete(rec, end, found); err != nil {
		return fail(err)
	}
	return nil
}

// fate is what became of one file of a cut-off action.
type fate struct {
	applied bool
	todo    bool // still as it was before
	skipped bool // neither: somebody else has changed it
	kept    string
	was     vault.Version
	late    []byte // displaced text that no archive of the action has
}

// inspect looks at every file, brings displaced text to the trash and drops
// what is Tend's own.
func (s *Session) inspect(ctx context.Context, rec Record) ([]fate, bool, error) {
	l := s.l
	paths := make([]vault.Path, len(rec.Files))
	for i, f := range rec.Files {
		paths[i] = f.Path
	}
	kept, err := l.vault.Kept(ctx, rec.ID, paths)
	if err != nil {
		return nil, false, err
	}
	bySlot := make([][]vault.Kept, len(rec.Files))
	for _, k := range kept {
		bySlot[k.Slot] = append(bySlot[k.Slot], k)
	}
	fates := make([]fate, len(rec.Files))
	any := false
	for i, f := range rec.Files {
		doc, err := l.vault.Read(ctx, f.Path)
		if err != nil && !errors.Is(err, vault.ErrAbsent) {
			return nil, false, err
		}
		if f.Op == plan.Append {
			fates[i] = appendFate(f, doc)
		} else if fates[i], err = s.fateOf(ctx, f, doc, bySlot[i]); err != nil {
			return nil, false, err
		}
		if fates[i].applied && f.Force && fates[i].was != "" && fates[i].was != f.Before {
			for _, k := range bySlot[i] {
				if k.Version == fates[i].was {
					fates[i].late = k.Data
				}
			}
		}
		any = any || fates[i].applied
	}
	return fates, any, nil
}

func appendFate(f File, doc vault.Doc) fate {
	if doc.Version == f.Before {
		return fate{todo: true}
	}
	rest := doc.Data[min(f.Edit.At, len(doc.Data)):]
	switch {
	case bytes.Contains(rest, f.Edit.Text):
		return fate{applied: true}
	case len(rest) > 0 && torn(rest, f.Edit.Text) && vault.VersionOf(doc.Data[:f.Edit.At]) == f.Before:
		return fate{applied: true, todo: true} // half of it is there
	}
	return fate{skipped: true}
}

// fateOf decides for a file that was to be swapped. Before a swap the file is
// what it was and the temporary name has our text, perhaps torn; after it the
// temporary name has what was displaced, whole.
func (s *Session) fateOf(ctx context.Context, f File, doc vault.Doc, kept []vault.Kept) (fate, error) {
	var ft fate
	ours, known := s.after(f, doc, kept)
	for _, k := range kept {
		if k.InTrash {
			ft.applied, ft.kept, ft.was = true, vault.KeptName(s.tail.last.ID, k.Slot, k.Path), k.Version
		}
	}
	for _, k := range kept {
		if k.InTrash {
			continue
		}
		mine := false // the text at the temporary name is Tend's, not displaced
		switch {
		case ft.kept != "":
			// On another file system the displaced inode stays beside the file, its
			// text copied, until it is swept.
			continue
		case f.Op == plan.Remove:
		case f.Before == vault.Absent:
			mine = true
			ft.applied = doc.Version == f.After
		case k.Version == f.After && doc.Version != f.After:
			mine = true
		case doc.Version == f.After || k.Version == f.Before && doc.Version != f.Before:
		case doc.Version == f.Before:
			mine = true
		case known:
			mine = torn(k.Data, ours)
		}
		if err := s.l.vault.Settle(ctx, k, !mine); err != nil {
			return ft, err
		}
		if !mine {
			ft.applied, ft.kept, ft.was = true, vault.KeptName(s.tail.last.ID, k.Slot, k.Path), k.Version
		}
	}
	switch {
	case ft.applied:
	case doc.Version == f.Before:
		ft.todo = true
	case f.Before == vault.Absent && doc.Version == f.After:
		ft.applied = true
	case f.Op == plan.Remove && doc.Version == vault.Absent:
		ft.skipped = true
	default:
		ft.skipped = true
	}
	if ft.was == f.Before {
		ft.was = ""
	}
	return ft, nil
}

// after is the text an action meant to write, if it can be known.
func (s *Session) after(f File, doc vault.Doc, kept []vault.Kept) ([]byte, bool) {
	candidates := [][]byte{doc.Data}
	for _, k := range kept {
		candidates = append(candidates, k.Data)
	}
	for _, old := range candidates {
		if text, err := s.l.textAfter(f, old); err == nil {
			return text, true
		}
	}
	return nil, false
}

// torn reports whether a text may be what a crash left of want: some of its
// bytes, the others never written.
func torn(text, want []byte) bool {
	if len(text) > len(want) {
		return false
	}
	for i, b := range text {
		if b != want[i] && b != 0 {
			return false
		}
	}
	return true
}

// finish does one file's part of an action that others of its files had already seen.
func (s *Session) finish(ctx context.Context, rec Record, slot int) (kept string, skipped bool, err error) {
	l, f := s.l, rec.Files[slot]
	doc, err := l.vault.Read(ctx, f.Path)
	if err != nil && !errors.Is(err, vault.ErrAbsent) {
		return "", false, err
	}
	c := plan.Change{Path: f.Path, Op: f.Op, Before: doc.Version, Old: doc.Data}
	switch {
	case f.Op == plan.Remove:
	case f.Op == plan.Append && doc.Version == f.Before:
		return "", false, l.vault.Append(ctx, f.Path, f.Edit.Text)
	case f.Op == plan.Append:
		c.Op, c.New = plan.Write, append(bytes.Clone(doc.Data[:f.Edit.At]), f.Edit.Text...)
	default:
		if c.New, err = l.textAfter(f, doc.Data); err != nil {
			return "", false, err
		}
	}
	st, err := l.vault.Stage(ctx, vaultChange(rec.ID, slot, c))
	if err == nil {
		if err = l.vault.Sync(ctx); err != nil {
			return "", false, errors.Join(err, st.Discard(ctx))
		}
		var d vault.Displaced
		if d, err = st.Commit(ctx); err == nil && d.Kept != "" {
			return path.Base(d.Kept), false, nil
		}
	}
	if errors.Is(err, vault.ErrChanged) {
		return "", true, nil
	}
	return "", false, err
}

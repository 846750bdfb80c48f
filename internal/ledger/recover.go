package ledger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	if err := s.settle(ctx, rec); err != nil {
		return fmt.Errorf("recover action %s of %s: %w", rec.ID, s.l.Agent, err)
	}
	return nil
}

func (s *Session) settle(ctx context.Context, rec Record) error {
	if err := s.renew(); err != nil {
		return err
	}
	// What moves Tend's own files is simply done once more.
	var again func(context.Context, Record) error
	switch {
	case len(rec.Retired) > 0:
		again = s.retire
	case len(rec.Returned) > 0:
		again = s.giveBack
	case len(rec.Discarded) > 0:
		again = s.discard
	}
	if again != nil {
		if err := again(ctx, rec); err != nil {
			return err
		}
		_, err := s.complete(ctx, rec, Record{ID: rec.ID, State: Finished}, nil)
		return err
	}
	fates, applied, err := s.inspect(ctx, rec)
	if err != nil {
		return err
	}
	for _, f := range rec.Files {
		if err := s.l.vault.Harden(ctx, f.place()); err != nil {
			return err
		}
	}
	if !applied {
		if err := s.takeBack(ctx, rec, Record{}); err != nil {
			return err
		}
		s.Recovered = append(s.Recovered, finding.Recovered.In("", "%s (action %s) had been cut off before it changed anything: taken back", rec.Job, rec.ID))
		return nil
	}
	found := []finding.Finding{finding.Recovered.In("", "%s (action %s) had been cut off half-way: finished", rec.Job, rec.ID)}
	end := Record{ID: rec.ID, State: Finished, Files: make([]File, len(rec.Files))}
	for i, f := range fates {
		if f.late != nil {
			name, err := s.archiveLate(rec, i, f.late, nil)
			if err != nil {
				return err
			}
			end.Archives = append(end.Archives, name)
			found = append(found, finding.LateWrite.In(string(rec.Files[i].Path), "written to while it was replaced; the text is in %s", name))
		}
		if f.todo {
			if err := s.finish(ctx, rec, i, &f); err != nil {
				return err
			}
		}
		if f.barred != nil {
			found = append(found, finding.Recovered.In(string(rec.Files[i].Path), "%s: left alone: %v", rec.Job, f.barred))
		}
		end.Files[i] = File{Path: rec.Files[i].Path, Kept: f.kept, KeptSize: f.size, Was: f.was, Attr: f.attr, Skipped: f.skipped}
	}
	if err := s.l.vault.Sync(ctx); err != nil {
		return err
	}
	_, err = s.complete(ctx, rec, end, found)
	return err
}

// fate is what became of one file of a cut-off action.
type fate struct {
	applied bool
	todo    bool // still as it was before, or not surely as it should be
	skipped bool // neither: somebody else has changed it
	kept    string
	size    int         // of what is kept
	attr    *vault.Attr // of a file that was removed
	was     vault.Version
	late    []byte // displaced text that no archive of the action has
	barred  error  // why the file could not be looked at
}

// inspect looks at every file, brings displaced text to the trash and drops
// what is Tend's own.
func (s *Session) inspect(ctx context.Context, rec Record) ([]fate, bool, error) {
	l := s.l
	kept, err := l.vault.Kept(ctx, rec.ID, places(rec))
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
		doc, barred, err := s.standing(ctx, f)
		if err != nil {
			return nil, false, err
		}
		if fates[i], err = s.fateOf(ctx, f, doc, bySlot[i]); err != nil {
			return nil, false, err
		}
		if barred != nil {
			fates[i].todo, fates[i].skipped, fates[i].barred = false, !fates[i].applied, barred
		}
		any = any || fates[i].applied
	}
	return fates, any, nil
}

// read reads a file; of one that is too large only its version.
func (l *Ledger) read(ctx context.Context, p vault.Path) (vault.Doc, error) {
	doc, err := l.vault.Read(ctx, p)
	var large *vault.TooLargeError
	if errors.As(err, &large) {
		doc, err = l.vault.Head(ctx, p, 0)
	}
	return doc, err
}

// standing is the file of a cut-off action as it is now. barred says why it cannot be
// looked at, if something the agent put there is in the way: that must not keep the
// recovery from its end.
func (s *Session) standing(ctx context.Context, f File) (doc vault.Doc, barred, err error) {
	doc, err = s.l.read(ctx, cmp.Or(f.At, f.Path))
	switch {
	case err == nil, errors.Is(err, vault.ErrAbsent):
		return doc, nil, nil
	case vault.Blocked(err):
		return vault.Doc{}, err, nil
	}
	return doc, nil, err
}

// fateOf decides for one file. Before a swap the file is what it was and the
// temporary name has our text, perhaps torn; after it the temporary name has
// what was displaced, whole.
func (s *Session) fateOf(ctx context.Context, f File, doc vault.Doc, kept []vault.Kept) (fate, error) {
	var ft fate
	ours, known := s.after(f, doc, kept)
	displaced := func(k vault.Kept) {
		ft.applied, ft.kept, ft.size = true, k.KeptName(), len(k.Data)
		if f.Op == plan.Remove {
			ft.attr = &k.Attr
		}
		if k.Version != f.Before {
			ft.was = k.Version
			if f.Op != plan.Append {
				ft.late = k.Data
			}
		}
	}
	for _, k := range kept {
		if k.Odd != "" {
			// No text of anybody's: whether the swap was made shows at the file.
			if err := s.settleOne(ctx, k, true); err != nil {
				return ft, err
			}
			continue
		}
		if k.InTrash {
			displaced(k)
			continue
		}
		if ft.kept != "" && k.KeptName() == ft.kept {
			// On another file system the displaced inode stays beside the file, its
			// text copied, until it is swept.
			if ft.attr != nil {
				ft.attr = &k.Attr
			}
			continue
		}
		mine := false // the text is Tend's, or is at the file's own name too
		switch {
		case f.Op == plan.Remove:
		case f.Op == plan.Append:
			// Only an earlier recovery swaps such a file, see finish.
			mine = !added(f, doc) && known && !k.Large && torn(k.Data, ours)
		case f.Before == vault.Absent:
			mine = true // linked, not swapped: it displaces nothing
		case k.Version == doc.Version:
			mine = true
		case doc.Version == f.After:
		case k.Version == f.After:
			mine = true
		case k.Version == f.Before:
		default:
			mine = known && !k.Large && torn(k.Data, ours)
		}
		if err := s.settleOne(ctx, k, !mine); err != nil {
			return ft, err
		}
		if !mine {
			displaced(k)
		}
	}
	switch {
	case ft.applied:
	case f.Op == plan.Append:
		ft = appendFate(f, doc)
	case doc.Version == f.Before:
		ft.todo = true
	case f.Op == plan.Write && doc.Version == f.After, f.Op == plan.Remove && doc.Version == vault.Absent:
		ft.applied = true // and somebody took what it displaced, if there was anything
	default:
		ft.skipped = true
	}
	return ft, nil
}

// appendFate decides for a file that was to be added to in place. Text that is
// there is to be written once more: it may never have been synced, or the disk
// may have failed to, after which no sync of that file can be trusted.
func appendFate(f File, doc vault.Doc) fate {
	at := min(f.Edit.At, len(doc.Data))
	switch {
	case doc.Version == f.Before:
		return fate{todo: true}
	case added(f, doc):
		return fate{applied: true, todo: true}
	case doc.Version != vault.Absent && torn(doc.Data[at:], f.Edit.Text) && startsAs(doc.Data[:at], f.Before):
		return fate{applied: true, todo: true} // half of it is there
	}
	return fate{skipped: true}
}

// added reports whether a file has the text that was to be added.
func added(f File, doc vault.Doc) bool {
	return bytes.Contains(doc.Data[min(f.Edit.At, len(doc.Data)):], f.Edit.Text)
}

// startsAs reports whether this is the text a file had before it was added to.
func startsAs(head []byte, before vault.Version) bool {
	return vault.VersionOf(head) == before || before == vault.Absent && len(head) == 0
}

// after is the text an action meant to write, if it can be known.
func (s *Session) after(f File, doc vault.Doc, kept []vault.Kept) ([]byte, bool) {
	candidates := [][]byte{doc.Data}
	for _, k := range kept {
		candidates = append(candidates, k.Data)
	}
	for _, old := range candidates {
		if f.Op == plan.Append {
			old = old[:min(len(old), f.Edit.At)]
		}
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
func (s *Session) finish(ctx context.Context, rec Record, slot int, ft *fate) error {
	l, f := s.l, rec.Files[slot]
	doc, barred, err := s.standing(ctx, f)
	if err != nil {
		return err
	}
	if barred != nil {
		ft.skipped, ft.barred = true, barred
		return nil
	}
	c := plan.Change{Path: f.Path, Op: f.Op, Before: doc.Version, Old: doc.Data}
	switch {
	case f.Op == plan.Append && added(f, doc):
		c.Op, c.New = plan.Write, doc.Data
	case f.Op == plan.Append && f.Edit.At <= len(doc.Data) && startsAs(doc.Data[:f.Edit.At], f.Before):
		c.Op, c.New = plan.Write, append(bytes.Clone(doc.Data[:f.Edit.At]), f.Edit.Text...)
		if since := doc.Data[f.Edit.At:]; !torn(since, f.Edit.Text) {
			c.New = append(c.New, since...) // somebody has added to it meanwhile
		}
	case f.Op == plan.Append:
		ft.skipped = true
		return nil
	case f.Op == plan.Write:
		if c.New, err = l.textAfter(f, doc.Data); err != nil {
			return err
		}
	}
	st, err := l.vault.Stage(ctx, vaultChange(rec, slot, c))
	if err == nil {
		if err = l.vault.Sync(ctx); err != nil {
			return err
		}
		var d vault.Displaced
		d, err = st.Commit(ctx)
		if d.Odd != "" {
			s.Recovered = append(s.Recovered, setAside(f.Path, d.Odd, d.Aside))
		}
		if err == nil && d.Kept != "" {
			ft.kept, ft.size = path.Base(d.Kept), len(d.Data)
			if f.Op == plan.Remove {
				ft.attr = &d.Attr
			}
			if d.Version != f.Before {
				ft.was = d.Version
			}
		}
	}
	switch {
	case errors.Is(err, vault.ErrChanged):
		ft.skipped, err = true, nil
	case vault.Blocked(err), errors.Is(err, vault.ErrAbsent), errors.Is(err, fs.ErrExist):
		// The agent is quicker: what it left under our names is swept.
		ft.skipped, ft.barred, err = true, err, nil
	}
	return err
}

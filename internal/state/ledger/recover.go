package ledger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/plan"
)

// endInterrupted ends an action that was interrupted. If it had changed nothing it is rolled
// back; otherwise the rest of it is done, as far as the files are still what it
// expected. It is idempotent.
func (s *Session) endInterrupted(ctx context.Context) error {
	if s.tail.last == nil || s.tail.last.State != Intent {
		return nil
	}
	rec := *s.tail.last
	if err := s.resolveIntent(ctx, rec); err != nil {
		return fmt.Errorf("recover action %s of %s: %w", rec.ID, s.l.Agent, err)
	}
	return nil
}

func (s *Session) resolveIntent(ctx context.Context, rec Record) error {
	if err := s.rewriteNewest(); err != nil {
		return err
	}
	// Moves of Tend's own files are simply repeated.
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
		_, err := s.writeEnd(ctx, rec, Record{ID: rec.ID, State: Finished}, nil)
		return err
	}
	fates, applied, err := s.inspectFiles(ctx, rec)
	if err != nil {
		return err
	}
	for _, f := range rec.Files {
		if err := s.l.vault.Harden(ctx, f.target()); err != nil {
			return err
		}
	}
	if !applied {
		if err := s.takeBack(ctx, rec, Record{}); err != nil {
			return err
		}
		s.Recovered = append(s.Recovered,
			finding.Recovered.In("", "%s (action %s) was interrupted before it changed anything: rolled back", rec.Job, rec.ID))
		return nil
	}
	found := []finding.Finding{finding.Recovered.In("", "%s (action %s) was interrupted half-way: finished", rec.Job, rec.ID)}
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
			if err := s.finishFile(ctx, rec, i, &f); err != nil {
				return err
			}
		}
		if f.blocked != nil {
			found = append(found, finding.Recovered.In(string(rec.Files[i].Path), "%s: left alone: %v", rec.Job, f.blocked))
		}
		end.Files[i] = File{Path: rec.Files[i].Path, Trash: f.trash, TrashSize: f.size, Was: f.was, Attr: f.attr, Skipped: f.skipped}
	}
	if err := s.l.vault.Sync(ctx); err != nil {
		return err
	}
	_, err = s.writeEnd(ctx, rec, end, found)
	return err
}

// fileState is the state of one file of an interrupted action.
type fileState struct {
	applied bool
	todo    bool // unchanged, or not certain to be durable
	skipped bool // another writer has changed it
	trash   string
	size    int         // of the kept file
	attr    *vault.Attr // of a removed file
	was     vault.Version
	late    []byte // displaced text that is in no archive of the action
	blocked error  // why the file could not be read
}

// inspectFiles determines the state of every file, moves displaced text to the trash and
// deletes Tend's own.
func (s *Session) inspectFiles(ctx context.Context, rec Record) ([]fileState, bool, error) {
	l := s.l
	kept, err := l.vault.FindDisplaced(ctx, rec.ID, targetsOf(rec))
	if err != nil {
		return nil, false, err
	}
	bySlot := make([][]vault.Found, len(rec.Files))
	for _, k := range kept {
		bySlot[k.Slot] = append(bySlot[k.Slot], k)
	}
	fates := make([]fileState, len(rec.Files))
	any := false
	for i, f := range rec.Files {
		doc, blocked, err := s.readCurrent(ctx, f)
		if err != nil {
			return nil, false, err
		}
		if fates[i], err = s.fateOf(ctx, f, doc, bySlot[i]); err != nil {
			return nil, false, err
		}
		if blocked != nil {
			fates[i].todo, fates[i].skipped, fates[i].blocked = false, !fates[i].applied, blocked
		}
		any = any || fates[i].applied
	}
	return fates, any, nil
}

// read reads a file, or only its version if it is too large.
func (l *Ledger) read(ctx context.Context, p vault.Path) (vault.Doc, error) {
	doc, err := l.vault.Read(ctx, p)
	var large *vault.TooLargeError
	if errors.As(err, &large) {
		doc, err = l.vault.Head(ctx, p, 0)
	}
	return doc, err
}

// readCurrent reads a file of an interrupted action. blocked is the error if something the
// agent put there prevents that; it must not stop the recovery.
func (s *Session) readCurrent(ctx context.Context, f File) (doc vault.Doc, blocked, err error) {
	if at := cmp.Or(f.At, f.Path); s.l.accepts != nil && !s.l.accepts(at) {
		return vault.Doc{}, fmt.Errorf("%s is not memory: %w", at, vault.ErrRefused), nil
	}
	doc, err = s.l.read(ctx, cmp.Or(f.At, f.Path))
	switch {
	case err == nil, errors.Is(err, vault.ErrAbsent):
		return doc, nil, nil
	case vault.Blocked(err):
		return vault.Doc{}, err, nil
	}
	return doc, nil, err
}

// fateOf determines the state of one file. Before a swap the file is unchanged and the
// temporary name has our text, possibly torn; after it the temporary name has the
// displaced text, complete.
func (s *Session) fateOf(ctx context.Context, f File, doc vault.Doc, kept []vault.Found) (fileState, error) {
	var ft fileState
	ours, known := s.meantText(f, doc, kept)
	displaced := func(k vault.Found) {
		ft.applied, ft.trash, ft.size = true, k.TrashName(), len(k.Data)
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
			// Not a text. The file itself shows whether the swap was made.
			if err := s.cleanUpOne(ctx, k, true); err != nil {
				return ft, err
			}
			continue
		}
		if k.InTrash {
			displaced(k)
			continue
		}
		if ft.trash != "" && k.TrashName() == ft.trash {
			// The trash is on another file system: the displaced inode stays beside the
			// file, with its text copied, until it is swept.
			if ft.attr != nil {
				ft.attr = &k.Attr
			}
			continue
		}
		mine := false // the text is Tend's, or the file has the same text
		switch {
		case f.Op == plan.Remove:
		case f.Op == plan.Append:
			// Only an earlier recovery swaps such a file, see finish.
			mine = !hasAdded(f, doc) && known && !k.Large && partialWrite(k.Data, ours)
		case f.Before == vault.Absent:
			mine = true // linked, not swapped: nothing was displaced
		case k.Version == doc.Version:
			mine = true
		case doc.Version == f.After:
		case k.Version == f.After:
			mine = true
		case k.Version == f.Before:
		default:
			mine = known && !k.Large && partialWrite(k.Data, ours)
		}
		if err := s.cleanUpOne(ctx, k, !mine); err != nil {
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
		ft.applied = true // the displaced file, if any, was moved away by another program
	default:
		ft.skipped = true
	}
	return ft, nil
}

// appendFate determines the state of a file to be appended to in place. Text that is
// there is written once more: it may never have been synced, or the sync failed, after
// which no sync of that file can be trusted.
func appendFate(f File, doc vault.Doc) fileState {
	at := min(f.Edit.At, len(doc.Data))
	switch {
	case doc.Version == f.Before:
		return fileState{todo: true}
	case hasAdded(f, doc):
		return fileState{applied: true, todo: true}
	case doc.Version != vault.Absent && partialWrite(doc.Data[at:], f.Edit.Text) && startsAs(doc.Data[:at], f.Before):
		return fileState{applied: true, todo: true} // a part of it is there
	}
	return fileState{skipped: true}
}

// hasAdded reports whether a file has the text to be added.
func hasAdded(f File, doc vault.Doc) bool {
	return bytes.Contains(doc.Data[min(f.Edit.At, len(doc.Data)):], f.Edit.Text)
}

// startsAs reports whether head is the text a file had before the append.
func startsAs(head []byte, before vault.Version) bool {
	return vault.VersionOf(head) == before || before == vault.Absent && len(head) == 0
}

// meantText returns the text an action meant to write, if known.
func (s *Session) meantText(f File, doc vault.Doc, kept []vault.Found) ([]byte, bool) {
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

// partialWrite reports whether a text may be what a crash left of want: a part of its
// bytes, with zeros for those not written.
func partialWrite(text, want []byte) bool {
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

// finishFile carries out one file's part of an interrupted action.
func (s *Session) finishFile(ctx context.Context, rec Record, slot int, ft *fileState) error {
	l, f := s.l, rec.Files[slot]
	doc, blocked, err := s.readCurrent(ctx, f)
	if err != nil {
		return err
	}
	if blocked != nil {
		ft.skipped, ft.blocked = true, blocked
		return nil
	}
	c := plan.Change{Path: f.Path, Op: f.Op, Before: doc.Version, Old: doc.Data}
	switch {
	case f.Op == plan.Append && hasAdded(f, doc):
		c.Op, c.New = plan.Write, doc.Data
	case f.Op == plan.Append && f.Edit.At <= len(doc.Data) && startsAs(doc.Data[:f.Edit.At], f.Before):
		c.Op, c.New = plan.Write, append(bytes.Clone(doc.Data[:f.Edit.At]), f.Edit.Text...)
		if since := doc.Data[f.Edit.At:]; !partialWrite(since, f.Edit.Text) {
			c.New = append(c.New, since...) // another writer has appended meanwhile
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
		if err == nil && d.Trash != "" {
			ft.trash, ft.size = path.Base(d.Trash), len(d.Data)
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
		// The agent was faster: Sweep removes what is left under our names.
		ft.skipped, ft.blocked, err = true, err, nil
	}
	return err
}

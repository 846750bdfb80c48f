package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// Apply carries out a plan as one action.
//
// The intent, the archives and the new texts are durable before the first file
// changes; then the files change one by one, each in a single step, and the displaced
// files go to the trash. If anything fails before the first change, nothing has
// happened. If it fails later, the next session finishes the action. Apply fails with
// vault.ErrChanged if a file is not at the version the plan was made for.
func (s *Session) Apply(ctx context.Context, p plan.Plan) (Action, error) {
	rec, err := s.recordIntent(ctx, p, func(r *Record) {})
	if err != nil {
		return Action{}, err
	}
	act, err := s.carryOut(ctx, rec, p)
	if err = s.reportToStore(err); err != nil {
		return Action{}, fmt.Errorf("%s of %s: %w", p.Job, s.l.Agent, err)
	}
	return act, nil
}

// intentOf returns the record for a plan. It fails if a path cannot be changed as a file.
func (s *Session) intentOf(ctx context.Context, p plan.Plan) (Record, error) {
	before := ""
	if s.tail.last != nil {
		before = s.tail.last.ID
	}
	now := s.l.clock()
	rec := Record{
		ID: actid.Next(now, before), State: Intent, At: now.In(s.l.zone), Who: s.who,
		Job: p.Job, Reason: p.Reason, Summary: p.Summary, Undoes: p.Undoes,
		Receipts: p.Receipts, Sources: p.Sources, Judges: p.Judges,
	}
	for _, c := range p.Changes {
		at, err := s.l.vault.Find(ctx, c.Path, c.Force)
		if err != nil {
			return rec, err
		}
		f := File{Path: c.Path, At: at.At, Op: c.Op, Before: c.Before, From: c.From, Force: c.Force, Why: c.Why, Like: c.Like}
		if f.Like == nil && c.Op == plan.Write && c.Before == vault.Absent {
			if f.Like, err = s.inheritAttr(ctx, p, c); err != nil {
				return rec, err
			}
		}
		after := c.New
		switch c.Op {
		case plan.Append:
			after = append(bytes.Clone(c.Old), c.New...)
			f.Edit = &Edit{At: len(c.Old), Text: c.New}
		case plan.Write:
			if c.From == "" {
				e := note.Trim(c.Old, c.New)
				f.Edit = &Edit{At: e.At, Cut: e.Cut, Text: []byte(e.Text)}
			}
		case plan.Remove:
			rec.Files = append(rec.Files, f)
			continue
		}
		f.After, f.Size = vault.VersionOf(after), len(after)
		rec.Files = append(rec.Files, f)
	}
	for n, a := range p.Archives {
		rec.Archives = append(rec.Archives, s.l.Archive.Name(rec.ID, rec.At, n, a))
		rec.Sums = append(rec.Sums, vault.VersionOf(s.l.Archive.Render(rec.ID, rec.At, a)))
	}
	return rec, nil
}

// inheritAttr returns the attributes of a new file that replaces another one: a file that
// the plan removes and that has the same text, because such a plan is a move, or, for a
// restore, the file that had the name before it was removed.
func (s *Session) inheritAttr(ctx context.Context, p plan.Plan, c plan.Change) (*vault.Attr, error) {
	for _, r := range p.Changes {
		if r.Op != plan.Remove || !bytes.Equal(r.Old, c.New) {
			continue
		}
		attr, err := s.l.vault.Attr(ctx, r.Path)
		if errors.Is(err, vault.ErrAbsent) || vault.Blocked(err) {
			return nil, nil
		}
		return attr, err
	}
	if p.Job != "restore" {
		return nil, nil
	}
	for a, err := range s.l.Actions() {
		if err != nil {
			return nil, err
		}
		for _, f := range a.Files {
			if f.Path == c.Path && f.Attr != nil {
				return f.Attr, nil
			}
		}
	}
	return nil, nil
}

// carryOut does what the intent says.
func (s *Session) carryOut(ctx context.Context, rec Record, p plan.Plan) (Action, error) {
	l := s.l
	staged := make([]*vault.Staged, len(p.Changes))
	err := func() error {
		for n, a := range p.Archives {
			name := path.Join(l.Archive.Dir, rec.Archives[n])
			if err := vault.WriteNew(l.Archive.Tree, l.dur, name, l.Archive.Render(rec.ID, rec.At, a), 0o600); err != nil {
				return fmt.Errorf("write archive: %w", err)
			}
			l.countGrowth(len(a.Text))
		}
		for i, c := range p.Changes {
			if c.Op == plan.Append {
				continue
			}
			var err error
			if staged[i], err = l.vault.Stage(ctx, vaultChange(rec, i, c)); err != nil {
				return err
			}
		}
		return nil
	}()
	if err != nil {
		return Action{}, errors.Join(err, s.takeBack(ctx, rec, Record{}))
	}
	if err := l.vault.Sync(ctx); err != nil {
		// The disk may not have taken the intent itself. It stays open: the next
		// session writes it again and rolls it back.
		return Action{}, err
	}

	end := Record{ID: rec.ID, State: Done, Files: make([]File, len(rec.Files))}
	var found []finding.Finding
	for i, c := range p.Changes {
		end.Files[i].Path = c.Path
		if c.Op == plan.Append {
			err := l.vault.Append(ctx, c.Path, c.New)
			if errors.Is(err, vault.ErrShared) {
				end.Files[i].Trash, end.Files[i].Was, err = s.appendByReplace(ctx, rec, i)
			}
			if errors.Is(err, vault.ErrChanged) && i == 0 {
				return Action{}, errors.Join(err, s.takeBack(ctx, rec, end))
			}
			if err != nil {
				return Action{}, err
			}
			continue
		}
		d, err := staged[i].Commit(ctx)
		if len(d.Stray) > 0 {
			late, ferr := s.archiveLate(rec, i, d.Stray, c.New)
			if ferr != nil {
				return Action{}, errors.Join(err, ferr)
			}
			end.Archives = append(end.Archives, late)
		}
		if d.Odd != "" {
			end.Files[i].Aside = d.Aside
			found = append(found, setAside(c.Path, d.Odd, d.Aside))
		}
		if errors.Is(err, vault.ErrChanged) && i == 0 {
			s.Recovered = append(s.Recovered, found...)
			return Action{}, errors.Join(err, s.takeBack(ctx, rec, end))
		}
		if errors.Is(err, vault.ErrChanged) {
			// Earlier changes stay: plans add text first and remove text last.
			end.Files[i].Skipped = true
			found = append(found, finding.Recovered.In(string(c.Path), "%s: changed meanwhile, left alone", p.Job))
			continue
		}
		if err != nil {
			return Action{}, err
		}
		if d.Trash != "" {
			end.Files[i].Trash = path.Base(d.Trash)
		}
		end.Files[i].TrashSize = len(d.Data)
		l.countGrowth(len(d.Data))
		if c.Op == plan.Remove && d.Trash != "" {
			end.Files[i].Attr = &d.Attr
		}
		switch {
		case d.Raced && d.Large:
			end.Files[i].Was = d.Version
			found = append(found, finding.LateWrite.In(string(c.Path),
				"written to while it was replaced, too large to archive: it stays in the trash as %s", path.Base(d.Trash)))
		case d.Raced && d.Trash != "":
			end.Files[i].Was = d.Version
			late, err := s.archiveLate(rec, i, d.Data, c.Old)
			if err != nil {
				return Action{}, err
			}
			end.Archives = append(end.Archives, late)
			found = append(found, finding.LateWrite.In(string(c.Path), "written to while it was replaced; the text is in %s", late))
		}
	}
	if err := l.vault.Sync(ctx); err != nil {
		return Action{}, err
	}
	return s.writeEnd(ctx, rec, end, found)
}

func (l *Ledger) countGrowth(n int) {
	if l.grown != nil {
		l.grown.Add(int64(n))
	}
}

// appendByReplace appends to a hard-linked file by writing a new one, so that the other links keep
// their content.
func (s *Session) appendByReplace(ctx context.Context, rec Record, slot int) (kept string, was vault.Version, err error) {
	for range 5 { // the agent may change it meanwhile
		var ft fileState
		if err := s.finishFile(ctx, rec, slot, &ft); err != nil || !ft.skipped {
			return ft.trash, ft.was, err
		}
	}
	return "", "", &vault.PathError{Op: "append to", Path: rec.Files[slot].Path, Err: vault.ErrChanged}
}

// writeEnd writes the end record. If files changed, it need not be durable: without
// it the next session finds everything in place and writes it again.
func (s *Session) writeEnd(ctx context.Context, rec, end Record, found []finding.Finding) (Action, error) {
	end.At, end.Job = s.l.clock().In(s.l.zone), rec.Job
	if s.promised != nil {
		end.At = rec.At // the committed time
	}
	unseen := len(rec.Files) == 0 && len(rec.Retired) == 0 && len(rec.Returned) == 0 && len(rec.Discarded) == 0
	err := s.append(end, unseen)
	if err == nil && unseen {
		err = s.l.vault.Sync(ctx)
	}
	if err != nil {
		return Action{}, fmt.Errorf("the files are changed, but the ledger's end record was not written: %w", err)
	}
	s.open = false
	s.Recovered = append(s.Recovered, found...)
	act := Action{Record: rec, Outcome: end.State, Ended: end.At}
	act.Archives = append(act.Archives, end.Archives...)
	for i := range end.Files {
		act.Files[i].copyEnd(end.Files[i])
	}
	return act, nil
}

// takeBack rolls back an action that has changed nothing. end may name archives that
// were written on the way and stay.
func (s *Session) takeBack(ctx context.Context, rec, end Record) error {
	// If anything fails the intent stays open, and the next session cleans up.
	if err := s.dropStaged(ctx, rec); err != nil {
		return err
	}
	if err := s.dropArchives(ctx, rec); err != nil {
		return err
	}
	// The names must be gone durably before the record says so.
	if err := s.l.vault.Sync(ctx); err != nil {
		return err
	}
	err := s.append(Record{ID: rec.ID, State: RolledBack, Job: rec.Job, At: s.l.clock().In(s.l.zone), Archives: end.Archives}, false)
	if err == nil {
		s.open = false
	}
	return err
}

// dropStaged removes staged files. It searches for them, because a call that
// reported an error may still have taken effect.
func (s *Session) dropStaged(ctx context.Context, rec Record) error {
	kept, err := s.l.vault.FindDisplaced(ctx, rec.ID, targetsOf(rec))
	if err != nil {
		return err
	}
	strays := map[int]bool{}
	for _, k := range kept {
		strays[k.Slot] = strays[k.Slot] || k.InTrash
	}
	for _, k := range kept {
		if strays[k.Slot] && k.Odd == "" {
			continue // the trash is on another file system: Sweep removes it once no writer has it open
		}
		if err := s.cleanUpOne(ctx, k, false); err != nil {
			return err
		}
	}
	return nil
}

// cleanUpOne cleans up a file found under an action's name, and reports anything but a file.
func (s *Session) cleanUpOne(ctx context.Context, k vault.Found, keep bool) error {
	aside, err := s.l.vault.CleanUp(ctx, k, keep)
	if err == nil && k.Odd != "" {
		s.Recovered = append(s.Recovered, setAside(k.Path, k.Odd, aside))
	}
	return err
}

// setAside is the finding about something found in the place of a file.
func setAside(p vault.Path, odd string, aside vault.Path) finding.Finding {
	if aside == "" {
		return finding.SetAside.In(string(p), "found %s in its place", odd)
	}
	return finding.SetAside.In(string(p), "found %s in its place; it is %s now", odd, aside)
}

// targetsOf returns the places of an action's files, by slot.
func targetsOf(rec Record) []vault.Target {
	list := make([]vault.Target, len(rec.Files))
	for i, f := range rec.Files {
		list[i] = f.target()
	}
	return list
}

// dropArchives moves the archives of an action that did not happen to the trash. The
// text is still in its file, or was a moment ago.
func (s *Session) dropArchives(ctx context.Context, rec Record) error {
	l := s.l
	for n, name := range rec.Archives {
		kept := path.Join(TrashPath(l.Agent), vault.TrashName(rec.ID, n, vault.Path(name)))
		if err := s.toTrash(ctx, path.Join(l.Archive.Dir, name), kept); err != nil && !isAbsent(err) {
			return err
		}
	}
	temps := slices.Clone(rec.Archives)
	for i := range rec.Files {
		temps = append(temps, l.lateName(rec, i))
	}
	for _, name := range temps {
		if err := l.Archive.Tree.Remove(path.Join(l.Archive.Dir, vault.TempPrefix+name)); err != nil && !isAbsent(err) {
			return err
		}
	}
	return l.dur.Dir(l.Archive.Tree, l.Archive.Dir)
}

// archiveLate stores text that was found where another was expected: the added part if
// it is an addition, else all of it. An archive that an earlier, interrupted attempt has
// written completely is kept as it is: the file may have changed since.
func (s *Session) archiveLate(rec Record, slot int, text, expected []byte) (string, error) {
	l := s.l
	if added, ok := bytes.CutPrefix(text, expected); ok {
		text = added
	}
	a := plan.Archive{
		File: rec.Files[slot].Path, Kind: "late", Text: text,
		Why: "Written while the file was being replaced.",
	}
	name := l.lateName(rec, slot)
	if old, err := l.Archive.Open(name); err == nil && old.Whole {
		return name, l.dur.Dir(l.Archive.Tree, l.Archive.Dir)
	}
	if err := vault.WriteOver(l.Archive.Tree, l.dur, path.Join(l.Archive.Dir, name), l.Archive.Render(rec.ID, rec.At, a), 0o600); err != nil {
		return "", fmt.Errorf("write archive: %w", err)
	}
	return name, nil
}

// lateName is the archive name for late text of one of an action's files.
func (l *Ledger) lateName(rec Record, slot int) string {
	return l.Archive.Name(rec.ID, rec.At, max(100, len(rec.Archives))+slot, plan.Archive{File: rec.Files[slot].Path})
}

func vaultChange(rec Record, slot int, c plan.Change) vault.Change {
	return vault.Change{
		ID: rec.ID, Slot: slot, Target: rec.Files[slot].target(), Data: c.New,
		Want: c.Before, Remove: c.Op == plan.Remove, Force: c.Force, Like: rec.Files[slot].Like,
	}
}

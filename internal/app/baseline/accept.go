package baseline

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/past"
	"tend/internal/model/finding"
	"tend/internal/model/usererr"
	"tend/internal/state/findinglog"
	"tend/internal/state/guard"
	"tend/internal/state/ledger"
	"tend/internal/text/note"
)

// Edit is a change of a guarded file that its operator can accept or restore.
type Edit struct {
	File     vault.Path
	Action   string // the restore-zone action that took it back; "" if the file still has it
	Baseline []byte
	Text     []byte        // the baseline that accepting it makes
	Version  vault.Version // of Text
}

// Diff shows what accepting the edit changes in the baseline.
func (e Edit) Diff() string {
	return udiff.Unified("approved", string(e.File), string(e.Baseline), string(e.Text))
}

// Edits lists the changes of guarded files: those that the files have now, and of the others the last one that the guard
// took back if the file was not changed since.
func Edits(ctx context.Context, a *fleet.Agent) (list []Edit, err error) {
	texts, err := a.Baselines.Approved()
	if err != nil {
		return nil, err
	}
	approvals, err := a.Guard.Approvals()
	if err != nil {
		return nil, err
	}
	for _, b := range a.Agent.Baselines {
		file := vault.Path(b.File)
		text, approved := texts[file]
		if !approved {
			continue
		}
		doc, err := a.Vault.Read(ctx, file)
		if err != nil && !errors.Is(err, vault.ErrAbsent) {
			return list, err
		}
		sep := a.LineOf(b.File, text)
		if z := note.Split(doc.Data, text, sep); err == nil && !job.ZoneIntact(z) {
			if made, ok := editOf(file, doc.Data, text, sep); ok {
				list = append(list, made)
			}
			continue
		}
		if made, ok := takenBack(a, file, text, doc.Version); ok && made.Version != approvals[file].Replaces {
			list = append(list, made)
		}
	}
	return list, nil
}

// offeredFor is how long a change that was taken back is offered.
const offeredFor = 30 * 24 * time.Hour

// takenBack finds the change that the last restore of a file took back, as long as the file is as that left it.
func takenBack(a *fleet.Agent, file vault.Path, baseline []byte, now vault.Version) (Edit, bool) {
	since := a.Now().Add(-offeredFor)
	for act, err := range a.Ledger.Actions() {
		if err != nil || act.At.Before(since) {
			break
		}
		i := slices.IndexFunc(act.Files, func(f ledger.File) bool { return f.Path == file })
		if i < 0 || act.Outcome != ledger.Done {
			continue
		}
		if act.Job != "restore-zone" || act.Files[i].After != now {
			return Edit{}, false
		}
		before, _, err := past.Open(a).Texts(act, i)
		if err != nil {
			return Edit{}, false
		}
		made, ok := editOf(file, before, baseline, a.LineOf(string(file), baseline))
		made.Action = act.ID
		return made, ok
	}
	return Edit{}, false
}

// editOf returns the baseline that a changed file would have: its text above the line, and what the baseline has below. A
// file without its line cannot be attributed to anyone.
func editOf(file vault.Path, text, baseline []byte, sep string) (Edit, bool) {
	z := note.Split(text, baseline, sep)
	switch {
	case len(bytes.TrimSpace(text)) == 0 || !z.Overwrite && !z.Marked:
		return Edit{}, false
	case z.Marked:
		_, end, _ := note.FindLine(baseline, sep)
		text = slices.Concat(z.Above(), baseline[end:])
	}
	return Edit{File: file, Baseline: baseline, Text: text, Version: vault.VersionOf(text)}, !bytes.Equal(text, baseline)
}

// Answered returns the ids of open notices that a decision about the change of a file answers.
func Answered(list []findinglog.Notice, file vault.Path) (ids []string) {
	for _, n := range findinglog.Open(list) {
		if n.File == string(file) && (n.Code == finding.Drift.Code || n.Code == finding.ZoneRestored.Code) {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// Accept makes a change the new baseline and approves it. The text that the person decided on must still be the one.
func (s Set) Accept(e Edit, req ApproveRequest) (row Row, err error) {
	one, err := s.Only(string(e.File))
	if err != nil {
		return row, err
	}
	b := one.List[0]
	_, found, err := s.Agent.Guard.Check(b, s.Approvals, s.minBytes())
	if err != nil {
		return row, err
	}
	if len(found) > 0 {
		return row, usererr.Refusef("`tend baseline approve` or `tend baseline restore` settles that first", "%s", found[0].Text)
	}
	if b, err = s.Agent.Baselines.WithFolder(b); err != nil {
		return row, err
	}
	if locked, _ := guard.Locked(b.Source); locked {
		if err := guard.Lock(b.Source, false); err != nil {
			return row, err
		}
		defer func() { err = errors.Join(err, guard.Lock(b.Source, true)) }()
	}
	if err := vault.WriteOver(b.Tree, vault.SyncEach{}, b.Name, e.Text, 0o644); err != nil {
		return row, err
	}
	rows, err := one.Approve(req)
	if err != nil { // the baseline is as it was approved
		return row, errors.Join(err, vault.WriteOver(b.Tree, vault.SyncEach{}, b.Name, e.Baseline, 0o644))
	}
	return rows[0], nil
}

package workcopy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/sync/journal"
)

// commit applies a plan under the agent's lock and describes what is left to push. It fails with vault.ErrChanged if
// the files have changed since the plan was made.
func (p *pull) commit(ctx context.Context, session *ledger.Session, pl plan.Plan) (act ledger.Action, err error) {
	if p.hasWork() {
		if act, err = p.applyPlan(ctx, session, pl); err == nil {
			err = p.adoptOthers(ctx, session)
		}
	} else {
		err = p.alignRecords(ctx, session)
	}
	if err != nil {
		return act, err
	}
	if p.result == nil {
		if p.result, err = p.scanTree(ctx, p.saved, p.saved.treeOf()); err != nil {
			return act, err
		}
		if err = p.refuseEmptied(p.saved, p.result); err != nil {
			return act, err
		}
	}
	p.entry, err = p.outgoingEntry(ctx, p.saved, p.result, p.mode)
	return act, err
}

// applyPlan lets the ledger carry out the plan. What it was going to write is saved first: a merge must not be made twice.
func (p *pull) applyPlan(ctx context.Context, session *ledger.Session, pl plan.Plan) (act ledger.Action, err error) {
	planned := &merging{To: p.in.at, Seen: p.in.seen, Files: map[string]vault.Version{}}
	if m := p.saved.Merging; m != nil && m.To == p.in.at {
		maps.Copy(planned.Files, m.Files)
	}
	for name, d := range p.todo {
		if _, ok := workspacePath(name); ok {
			if d.text != nil {
				planned.Files[name] = vault.VersionOf(d.text)
			}
			continue
		}
		text, err := p.Paths.read(ctx, name)
		if err != nil {
			return act, err
		}
		version := vault.Absent
		if text != nil {
			version = vault.VersionOf(text)
		}
		if version != p.now[name].version {
			return act, fmt.Errorf("%s: %w", describePath(name), vault.ErrChanged)
		}
	}
	p.saved.Merging, p.saved.Skipped, p.saved.ReportedConflicts = planned, p.skipped, p.reported
	if err := p.save(*p.saved); err != nil {
		return act, err
	}
	if len(pl.Archives) > 0 { // an action of its own: every machine gets it
		conflict := plan.Plan{Job: pl.Job, Reason: "both sides changed the same lines", Archives: pl.Archives}
		conflict.Summary = "conflict in " + strings.Join(p.report.Conflicts, ", ")
		if act, err = session.Apply(ctx, conflict); err != nil {
			return act, err
		}
		for i, a := range pl.Archives {
			f := finding.SyncConflict.In(string(a.File), "another machine changed the same lines; its text is in %s", act.Archives[i]).
				WithDiff(a.Diff)
			f.Agent = p.Agent
			p.found = append(p.found, f)
		}
	}
	if pl.Empty() {
		return act, nil
	}
	pl.Archives = nil
	if act, err = session.Apply(ctx, pl); err != nil {
		return act, p.noteRefused(err)
	}
	for _, f := range act.Files {
		if f.Skipped { // read again: what the others have must be merged with it
			return act, &vault.PathError{Op: "write", Path: f.Path, Err: vault.ErrChanged}
		}
	}
	return act, nil
}

// noteRefused remembers a file that the disk did not take, so that the next try skips it. Only a new session knows how the
// action ended.
func (p *pull) noteRefused(err error) error {
	var at *vault.PathError
	if !concernsOnePath(err) || !errors.As(err, &at) {
		return err
	}
	if p.refuses == nil {
		p.refuses = map[vault.Path]error{}
	}
	p.refuses[at.Path] = err
	return fmt.Errorf("%w: %w", errAgain, err)
}

// adoptOthers updates Tend's own files and records the tree of the others as the last synced one.
func (p *pull) adoptOthers(ctx context.Context, session *ledger.Session) error {
	own := map[string][]byte{} // joined, not merged
	left, err := p.joinLedgers(ctx, p.in, own)
	if err != nil {
		return err
	}
	if left > 0 {
		f := finding.StoreDamaged.In("", "%s of other machines are damaged, dated in the future or did not end", textfmt.Count(left, "action"))
		f.Agent = p.Agent
		p.found = append(p.found, f)
	}
	done, err := p.joinPacks(ctx, p.in, own)
	if err != nil {
		return err
	}
	defer done()
	for name, d := range p.todo {
		if _, ok := workspacePath(name); !ok {
			own[name] = d.text
		}
	}
	session.Reload()
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if err := p.putFile(name, own[name]); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	if err := p.Durable.Barrier(); err != nil {
		return err
	}
	now, err := p.scanTree(ctx, p.saved, p.in.tree)
	if err != nil {
		return err
	}
	p.saved.Seen, p.saved.Listing, p.saved.Foreign = p.in.seen, p.in.listing, p.in.foreign
	if err := p.saveTree(p.saved, p.in.at, p.in.tree, now, p.in.text); err != nil {
		return err
	}
	p.result, p.report.Pulled = now, p.in.entries
	return nil
}

// alignRecords rewrites Tend's records to match those of all machines in a syncing folder, if only their order differs.
func (p *pull) alignRecords(ctx context.Context, session *ledger.Session) error {
	if p.machines == nil || p.saved.Position.N == 0 || p.HasLocal {
		return nil
	}
	session.Reload()
	return errors.Join(p.alignLedger(ctx, p.saved), p.alignPacks(ctx, p.saved))
}

// addTo adds to the report of a sync what this pull did.
func (p *pull) addTo(r *Report, found []finding.Finding) {
	r.Pulled += p.report.Pulled
	r.Findings = append(append(r.Findings, found...), p.found...)
	for _, list := range []struct {
		to   *[]string
		from []string
	}{{&r.Changed, p.report.Changed}, {&r.Merged, p.report.Merged}, {&r.Conflicts, p.report.Conflicts}} {
		for _, name := range list.from {
			*list.to = addOnce(*list.to, name)
		}
	}
}

// pulledOnly reports whether an entry has nothing but records of pulls. They wait for a change that others need:
// otherwise every machine would answer every change.
func pulledOnly(e journal.Entry, now map[string]localFile) bool {
	pulls := map[string]bool{}
	for _, c := range e.Changes {
		switch area, _, _ := strings.Cut(c.Path, "/"); {
		case c.After == "", area != journal.Ledger && area != journal.Trash:
			return false
		case area == journal.Ledger:
			for _, r := range intentsIn(now[c.Path].text) {
				pulls[r.ID] = r.Job == ledger.Pull
			}
		}
	}
	return len(e.Actions) > 0 && !slices.ContainsFunc(e.Actions, func(id string) bool { return !pulls[id] })
}

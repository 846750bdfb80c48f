package workcopy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/sync/journal"
)

// Runner makes a change of an agent's files as every other request does: it calls read for a plan, takes the agent's
// lock, calls read again if a file changed meanwhile, and then commit.
type Runner func(
	ctx context.Context,
	read func(context.Context) (plan.Plan, error),
	commit func(context.Context, *ledger.Session, plan.Plan) (ledger.Action, error),
) ([]finding.Finding, error)

// errAgain: the pull must start over in a new session.
var errAgain = errors.New("the sync must start over")

// pull merges what others committed into the files of an agent. read plans the changes of the workspace; commit lets
// the ledger apply them, updates Tend's own files, and describes what this machine has to push.
type pull struct {
	*Copy
	saved *Saved
	in    incoming
	mode  mode

	// What read found and planned last.
	now      map[string]localFile
	todo     map[string]decision
	skipped  map[string]string
	reported []string
	report   Report
	found    []finding.Finding // conflicts that were archived

	// What commit found: the entry to push, and the files after the pull.
	entry  journal.Entry
	result map[string]localFile
}

// decision is what happens to a file that others changed.
type decision struct {
	text     []byte // nil to remove it
	conflict bool
	theirs   []byte
}

// hasWork reports whether others committed something, or something could not be written before.
func (p *pull) hasWork() bool { return p.in.at != p.saved.Position || len(p.saved.Skipped) > 0 }

// read looks at the files and plans what to change in the workspace.
func (p *pull) read(ctx context.Context) (pl plan.Plan, err error) {
	pl.Job = ledger.Pull
	p.todo, p.skipped, p.report = map[string]decision{}, map[string]string{}, Report{}
	if !p.hasWork() {
		return pl, nil
	}
	if p.now, err = p.scanTree(ctx, p.saved, p.saved.treeOf()); err != nil {
		return pl, err
	}
	if err := errors.Join(p.refuseEmptied(p.saved, p.now), addSkipped(p.saved, &p.in, p.now)); err != nil {
		return pl, err
	}
	for _, name := range slices.Sorted(maps.Keys(p.in.texts)) {
		if !p.keepsPath(name) || strings.HasPrefix(name, journal.Ledger+"/") || strings.HasPrefix(name, journal.Packs+"/") {
			continue
		}
		d, act, err := p.decideFile(ctx, name)
		if err != nil {
			return pl, err
		}
		if act {
			p.todo[name] = d
		}
	}
	if p.saved.Position.N > 0 {
		if err := p.reportGuarded(p.in, p.todo, &p.report); err != nil {
			return pl, err
		}
	}
	p.reported = p.reportConflicts(p.saved, p.in, p.todo, &p.report)
	p.planConflicts(&pl)
	if err := p.planChanges(ctx, &pl); err != nil {
		return pl, err
	}
	pl.Findings = p.report.Findings
	pl.Reason, pl.Summary = "another machine changed the agent", summaryOf(pl.Changes)
	return pl, nil
}

// decideFile returns what to do with a file that others changed; act is false for nothing.
func (p *pull) decideFile(ctx context.Context, name string) (d decision, act bool, err error) {
	theirs := p.in.texts[name]
	ours, base := p.now[name].version, p.saved.Files[name].Version
	ws, inWorkspace := workspacePath(name)
	before := p.saved.Merging
	mergedBefore := before != nil && before.To == p.in.at && ours == before.Files[name] && ours != ""
	unchangedHere := ours == base || (ours == "" && isAbsenceLocal(name) && base != "")
	switch {
	case ours == p.in.tree[name]:
		return d, false, nil
	case theirs != nil && p.Sound != nil && p.Sound(name, theirs) != nil:
		text, err := p.Paths.read(ctx, name)
		return decision{text: text, conflict: true, theirs: theirs}, true, err
	case mergedBefore: // and then it crashed
		return d, false, nil
	case unchangedHere:
		if inWorkspace {
			p.report.Changed = addOnce(p.report.Changed, string(ws))
		}
		return decision{text: theirs}, true, nil
	case ours == "": // removed here and changed there: the change stays
		return decision{text: theirs}, true, nil
	case theirs == nil:
		return d, false, nil // changed here and removed there: the change stays
	}
	was, err := p.in.base(name)
	if err != nil {
		return d, false, err
	}
	text := p.now[name].text
	if text == nil {
		if text, err = p.Paths.read(ctx, name); err != nil {
			return d, false, err
		}
	}
	merged, conflict := journal.MergeFile(name, was, text, theirs, inWorkspace && p.Log != nil && p.Log(ws))
	if inWorkspace && !conflict {
		p.report.Merged = addOnce(p.report.Merged, string(ws))
	}
	return decision{text: merged, conflict: conflict, theirs: theirs}, true, nil
}

// planConflicts archives the other side of every conflict.
func (p *pull) planConflicts(pl *plan.Plan) {
	for _, name := range slices.Sorted(maps.Keys(p.todo)) {
		d := p.todo[name]
		if !d.conflict {
			continue
		}
		at, _, remark := strings.Cut(name, conflictMark)
		if remark {
			delete(p.todo, name)
		}
		file := vault.Path(at)
		if ws, ok := workspacePath(at); ok {
			file = ws
		}
		diff := udiff.Unified(string(file)+" here", string(file)+" in the store", string(d.text), string(d.theirs))
		pl.Archives = append(pl.Archives, plan.Archive{
			File: file, Kind: "conflict", Text: d.theirs, Diff: diff,
			Why: "Another machine changed the same lines. The text of this machine stayed in place; this is the other one.",
		})
		p.report.Conflicts = addOnce(p.report.Conflicts, describePath(at))
	}
}

// planChanges adds the changes of the workspace. A name that cannot be written on this machine is skipped.
func (p *pull) planChanges(ctx context.Context, pl *plan.Plan) error {
	both := overlappingPaths(p.in.tree)
	for _, name := range slices.Sorted(maps.Keys(p.todo)) {
		ws, ok := workspacePath(name)
		if !ok {
			continue
		}
		h := p.now[name]
		text, err := p.withLocal(ws, p.todo[name].text, h.whole)
		if err != nil {
			return err
		}
		ch := plan.Change{Path: ws, Op: plan.Write, Before: h.onDisk(), New: text, Why: "changed on another machine"}
		if text == nil {
			ch.Op, ch.Why = plan.Remove, "removed on another machine"
		}
		if ch.Op == plan.Remove && ch.Before == vault.Absent {
			continue
		}
		if ch.Old, err = p.textOf(name, h); err != nil {
			return err
		}
		if err := p.whyBlocked(ctx, name, ws); err != nil {
			if !concernsOnePath(err) {
				return err
			}
			ch.Force = ch.Op == plan.Write && !both[name] && p.isInWay(ws)
			if !ch.Force {
				p.skipped[name] = err.Error()
				continue
			}
		}
		pl.Changes = append(pl.Changes, ch)
	}
	return nil
}

// textOf returns the text that a file has on the disk. One that could not be read is as it was last synced.
func (p *pull) textOf(name string, h localFile) ([]byte, error) {
	switch {
	case h.whole != nil:
		return h.whole, nil
	case h.text != nil || h.version == "":
		return h.text, nil
	}
	return p.in.base(name)
}

// summaryOf says in one line what a pull changes.
func summaryOf(changes []plan.Change) string {
	if len(changes) == 0 {
		return ""
	}
	const maxNames = 3
	names := make([]string, 0, maxNames)
	for _, c := range changes[:min(len(changes), maxNames)] {
		names = append(names, string(c.Path))
	}
	more := ""
	if n := len(changes) - len(names); n > 0 {
		more = fmt.Sprintf(" and %s more", textfmt.Count(n, "file"))
	}
	return "from other machines: " + strings.Join(names, ", ") + more
}

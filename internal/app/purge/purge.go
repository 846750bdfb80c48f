// Package purge removes a text from everything Tend keeps of an agent: the only exception to "nothing is lost", at
// the operator's explicit command, with a receipt that never contains the text.
package purge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
	"tend/internal/state/history"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
	"tend/internal/sync/journal"
)

// Receipt records where the text was. It has the text's digest, never the text.
type Receipt struct {
	ID     string    `json:"id"`
	Agent  string    `json:"agent"`
	At     time.Time `json:"at"`
	By     string    `json:"by,omitempty"`
	Reason string    `json:"reason,omitempty"`
	SHA256 string    `json:"sha256"`
	Bytes  int       `json:"bytes"`
	DryRun bool      `json:"dry_run,omitempty"`

	Memory  []vault.Path `json:"memory"` // files of the workspace
	Stored  ledger.Count `json:"stored"`
	Pack    int          `json:"pack"`    // texts that left the trash, or were seen
	Other   []string     `json:"other"`   // cleaned files of the agent's state
	Actions int          `json:"actions"` // actions that can no longer be undone
	History bool         `json:"history"` // the git history was deleted and rebuilt
	// Left are places that still have the text, and what to do about each.
	Left    []string `json:"left,omitempty"`
	Refused bool     `json:"refused,omitempty"` // nothing was changed, because a baseline contains it
	// Trace finds the text again without containing it, so that other machines of a store can remove it too.
	Trace string `json:"trace,omitempty"`
}

// Found reports whether the text is anywhere.
func (r Receipt) Found() bool {
	return len(r.Memory)+len(r.Other)+len(r.Left)+r.Stored.Records+r.Stored.Archives+r.Stored.Trash+r.Pack > 0
}

// Options says who asks and why.
type Options struct {
	Who, Reason string
	DryRun      bool
}

// ErrBlank: there is nothing to purge.
var ErrBlank = fmt.Errorf("the text has only blanks: %w", vault.ErrRefused)

// ErrBaseline: the operator's own approved text contains it.
var ErrBaseline = fmt.Errorf("an approved baseline contains it: remove it there and approve the new text first: %w", vault.ErrRefused)

// ErrLeft: everything else is purged, but the receipt names places that could not be cleaned.
var ErrLeft = errors.New("the text is still in the places that the receipt names")

// Run purges a text from one agent. After an interruption, run it again.
func Run(ctx context.Context, a *fleet.Agent, text []byte, o Options) (r Receipt, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return r, ErrBlank
	}
	r = Receipt{ID: actid.New(a.Now()), Agent: a.Name, At: a.Now().UTC(), By: o.Who, Reason: o.Reason,
		SHA256: string(vault.VersionOf(text)), Bytes: len(text),
		DryRun: o.DryRun, Memory: []vault.Path{}, Other: []string{}, Trace: trace(text)}
	if err := clean(ctx, a, text, o, &r); err != nil || o.DryRun {
		return r, err
	}
	if err := write(a, r); err != nil {
		return r, err
	}
	if len(r.Left) > 0 {
		return r, ErrLeft
	}
	return r, nil
}

// clean removes a text and completes its receipt.
func clean(ctx context.Context, a *fleet.Agent, text []byte, o Options, r *Receipt) error {
	p := ledger.NewPurge(text, r.ID, o.DryRun)
	before, err := Receipts(a)
	if err != nil && !errors.Is(err, ErrUnread) {
		return err
	}
	for _, x := range before {
		p.Receipts[x.ID] = true
	}
	if err := findInBaselines(a, p, r); err != nil {
		return err
	}
	if len(r.Left) > 0 && !o.DryRun {
		r.Refused = true
		return ErrBaseline
	}
	if !o.DryRun {
		// Texts that only git has go into the packs first, or deleting the repository would lose them too.
		if err := syncHistory(ctx, a); err != nil {
			return err
		}
	}
	if err := cleanMemory(ctx, a, p, o, r); err != nil {
		return err
	}
	if err := purgeStored(ctx, a, p, o, r); err != nil {
		return err
	}
	r.Actions = len(p.Touched)
	if o.DryRun {
		return nil
	}
	if r.History, err = a.History.Drop(ctx); err != nil {
		return err
	}
	if err := syncHistory(ctx, a); err != nil {
		return err
	}
	return listLeft(ctx, a, p, r)
}

// syncHistory brings the git history up to date. Where git is not installed there is none, unless it was there before.
func syncHistory(ctx context.Context, a *fleet.Agent) error {
	_, _, err := a.History.Sync(ctx)
	if errors.Is(err, history.ErrNoGit) {
		if _, missing := a.State().Lstat(path.Join("history", a.Name+".git")); errors.Is(missing, fs.ErrNotExist) {
			return nil
		}
	}
	return err
}

// findInBaselines adds to the receipt the operator's approved texts that contain the text; they are not changed.
func findInBaselines(a *fleet.Agent, p ledger.Purge, r *Receipt) error {
	approvals, err := a.Guard.Approvals()
	if err != nil {
		return err
	}
	for _, ap := range approvals {
		text, err := a.Guard.Approved(ap)
		if err != nil {
			return fmt.Errorf("read the approved text of %s: %w", ap.Source, err)
		}
		if p.Holds(text) {
			r.Left = append(r.Left, "your own baseline contains it: "+ap.Source)
		}
	}
	return nil
}

// cleanMemory removes the text from the workspace's files, as an ordinary action.
func cleanMemory(ctx context.Context, a *fleet.Agent, p ledger.Purge, o Options, r *Receipt) error {
	res, err := runner.Run(ctx, a, runner.Request{
		Job: "purge", Options: runner.Options{Who: o.Who, Reason: o.Reason, DryRun: o.DryRun, Force: true, ByHand: true, AcceptUnload: true},
		Read: runner.Whole(a),
		Plan: func(in job.Input) (plan.Plan, error) {
			pl := plan.Plan{Job: "purge", Outcome: plan.Unchanged, Summary: "a text was purged (sha256 " + r.SHA256[:8] + ")"}
			r.Memory = r.Memory[:0]
			for _, doc := range in.All() {
				out, holds := p.Clean(doc.Data)
				to, renamed := p.CleanPath(doc.Path)
				if !holds && !renamed {
					continue
				}
				pl.Outcome = plan.Changed
				if !renamed {
					r.Memory = append(r.Memory, to)
					pl.Changes = append(pl.Changes,
						plan.Change{Path: doc.Path, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: out, Why: "purge"})
					continue
				}
				to = freeName(in, to)
				r.Memory = append(r.Memory, to)
				pl.Changes = append(pl.Changes,
					plan.Change{Path: to, Op: plan.Write, Before: vault.Absent, New: out, Why: "purge"},
					plan.Change{Path: doc.Path, Op: plan.Remove, Before: doc.Version, Old: doc.Data, Why: "purge"})
			}
			return pl, nil
		},
	})
	if err == nil && res.Action != "" {
		p.Touched[res.Action] = true
	}
	return err
}

// freeName returns a name, with a number if a file has it.
func freeName(in job.Input, p vault.Path) vault.Path {
	ext := path.Ext(string(p))
	stem, free := strings.TrimSuffix(string(p), ext), p
	for n := 2; in.File(free).Version != vault.Absent; n++ {
		free = vault.Path(fmt.Sprintf("%s-%d%s", stem, n, ext))
	}
	return free
}

// purgeStored removes the text from everything Tend keeps. The packs are only read before the records are rewritten: those must
// name every action whose text is about to change.
func purgeStored(ctx context.Context, a *fleet.Agent, p ledger.Purge, o Options, r *Receipt) error {
	s, _, err := a.Begin(ctx, o.Who)
	if err != nil {
		return err
	}
	defer s.Close()
	if r.Pack, err = countInPacks(a, p); err != nil {
		return err
	}
	if r.Stored, err = s.Purge(p); err != nil {
		return err
	}
	if err := cleanState(a, p, r); err != nil || o.DryRun {
		return err
	}
	return cleanPacks(a, p)
}

// countInPacks counts the entries of the packs that have the text, and records their actions as touched. It changes nothing.
func countInPacks(a *fleet.Agent, p ledger.Purge) (n int, err error) {
	count := func(e pack.Entry) (pack.Entry, bool) {
		if _, found := cleanEntry(e, p); found {
			n++
		}
		return e, false
	}
	for _, kind := range packKinds {
		if _, err := a.History.Pack(kind).Rewrite(count); err != nil {
			return n, err
		}
	}
	return n, nil
}

// cleanPacks removes the text from the packs.
func cleanPacks(a *fleet.Agent, p ledger.Purge) error {
	for _, kind := range packKinds {
		clean := func(e pack.Entry) (pack.Entry, bool) { return cleanEntry(e, p) }
		if _, err := a.History.Pack(kind).Rewrite(clean, p.Text); err != nil {
			return err
		}
	}
	return nil
}

// packKinds are the packs that may have the text: what left the trash, and observed edits.
var packKinds = []string{fleet.TrashPack, fleet.SeenPack}

// cleanEntry removes the text from an entry of a pack, and records the action that it belongs to as touched.
func cleanEntry(e pack.Entry, p ledger.Purge) (cleaned pack.Entry, found bool) {
	text, inText := p.Clean(e.Text)
	name, inName := p.CleanPath(vault.Path(e.Name))
	found = inText || inName
	if found || p.Marked(e.Text) {
		if id, _, ok := strings.Cut(e.Name, "."); ok && actid.Valid(id) {
			p.Touched[id] = true
		}
	}
	e.Text, e.Name = text, string(name)
	return e, found
}

const receipts = journal.PurgesFile

// write appends the receipt.
func write(a *fleet.Agent, r Receipt) error {
	name := path.Join("agents", a.Name, receipts)
	old, err := vault.ReadFile(a.State(), name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return vault.WriteOver(a.State(), vault.SyncEach{}, name, append(append(old, line...), '\n'), 0o600)
}

// ErrUnread: some lines are no receipts. Other machines can send any, and the others count.
var ErrUnread = errors.New("some receipts of purges cannot be read")

// Receipts returns those of an agent, oldest first; with ErrUnread all that can be read.
func Receipts(a *fleet.Agent) (list []Receipt, err error) {
	data, err := vault.ReadFile(a.State(), path.Join("agents", a.Name, receipts))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range bytes.Lines(data) {
		var r Receipt
		if json.Unmarshal(line, &r) != nil {
			err = fmt.Errorf("%s: %w", path.Join("agents", a.Name, receipts), ErrUnread)
			continue
		}
		list = append(list, r)
	}
	return list, err
}

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
	"tend/internal/engine/act"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
)

// shortest is the minimum length of a text, so that a typo cannot replace half of a memory.
const shortest = 6

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
	Kept    ledger.Count `json:"kept"`
	Pack    int          `json:"pack"`    // texts that left the trash, or were seen
	Other   []string     `json:"other"`   // other files of the agent's state
	Actions int          `json:"actions"` // actions that can no longer be undone
	History bool         `json:"history"` // the git history was deleted and rebuilt
	// Left are places that only the operator can change: baselines.
	Left []string `json:"left,omitempty"`
}

// Found reports whether the text is anywhere.
func (r Receipt) Found() bool {
	return len(r.Memory)+len(r.Other)+len(r.Left)+r.Kept.Records+r.Kept.Archives+r.Kept.Trash+r.Pack > 0
}

// Options says who asks and why.
type Options struct {
	Who, Reason string
	DryRun      bool
}

// ErrShort: the text is too short to be purged.
var ErrShort = fmt.Errorf("the text has fewer than %d bytes: %w", shortest, vault.ErrRefused)

// ErrBaseline: the operator's own approved text contains it.
var ErrBaseline = fmt.Errorf("an approved baseline contains it: remove it there and approve the new text first: %w", vault.ErrRefused)

// Run purges a text from one agent. After an interruption, run it again.
func Run(ctx context.Context, a *fleet.Agent, text []byte, o Options) (r Receipt, err error) {
	if len(bytes.TrimSpace(text)) < shortest {
		return r, ErrShort
	}
	version := string(vault.VersionOf(text))
	r = Receipt{ID: actid.New(a.Now()), Agent: a.Name, At: a.Now().UTC(), By: o.Who, Reason: o.Reason, SHA256: version, Bytes: len(text), DryRun: o.DryRun,
		Memory: []vault.Path{}, Other: []string{}}
	p := ledger.Purge{Text: text, Mark: "[purged " + version[:8] + "]", Receipt: r.ID, DryRun: o.DryRun, Touched: map[string]bool{}}
	before, err := Receipts(a)
	if err != nil {
		return r, err
	}
	p.Receipts = map[string]bool{}
	for _, x := range before {
		p.Receipts[x.ID] = true
	}
	if err := baselines(a, p, &r); err != nil || len(r.Left) > 0 && !o.DryRun {
		return r, errors.Join(err, ErrBaseline)
	}
	if !o.DryRun {
		// Texts that only git has go into the packs first, or deleting the repository would lose them too.
		if _, _, err := a.History.Sync(ctx); err != nil {
			return r, err
		}
	}
	if err := memory(ctx, a, p, o, &r); err != nil {
		return r, err
	}
	if err := kept(ctx, a, p, o, &r); err != nil {
		return r, err
	}
	r.Actions = len(p.Touched)
	if o.DryRun {
		return r, nil
	}
	if r.History, err = a.History.Drop(ctx); err != nil {
		return r, err
	}
	if _, _, err := a.History.Sync(ctx); err != nil {
		return r, err
	}
	return r, write(a, r)
}

// baselines lists the operator's texts that contain the text; they are not changed.
func baselines(a *fleet.Agent, p ledger.Purge, r *Receipt) error {
	approvals, err := a.Guard.Approvals()
	if err != nil {
		return err
	}
	for _, ap := range approvals {
		if text, err := a.Guard.Approved(ap); err == nil && p.Holds(text) {
			r.Left = append(r.Left, ap.Source)
		}
	}
	return nil
}

// memory removes the text from the workspace's files, as an ordinary action.
func memory(ctx context.Context, a *fleet.Agent, p ledger.Purge, o Options, r *Receipt) error {
	res, err := act.Run(ctx, a, act.Request{
		Job: "purge", Options: act.Options{Who: o.Who, Reason: o.Reason, DryRun: o.DryRun, Force: true, ByHand: true, AcceptUnload: true},
		Read: act.Whole(a),
		Plan: func(in job.Input) (plan.Plan, error) {
			pl := plan.Plan{Job: "purge", Outcome: plan.Unchanged, Summary: "a text was purged (sha256 " + r.SHA256[:8] + ")"}
			r.Memory = r.Memory[:0]
			for _, doc := range in.All() {
				if out, holds := p.Clean(doc.Data); holds {
					pl.Outcome = plan.Changed
					r.Memory = append(r.Memory, doc.Path)
					pl.Changes = append(pl.Changes, plan.Change{Path: doc.Path, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: out, Why: "purge"})
				}
			}
			return pl, nil
		},
	})
	if err == nil && res.Action != "" {
		p.Touched[res.Action] = true
	}
	return err
}

// kept removes the text from everything Tend keeps.
func kept(ctx context.Context, a *fleet.Agent, p ledger.Purge, o Options, r *Receipt) error {
	s, _, err := a.Begin(ctx, o.Who)
	if err != nil {
		return err
	}
	defer s.Close()
	clean := func(e pack.Entry) (pack.Entry, bool) {
		out, holds := p.Clean(e.Text)
		if holds {
			r.Pack++
		}
		if holds || p.Marked(e.Text) {
			if id, _, ok := strings.Cut(e.Name, "."); ok && actid.Valid(id) {
				p.Touched[id] = true
			}
		}
		e.Text = out
		return e, holds && !o.DryRun
	}
	for _, kind := range []string{fleet.TrashPack, fleet.SeenPack} {
		if _, err := a.History.Pack(kind).Rewrite(clean, p.Text); err != nil {
			return err
		}
	}
	if err := others(a, p, r); err != nil {
		return err
	}
	r.Kept, err = s.Purge(p)
	return err
}

// others handles the files beside the ledger: the text is removed from proposals and findings, hints with it are
// deleted.
func others(a *fleet.Agent, p ledger.Purge, r *Receipt) error {
	state := a.State()
	escaped, err := json.Marshal(string(p.Text))
	if err != nil {
		return err
	}
	inJSON := ledger.Purge{Text: escaped[1 : len(escaped)-1], Mark: p.Mark}
	for _, dir := range []string{path.Join("agents", a.Name), path.Join("baselines", a.Name)} {
		infos, err := state.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, i := range infos {
			name := path.Join(dir, i.Name)
			if !i.Mode.IsRegular() || i.Name == "lock" || i.Name == receipts || i.Name == "approvals.json" || i.Name == "approved.json" {
				continue
			}
			data, err := vault.ReadFile(state, name)
			if err != nil {
				return err
			}
			if !p.Holds(data) && !inJSON.Holds(data) {
				continue
			}
			r.Other = append(r.Other, name)
			out, _ := p.Clean(data)
			out, _ = inJSON.Clean(out)
			switch {
			case p.DryRun:
			case strings.HasPrefix(dir, "agents") && !p.Holds(out) && json.Valid(out):
				err = vault.WriteOver(state, vault.EachAlone{}, name, out, 0o600)
			default: // a hint that is recreated, or the copy of a superseded baseline
				err = state.Remove(name)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

const receipts = "purges.jsonl"

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
	return vault.WriteOver(a.State(), vault.EachAlone{}, name, append(append(old, line...), '\n'), 0o600)
}

// Receipts returns those of an agent, oldest first.
func Receipts(a *fleet.Agent) (list []Receipt, err error) {
	data, err := vault.ReadFile(a.State(), path.Join("agents", a.Name, receipts))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range bytes.Lines(data) {
		var r Receipt
		if err := json.Unmarshal(line, &r); err != nil {
			return list, fmt.Errorf("read receipts: %w", err)
		}
		list = append(list, r)
	}
	return list, err
}

// Package guard keeps the operator's baselines: what was approved, whether it has changed, and how to restore it.
//
// An approval is a digest, a size and a copy of the text in Tend's state, out of the agents' reach; optionally it is
// signed with the operator's SSH key.
package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/state/ledger"
)

// Baseline is the operator's text for one file of an agent.
type Baseline struct {
	File   vault.Path // in the workspace
	Source string     // where the operator keeps it, for people to read
	Tree   fsys.FS    // the folder it is in
	Name   string     // its name there
	// Link is the target of Source if it is a link; Tree and Name then refer to the target, and these to the link
	// itself.
	Link     string
	LinkTree fsys.FS
	LinkName string
}

// pointsElsewhere reports whether the baseline is a link to a target that was not approved: replacing a baseline with a link must
// not make Tend read or write another file.
func (b Baseline) pointsElsewhere(a Approval) bool { return b.Link != "" && b.Link != a.Link }

// Approval records which text the operator approved.
type Approval struct {
	File      vault.Path    `json:"file"`
	Source    string        `json:"source"`
	Link      string        `json:"link,omitempty"` // target of the source when it was approved
	Version   vault.Version `json:"sha256"`
	Size      int           `json:"bytes"`
	At        time.Time     `json:"at"`
	By        string        `json:"by"`
	Count     int           `json:"count"` // how often this file was approved; a lower one is an old approval
	Signature string        `json:"signature,omitempty"`
	// Replaces is the text that was approved before, which the agent has until its next reset.
	Replaces vault.Version `json:"replaces,omitempty"`
}

// Guard manages one agent's baselines.
type Guard struct {
	agent   string
	state   fsys.FS
	dur     vault.Durability
	clock   func() time.Time
	signers *Signers
}

// New returns an agent's guard. With signers, only approvals signed by one of them count.
func New(agent string, state fsys.FS, d vault.Durability, clock func() time.Time, signers *Signers) *Guard {
	return &Guard{agent: agent, state: state, dur: d, clock: clock, signers: signers}
}

// ErrSmall: a text was refused because it is smaller than any complete baseline.
var ErrSmall = fmt.Errorf("%w", vault.ErrRefused)

func (g *Guard) folder() string { return "baselines/" + g.agent }

// Approvals reads what was approved, by file.
func (g *Guard) Approvals() (map[vault.Path]Approval, error) {
	data, err := vault.ReadFile(g.state, g.folder()+"/approvals.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	var list []Approval
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("read approvals of %s: %w", g.agent, err)
	}
	byFile := make(map[vault.Path]Approval, len(list))
	for _, a := range list {
		byFile[a.File] = a
	}
	return byFile, nil
}

// Check reads a baseline and compares it with its approved copy. A draft that was never approved is a separate
// finding, whatever its size.
func (g *Guard) Check(b Baseline, approvals map[vault.Path]Approval, minBytes int) ([]byte, []finding.Finding, error) {
	file := string(b.File)
	a, approved := approvals[b.File]
	if approved && b.pointsElsewhere(a) {
		return nil, []finding.Finding{finding.BaselineTampered.In(file, "%s is a link to %s, which was not approved", b.Source, b.Link)}, nil
	}
	text, err := vault.ReadFile(b.Tree, b.Name)
	switch {
	case errors.Is(err, fsys.ErrNotRegular):
		return nil, []finding.Finding{finding.BaselineTampered.In(file, "%s is not a regular file", b.Source)}, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, []finding.Finding{finding.BaselineMissing.In(file, "%s is missing", b.Source)}, nil
	case err != nil:
		return nil, nil, fmt.Errorf("read baseline %s: %w", b.Source, err)
	case !approved:
		return text, []finding.Finding{finding.BaselineUnapproved.In(file, "%s (%d bytes) is a draft that was never approved", b.Source,
			len(text))}, nil
	case len(text) < minBytes:
		return nil, []finding.Finding{finding.BaselineSmall.In(file, "%s has %d bytes, fewer than the %d of baseline.min_bytes",
			b.Source, len(text), minBytes)}, nil
	}
	if v := vault.VersionOf(text); v != a.Version {
		f := finding.BaselineTampered.In(file, "%s (%s) differs from the text approved by %s on %s (%s)",
			b.Source, v.Short(), a.By, a.At.Format(textfmt.Minute), a.Version.Short())
		if was, err := g.Approved(a); err == nil {
			f = f.WithDiff(udiff.Unified("approved", b.Source, string(was), string(text)))
		}
		return text, []finding.Finding{f}, nil
	}
	if err := g.checkSigned(a); err != nil {
		return text, []finding.Finding{finding.BaselineSignature.In(file, "%s: %v", b.Source, err)}, nil
	}
	return text, nil, nil
}

// Approved reads the copy of an approved text and checks its digest.
func (g *Guard) Approved(a Approval) ([]byte, error) {
	text, err := vault.ReadFile(g.state, ledger.BaselineText(g.agent, a.Version))
	if err != nil {
		return nil, fmt.Errorf("read approved copy: %w", err)
	}
	if vault.VersionOf(text) != a.Version {
		return nil, fmt.Errorf("the approved copy of %s was changed too: restore it from your own backup", a.File)
	}
	return text, nil
}

// Approve records these texts as the operator's. sign may be nil.
func (g *Guard) Approve(list []Baseline, by string, minBytes int, sign func(manifest []byte) (string, error)) ([]Approval, error) {
	approvals, err := g.Approvals()
	if err != nil {
		return nil, err
	}
	if approvals == nil {
		approvals = map[vault.Path]Approval{}
	}
	counts, err := g.readCounts()
	if err != nil && !errors.Is(err, errNoCount) {
		return nil, err
	}
	if err := vault.MkdirAll(g.state, g.dur, g.folder(), 0o700); err != nil {
		return nil, fmt.Errorf("make state folder: %w", err)
	}
	if err := g.clearUp(); err != nil {
		return nil, err
	}
	var made []Approval
	for _, b := range list {
		text, err := vault.ReadFile(b.Tree, b.Name)
		if err != nil {
			return nil, fmt.Errorf("read baseline %s: %w", b.Source, err)
		}
		if len(text) < minBytes {
			return nil, fmt.Errorf("%s has %d bytes, fewer than baseline.min_bytes (%d): %w", b.Source, len(text), minBytes, ErrSmall)
		}
		if n := Unfinished(text); n > 0 {
			return nil, fmt.Errorf("%s is a draft with places to fill in, %d of them, each beginning with %q: %w",
				b.Source, n, blank, vault.ErrRefused)
		}
		a := Approval{
			File: b.File, Source: b.Source, Link: b.Link, Version: vault.VersionOf(text), Size: len(text),
			At: g.clock().UTC().Truncate(time.Second), By: by, Count: max(counts.Counts[b.File], approvals[b.File].Count) + 1,
		}
		if old := approvals[b.File]; old.Version == a.Version {
			a.Replaces = old.Replaces
		} else {
			a.Replaces = old.Version
		}
		if sign != nil {
			if a.Signature, err = sign(a.manifest(g.agent)); err != nil {
				return nil, err
			}
		}
		// The copy first: an approval must never refer to a missing text.
		copyName := ledger.BaselineText(g.agent, a.Version)
		if err := vault.WriteOver(g.state, g.dur, copyName, text, 0o600); err != nil {
			return nil, fmt.Errorf("keep approved copy: %w", err)
		}
		approvals[b.File], counts.Counts[b.File] = a, a.Count
		made = append(made, a)
	}
	if err := g.save(approvals); err != nil {
		return nil, err
	}
	return made, g.saveCounts(counts, sign)
}

// clearUp removes what an interrupted approval left.
func (g *Guard) clearUp() error {
	infos, err := g.state.ReadDir(g.folder())
	if err != nil {
		return fmt.Errorf("look through approvals: %w", err)
	}
	for _, i := range infos {
		if !strings.HasPrefix(i.Name, vault.TempPrefix) {
			continue
		}
		if err := g.state.Remove(path.Join(g.folder(), i.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("clear up approvals: %w", err)
		}
	}
	return nil
}

func (g *Guard) save(approvals map[vault.Path]Approval) error {
	if err := vault.WriteJSON(g.state, g.dur, path.Join(g.folder(), "approvals.json"), sortedApprovals(approvals)); err != nil {
		return fmt.Errorf("write approvals: %w", err)
	}
	return g.dur.Barrier()
}

// Restore puts the approved text back where the operator keeps it. The text it replaces is kept in the state, beside
// the approved copies, and its name is returned.
func (g *Guard) Restore(b Baseline, a Approval) (kept string, err error) {
	text, err := g.Approved(a)
	if err != nil {
		return "", err
	}
	if b.pointsElsewhere(a) {
		b.Tree, b.Name = b.LinkTree, b.LinkName // the link itself, not its target
	} else if kept, err = g.storeDamaged(b, a); err != nil || kept == "" && g.isInstalled(b, a) {
		return "", errors.Join(err, b.Tree.SyncDir(path.Dir(b.Name)))
	}
	perm := fs.FileMode(0o644)
	info, err := b.Tree.Lstat(b.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return kept, fmt.Errorf("restore baseline %s: %w", b.Source, err)
	case info.Mode.IsRegular():
		perm = info.Mode.Perm()
	case info.Mode.IsDir():
		kept = b.Name + ".tampered-" + g.clock().UTC().Format("20060102T150405.000")
		if err := b.Tree.Rename(b.Name, kept); err != nil {
			return "", fmt.Errorf("move away the file at %s: %w", b.Source, err)
		}
	}
	if err := vault.WriteOver(b.Tree, vault.SyncEach{}, b.Name, text, perm); err != nil {
		return kept, fmt.Errorf("restore baseline %s: %w", b.Source, err)
	}
	return kept, nil
}

// isInstalled reports whether the approved text is in place.
func (g *Guard) isInstalled(b Baseline, a Approval) bool {
	now, err := vault.ReadFile(b.Tree, b.Name)
	return err == nil && vault.VersionOf(now) == a.Version
}

// storeDamaged stores what is at a baseline's place, if that is a text other than the approved one.
func (g *Guard) storeDamaged(b Baseline, a Approval) (name string, err error) {
	now, err := vault.ReadFile(b.Tree, b.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fsys.ErrNotRegular):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("read baseline %s: %w", b.Source, err)
	case vault.VersionOf(now) == a.Version:
		return "", nil
	}
	name = path.Join(g.folder(), "tampered-"+vault.VersionOf(now).Short()+".md")
	if err := vault.WriteOver(g.state, g.dur, name, now, 0o600); err != nil {
		return "", fmt.Errorf("keep the tampered text: %w", err)
	}
	return name, g.dur.Barrier()
}

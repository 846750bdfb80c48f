// Package vaulttest is the conformance suite of vaults.
package vaulttest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"tend/internal/disk/vault"
)

// Setup is an empty workspace with a vault over it.
type Setup struct {
	Vault *vault.Vault
	// Other is the same workspace as another process sees it.
	Other *vault.Vault
	Agent Agent
	// Trash returns the texts in the trash, by name.
	Trash func() map[string]string
	// Beside: the trash is on another file system, so a displaced file stays
	// beside the file, under a temporary name, until it is cleaned up.
	Beside bool
	// Owners: files have an owner that the test may choose.
	Owners bool
}

// Agent is another writer of the workspace, which does not use the vault.
type Agent interface {
	// WriteFile writes in place, RenameOver as editors do.
	WriteFile(name, text string) error
	AppendFile(name, text string) error
	RenameOver(name, text string) error
	ReadFile(name string) (string, error)
	Remove(name string) error
	MkdirAll(name string) error
	Symlink(target, name string) error
	Mkfifo(name string) error
	// Chmod sets the mode and, where the test may choose it, the owner.
	Chmod(name string, perm uint32, uid int) error
	Mode(name string) (perm uint32, uid int, err error)
	// Names lists every file, special ones and Tend's temporary ones included.
	Names() ([]string, error)
}

// Run runs the suite. setup is called for each test.
func Run(t *testing.T, setup func(t *testing.T) Setup) { Sample(t, 1, setup) }

// Sample runs every nth test of the suite.
func Sample(t *testing.T, nth int, setup func(t *testing.T) Setup) {
	n := 0
	for _, part := range [][]test{reading(), writing(), racing(), links(), appending(), keeping(), locking()} {
		for _, tt := range part {
			if n++; n%nth != 0 {
				continue
			}
			t.Run(tt.name, func(t *testing.T) {
				s := setup(t)
				tt.run(bench{t, s, context.Background()})
			})
		}
	}
}

type test struct {
	name string
	run  func(bench)
}

// bench is a setup with helpers for the tests.
type bench struct {
	*testing.T
	Setup
	ctx context.Context
}

func (b bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// has creates a file in the workspace.
func (b bench) has(name, text string) vault.Version {
	b.Helper()
	b.must(b.Agent.WriteFile(name, text))
	return vault.VersionOf([]byte(text))
}

// holds checks a file's text, on the disk and through the vault.
func (b bench) holds(name, want string) {
	b.Helper()
	got, err := b.Agent.ReadFile(name)
	if err != nil || got != want {
		b.Errorf("%s holds %.60q (%v), want %.60q", name, got, err, want)
	}
	doc, err := b.Vault.Read(b.ctx, vault.Path(name))
	if err != nil || string(doc.Data) != want || doc.Version != vault.VersionOf([]byte(want)) {
		b.Errorf("read of %s: %.60q (%v), want %.60q", name, doc.Data, err, want)
	}
}

// gone checks that a file is missing.
func (b bench) gone(name string) {
	b.Helper()
	b.fails("read of "+name, func() error { _, err := b.Vault.Read(b.ctx, vault.Path(name)); return err }, vault.ErrAbsent)
}

func (b bench) fails(what string, do func() error, want error) {
	b.Helper()
	if err := do(); !errors.Is(err, want) {
		b.Errorf("%s: %v, want %v", what, err, want)
	}
}

const id = "15fk3g0000"

// change is a write of one file at its version.
func change(name, text string, want vault.Version) vault.Change {
	return vault.Change{ID: id, Target: vault.Target{Path: vault.Path(name)}, Data: []byte(text), Want: want}
}

func (b bench) stage(c vault.Change) *vault.Staged {
	b.Helper()
	s, err := b.tryStage(c)
	b.must(err)
	return s
}

// tryStage stages a change as the ledger does: it resolves links first.
func (b bench) tryStage(c vault.Change) (*vault.Staged, error) {
	at, err := b.Vault.Find(b.ctx, c.Path, c.Force)
	if err != nil {
		return nil, err
	}
	c.Target = at
	return b.Vault.Stage(b.ctx, c)
}

func (b bench) commit(s *vault.Staged) vault.Displaced {
	b.Helper()
	d, err := s.Commit(b.ctx)
	b.must(err)
	b.must(b.Vault.Sync(b.ctx))
	return d
}

// raced commits a change that must fail because the file has changed.
func (b bench) raced(s *vault.Staged) {
	b.Helper()
	if d, err := s.Commit(b.ctx); !errors.Is(err, vault.ErrChanged) || len(d.Stray) > 0 {
		b.Errorf("commit: %v, %v, want %v", d, err, vault.ErrChanged)
	}
	b.must(b.Vault.Sync(b.ctx))
}

// clean checks that the workspace has exactly these files.
func (b bench) clean(want ...string) {
	b.Helper()
	names, err := b.Agent.Names()
	b.must(err)
	if b.Beside {
		names = slices.DeleteFunc(names, func(n string) bool { return strings.Contains(n, vault.TempPrefix) })
	}
	slices.Sort(names)
	if !slices.Equal(names, want) {
		b.Errorf("the workspace has %q, want %q", names, want)
	}
}

// trashed checks what is in the trash.
func (b bench) trashed(want map[string]string) {
	b.Helper()
	got := b.Trash()
	if len(got) != len(want) {
		b.Errorf("the trash has %q, want %q", got, want)
	}
	for name, text := range want {
		if got[name] != text {
			b.Errorf("the trash has %q as %s, want %q", got[name], name, text)
		}
	}
}

package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// desk is an agent's ledger on a disk in memory.
type desk struct {
	*testing.T
	disk  *memfs.Disk
	now   time.Time
	vault *vault.Vault
	*ledger.Ledger
}

var noon = time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{T: t, disk: memfs.New(), now: noon}
	ws, err := d.disk.Tree("ws")
	d.must(err)
	state, err := d.disk.Tree("state")
	d.must(err)
	d.vault = vault.New(ws, state, ledger.LockPath("ada"), ledger.TrashPath("ada"), vault.SyncEach{})
	d.Ledger = ledger.New("ada",
		ledger.Options{State: state, Vault: d.vault, Durable: vault.SyncEach{}, Clock: func() time.Time { return d.now }})
	return d
}

func (d *desk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// session runs do under the agent's lock.
func (d *desk) session(do func(*ledger.Session)) {
	d.Helper()
	s, err := d.Begin(context.Background(), "test")
	d.must(err)
	do(s)
	d.must(s.Close())
}

func (d *desk) apply(p plan.Plan) ledger.Action {
	d.Helper()
	var act ledger.Action
	d.session(func(s *ledger.Session) {
		var err error
		act, err = s.Apply(context.Background(), p)
		d.must(err)
	})
	return act
}

// change returns a change of the file as it is now.
func (d *desk) change(op plan.Op, name, text string) plan.Change {
	d.Helper()
	doc, err := d.vault.Read(context.Background(), vault.Path(name))
	if !errors.Is(err, vault.ErrAbsent) {
		d.must(err)
	}
	return plan.Change{Path: vault.Path(name), Op: op, Before: doc.Version, Old: doc.Data, New: []byte(text)}
}

// edit applies a plan of one change, a second after the last.
func (d *desk) edit(op plan.Op, name, text string) ledger.Action {
	d.Helper()
	d.now = d.now.Add(time.Second)
	return d.apply(plan.Plan{Job: string(op), Changes: []plan.Change{d.change(op, name, text)}})
}

// has creates a file in the workspace.
func (d *desk) has(name, text string) {
	d.Helper()
	d.must(d.disk.WriteFile("ws/"+name, text))
}

func (d *desk) holds(name, want string) {
	d.Helper()
	if got, err := d.disk.ReadFile("ws/" + name); err != nil || got != want {
		d.Errorf("%s holds %q (%v), want %q", name, got, err, want)
	}
}

// actions lists the ledger, newest first.
func (d *desk) actions() []ledger.Action {
	d.Helper()
	var list []ledger.Action
	for a, err := range d.Actions() {
		d.must(err)
		list = append(list, a)
	}
	return list
}

const month = "state/agents/ada/ledger/2026-03.jsonl"

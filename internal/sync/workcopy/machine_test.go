package workcopy

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/sync/store"
	"tend/internal/sync/workcopy/workcopytest"
)

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// machine is a machine with one agent on a disk in memory.
type machine struct {
	t    testing.TB
	name string
	disk *memfs.Disk
	now  time.Time
	*Copy
	store store.Store
	// syncing: the store is a folder that a program copies between machines.
	syncing bool
}

func newMachine(t testing.TB, name string, s store.Store) *machine {
	t.Helper()
	m := &machine{t: t, name: name, disk: memfs.New(), now: noon, store: s}
	for _, dir := range []string{"ws", "state", "operator"} {
		must(t, m.disk.MkdirAll(dir))
	}
	m.disk.SetTime(noon)
	m.open()
	return m
}

// open opens the agent as a new process does.
func (m *machine) open() {
	m.t.Helper()
	ws, err := m.disk.Tree("ws")
	must(m.t, err)
	state, err := m.disk.Tree("state")
	must(m.t, err)
	operator, err := m.disk.Tree("operator")
	must(m.t, err)
	clock := func() time.Time { return m.now }
	v := vault.New(ws, state, ledger.LockPath("ada"), ledger.TrashPath("ada"), vault.SyncEach{})
	l := ledger.New("ada", ledger.Options{State: state, Vault: v, Durable: vault.SyncEach{}, Clock: clock})
	p := Paths{
		Agent: "ada", Vault: v, Ledger: l, State: state, Archives: state, Archive: "archive/ada", Durable: vault.SyncEach{},
		Clock: clock, Who: m.name, Config: func() ([]byte, error) { return []byte(`{"name":"ada"}`), nil }, Tree: ws,
		Memory: func(ctx context.Context) (map[vault.Path]vault.Doc, map[vault.Path]string, error) {
			return readAll(ctx, v, "")
		},
		Operator: map[vault.Path]Source{"SOUL.md": {Tree: operator, Name: "soul.md"}},
		Log:      func(p vault.Path) bool { return strings.HasPrefix(string(p), "memory/") },
		Local:    func(p vault.Path) bool { return p == "TOOLS.md" },
	}
	p.Run = workcopytest.Run(l, m.name)
	m.Copy = New(p, m.store, "store-1")
	if m.syncing {
		m.Copy = InSyncingFolder(p, m.store, "store-1")
	}
}

// readAll reads all markdown files, as the fleet does.
func readAll(ctx context.Context, v *vault.Vault, dir vault.Path) (map[vault.Path]vault.Doc, map[vault.Path]string, error) {
	files := map[vault.Path]vault.Doc{}
	infos, err := v.List(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range infos {
		if i.Dir {
			below, _, err := readAll(ctx, v, i.Path)
			if err != nil {
				return nil, nil, err
			}
			maps.Copy(files, below)
			continue
		}
		if i.Special {
			continue
		}
		doc, err := v.Read(ctx, i.Path)
		if err != nil {
			return nil, nil, err
		}
		files[i.Path] = doc
	}
	return files, nil, nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pass advances the clock.
func (m *machine) pass(d time.Duration) {
	m.now = m.now.Add(d)
	m.disk.SetTime(m.now)
}

func (m *machine) write(name, text string) {
	m.t.Helper()
	m.pass(time.Second)
	must(m.t, m.disk.MkdirAll("ws/"+path.Dir(name)))
	must(m.t, m.disk.WriteFile("ws/"+name, text))
}

func (m *machine) add(name, text string) { m.t.Helper(); m.write(name, m.get(name)+text) }

// get returns a file of the workspace, "" if there is none.
func (m *machine) get(name string) string {
	text, _ := m.disk.ReadFile("ws/" + name)
	return text
}

// act changes a file as a job does, with an archive.
func (m *machine) act(op plan.Op, name, text string) ledger.Action {
	m.t.Helper()
	m.pass(time.Second)
	s, err := m.Ledger.Begin(m.t.Context(), m.name)
	must(m.t, err)
	defer s.Close()
	doc, _ := m.Vault.Read(m.t.Context(), vault.Path(name))
	p := plan.Plan{Job: "edit",
		Changes: []plan.Change{{Path: vault.Path(name), Op: op, Before: doc.Version, Old: doc.Data, New: []byte(text)}}}
	if op == plan.Write && len(doc.Data) > 0 {
		p.Archives = []plan.Archive{{File: vault.Path(name), Kind: "notes", Text: doc.Data}}
	}
	a, err := s.Apply(m.t.Context(), p)
	must(m.t, err)
	return a
}

// undo undoes an action.
func (m *machine) undo(id string) {
	m.t.Helper()
	m.pass(time.Second)
	s, err := m.Ledger.Begin(m.t.Context(), m.name)
	must(m.t, err)
	defer s.Close()
	a, err := m.Ledger.Find(id)
	must(m.t, err)
	p, err := m.Ledger.PlanUndo(m.t.Context(), a, true)
	must(m.t, err)
	_, err = s.Apply(m.t.Context(), p)
	must(m.t, err)
}

func (m *machine) sync() Report {
	m.t.Helper()
	m.pass(3 * time.Second)
	r, err := m.Sync(m.t.Context())
	if err != nil {
		m.t.Fatalf("sync on %s: %v", m.name, err)
	}
	return r
}

// all returns everything that belongs to the agent on this machine, by its name on the disk.
func (m *machine) all() map[string]string {
	out := map[string]string{}
	ids := map[string]bool{}
	months := map[string][]byte{}
	for name, text := range m.disk.Files("state/agents/ada/ledger") {
		months[name] = []byte(text)
	}
	// Records of pulls reach the others with the next change.
	months, _, err := ledger.Without(months, ledger.Record.Pulled)
	must(m.t, err)
	for name, text := range months {
		out[name] = string(text)
		for _, r := range intentsIn(text) {
			ids[r.ID] = true
		}
	}
	for _, dir := range []string{"ws", "operator", "state/archive/ada", "state/trash/ada", "state/baselines/ada", "state/agents/ada/pack"} {
		for name, text := range m.disk.Files(dir) {
			base := path.Base(name)
			id, _, _ := strings.Cut(base, ".")
			if strings.HasPrefix(base, vault.TempPrefix) || base == "TOOLS.md" || dir == "state/trash/ada" && !ids[id] {
				continue
			}
			out[name] = text
		}
	}
	for _, name := range records {
		if text, err := m.disk.ReadFile("state/agents/ada/" + name); err == nil {
			out["state/agents/ada/"+name] = text
		}
	}
	return out
}

// same reports where two machines differ.
func same(t testing.TB, a, b *machine) {
	t.Helper()
	x, y := a.all(), b.all()
	for _, name := range slices.Sorted(maps.Keys(x)) {
		if got, ok := y[name]; !ok {
			t.Errorf("%s has no %s", b.name, name)
		} else if got != x[name] {
			t.Errorf("%s differs:\non %s %q\non %s %q", name, a.name, x[name], b.name, got)
		}
	}
	for name := range y {
		if _, ok := x[name]; !ok {
			t.Errorf("%s has no %s", a.name, name)
		}
	}
	for _, m := range []*machine{a, b} {
		if broken, err := m.Ledger.Verify(); err != nil || len(broken) > 0 {
			t.Errorf("the ledger of %s is broken at %v: %v", m.name, broken, err)
		}
	}
}

// holds reports whether a line is in any kept text.
func (m *machine) holds(line string) bool {
	for _, dir := range []string{"ws", "state/archive", "state/trash"} {
		for _, text := range m.disk.Files(dir) {
			if strings.Contains(text, line) {
				return true
			}
		}
	}
	return false
}

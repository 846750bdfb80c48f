package workcopy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/model/finding"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
	"tend/internal/sync/store/folder"
	"tend/internal/sync/syncfolder"
	"tend/test/light"
)

// carrier copies the files of one folder per machine to the others, like a syncing
// program: in any order, late, through temporary names, and in parts.
type carrier struct {
	t      testing.TB
	rng    *rand.Rand
	dirs   []string
	origin map[string]int // the folder in which a file was created
	counts map[string]int
}

// files returns a folder's files by name.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		if !strings.HasPrefix(rel, ".tmp") {
			out[rel] = string(text)
		}
		return err
	})
	must(t, err)
	return out
}

func (c *carrier) put(to int, rel, text string) {
	p := filepath.Join(c.dirs[to], rel)
	must(c.t, os.MkdirAll(filepath.Dir(p), 0o700))
	must(c.t, os.WriteFile(p, []byte(text), 0o600))
}

// carry copies each missing file with a chance of p; with p = 1, all of them completely.
func (c *carrier) carry(p float64) {
	for i, dir := range c.dirs {
		for rel := range files(c.t, dir) {
			if _, known := c.origin[rel]; !known {
				c.origin[rel] = i
			}
		}
	}
	for rel, from := range c.origin {
		text, err := os.ReadFile(filepath.Join(c.dirs[from], rel))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		must(c.t, err)
		for to := range c.dirs {
			if there, err := os.ReadFile(filepath.Join(c.dirs[to], rel)); to == from || err == nil && string(there) == string(text) ||
				c.rng.Float64() >= p {
				continue
			}
			name, base := filepath.Dir(rel), filepath.Base(rel)
			switch n := c.rng.IntN(8); {
			case p == 1:
				c.put(to, rel, string(text))
			case n == 0: // it stops in the middle
				c.put(to, rel, string(text[:c.rng.IntN(len(text)+1)]))
				c.counts["parts"]++
			case n == 1: // the last step is missing
				c.put(to, filepath.Join(name, ".syncthing."+base+".tmp"), string(text))
				c.counts["temporary"]++
			case n == 2 && len(base) < 200: // a copy of a copy of a copy no longer fits on the disk
				c.put(to, filepath.Join(name, base+" (Ada's conflicted copy 2026-11-15)"), string(text))
				c.counts["conflicted copies"]++
			case n == 3: // a preallocated file: its size is right, its text is missing
				c.put(to, rel, strings.Repeat("\x00", len(text)))
				c.counts["preallocated"]++
			case n == 4: // another case
				c.put(to, filepath.Join(strings.ToUpper(name), base), string(text))
				c.counts["case"]++
			default:
				c.put(to, filepath.Join(name, ".tmp-"+base), string(text))
				must(c.t, os.Rename(filepath.Join(c.dirs[to], name, ".tmp-"+base), filepath.Join(c.dirs[to], rel)))
				c.counts["copied"]++
			}
		}
	}
}

// inFolders creates machines with a folder each.
func inFolders(t testing.TB, seed uint64, names ...string) ([]*machine, *carrier) {
	t.Helper()
	c := &carrier{t: t, rng: rand.New(rand.NewPCG(seed, 9)), origin: map[string]int{}, counts: map[string]int{}}
	var ms []*machine
	for i, name := range names {
		dir := t.TempDir()
		tree, err := fsys.Dir(dir)
		must(t, err)
		s := folder.New(tree, dir)
		t.Cleanup(func() { _ = s.Close() })
		c.dirs = append(c.dirs, dir)
		m := newMachine(t, name, s)
		m.syncing = true
		m.open()
		m.pass(time.Duration(i) * time.Hour)
		ms = append(ms, m)
	}
	return ms, c
}

func founded(t testing.TB, m *machine) {
	t.Helper()
	must(t, m.disk.WriteFile("operator/soul.md", "# Soul\n\nBe kind.\n"))
	m.write("MEMORY.md", "# Memory\n\n- one\n- two\n- three\n- four\n")
	m.write("memory/2026-11-15.md", "# Log\n")
	m.write("TOOLS.md", "only here\n")
	_, err := m.Push(t.Context())
	must(t, err)
}

// syncAll carries and syncs until nothing changes any more.
func syncAll(t testing.TB, ms []*machine, c *carrier) {
	t.Helper()
	for range 20 {
		c.carry(1)
		said := 0
		for _, m := range ms {
			r := m.sync()
			said += r.Pulled + r.Pushed + r.Waiting
		}
		if said == 0 {
			return
		}
	}
	t.Error("the machines never agree")
}

// TestSyncingFolder: three machines write, act, undo and sync at random, each with a folder of
// its own, while a program copies files between the folders in any order, late, in parts and
// under other names. Once everything has arrived, all machines must be identical, and no line
// of the log missing or doubled.
func TestSyncingFolder(t *testing.T) {
	total := map[string]int{}
	for seed := range uint64(light.Or(60, 12)) {
		rng := rand.New(rand.NewPCG(seed, 10))
		ms, c := inFolders(t, seed, "laptop", "desktop", "server")
		founded(t, ms[0])
		c.carry(1)
		for _, m := range ms[1:] {
			_, err := m.Join(t.Context())
			must(t, err)
		}
		w := &writings{t: t, logged: map[string]bool{}, counts: c.counts}
		for step := range 40 {
			m := ms[rng.IntN(len(ms))]
			if !w.step(rng, m, step) {
				m.pass(3 * time.Second)
				r, err := m.Sync(t.Context())
				if err != nil && !errors.Is(err, journal.ErrRemoved) {
					t.Errorf("seed %d: sync on %s: %v", seed, m.name, err)
				}
				c.counts["conflicts"] += len(r.Conflicts)
				c.counts["merges"] += len(r.Merged)
				c.counts["waiting"] += r.Waiting
			}
			if rng.IntN(3) == 0 {
				c.carry(0.4)
			}
		}
		syncAll(t, ms, c)
		for _, m := range ms[1:] {
			same(t, ms[0], m)
		}
		for _, m := range ms {
			log := m.get("memory/2026-11-15.md")
			for _, line := range w.written {
				if w.logged[line] && strings.Count(log, line+"\n") != 1 {
					t.Errorf("seed %d: %q is %d times in the log of %s", seed, line, strings.Count(log, line+"\n"), m.name)
				}
			}
		}
		// A machine that starts empty ends up the same.
		fourth, d := inFolders(t, seed, "phone")
		for rel, text := range files(t, c.dirs[1]) {
			d.put(0, rel, text)
		}
		_, err := fourth[0].Join(t.Context())
		must(t, err)
		same(t, ms[0], fourth[0])
		for k, n := range c.counts {
			total[k] += n
		}
		if t.Failed() {
			t.Fatalf("seed %d failed", seed)
		}
	}
	t.Logf("%v", total)
	for _, k := range []string{"conflicts", "waiting", "parts", "temporary", "conflicted copies", "preallocated", "case", "copied", "undos"} {
		if total[k] == 0 {
			t.Errorf("no run had any %s: this tests too little", k)
		}
	}
}

// TestSyncingFolderOrder: whatever arrives first, the tree is the same, and a late entry is
// merged in where it belongs.
func TestSyncingFolderOrder(t *testing.T) {
	ms, c := inFolders(t, 1, "laptop", "desktop", "server")
	founded(t, ms[0])
	c.carry(1)
	for _, m := range ms[1:] {
		_, err := m.Join(t.Context())
		must(t, err)
	}
	for i, m := range ms { // none knows of the others
		m.write("MEMORY.md", strings.Replace(m.get("MEMORY.md"), "- two", fmt.Sprintf("- two of %s", m.name), 1))
		m.add("memory/2026-11-15.md", fmt.Sprintf("- %d\n", i))
		if r := m.sync(); r.Pushed == 0 || r.Pulled != 0 {
			t.Errorf("%s: %+v", m.name, r)
		}
	}
	syncAll(t, ms, c)
	same(t, ms[0], ms[1])
	same(t, ms[0], ms[2])
	stays := 0
	for _, m := range ms {
		line := "- two of " + m.name + "\n"
		if strings.Contains(ms[0].get("MEMORY.md"), line) {
			stays++
		}
		if !ms[1].holds(line) {
			t.Errorf("%q is lost", line)
		}
	}
	if stays != 1 {
		t.Errorf("%d of three texts for one line are in place, want 1", stays)
	}
}

// TestSyncingFolderForeign: objects that Tend did not write are named and not applied.
func TestSyncingFolderForeign(t *testing.T) {
	ms, c := inFolders(t, 1, "laptop", "desktop")
	founded(t, ms[0])
	c.carry(1)
	_, err := ms[1].Join(t.Context())
	must(t, err)
	var entry string
	for rel := range files(t, c.dirs[1]) {
		entry = rel
	}
	text := files(t, c.dirs[1])[entry]
	second := filepath.Join(filepath.Dir(entry), "000000000002")
	for name, text := range map[string]string{
		entry + ".sync-conflict-20261115": text, // beside it
		second:                            text, // a replayed entry
	} {
		c.put(1, name, text)
	}
	r := ms[1].sync()
	if len(r.Findings) != 1 || r.Findings[0].Code != finding.StoreForeign.Code || !strings.Contains(r.Findings[0].Text, "and 1 more") ||
		r.Pulled != 0 {
		t.Errorf("%+v", r)
	}
	if r := ms[1].sync(); len(r.Findings) != 1 {
		t.Errorf("a second sync is silent about it: %+v", r)
	}
	// A file that is truncated again is noticed, and nothing is undone because of it.
	c.put(1, entry, text[:len(text)-1])
	if _, err := ms[1].Sync(t.Context()); !errors.Is(err, journal.ErrRemoved) {
		t.Errorf("an entry that was cut: %v, want ErrRemoved", err)
	}
	if ms[1].get("MEMORY.md") != ms[0].get("MEMORY.md") {
		t.Error("the workspace changed")
	}
	c.put(1, entry, text)
	must(t, os.Remove(filepath.Join(c.dirs[1], second)))
	// A journal of a shared store does not belong here.
	c.put(1, "agents/ada/journal/000000000001", "x")
	if _, err := ms[1].Sync(t.Context()); !errors.Is(err, syncfolder.ErrMixed) {
		t.Errorf("a mixed store: %v, want ErrMixed", err)
	}
}

// TestSyncingFolderRestored: a machine whose state was restored from a backup continues under
// another name, and loses nothing.
func TestSyncingFolderRestored(t *testing.T) {
	ms, c := inFolders(t, 1, "laptop", "desktop")
	a, b := ms[0], ms[1]
	founded(t, a)
	c.carry(1)
	_, err := b.Join(t.Context())
	must(t, err)
	backup := maps.Clone(a.disk.Files("state"))
	work := maps.Clone(a.disk.Files("ws"))
	a.add("memory/2026-11-15.md", "- after the backup\n")
	a.sync()
	syncAll(t, ms, c)
	for name, text := range backup {
		must(t, a.disk.WriteFile(name, text))
	}
	for name, text := range work {
		must(t, a.disk.WriteFile(name, text))
	}
	a.add("memory/2026-11-15.md", "- after the restore\n")
	was, _, err := a.Load()
	must(t, err)
	syncAll(t, ms, c)
	same(t, a, b)
	now, _, err := a.Load()
	must(t, err)
	if now.Machine == was.Machine {
		t.Error("the machine still writes under its old name")
	}
	for _, line := range []string{"- after the backup\n", "- after the restore\n"} {
		if strings.Count(b.get("memory/2026-11-15.md"), line) != 1 {
			t.Errorf("%q is not once in %q", line, b.get("memory/2026-11-15.md"))
		}
	}
}

// TestSyncingFolderCrash: a machine that crashes after its entry was written, before it knew,
// writes it only once.
func TestSyncingFolderCrash(t *testing.T) {
	ms, c := inFolders(t, 1, "laptop", "desktop")
	a, b := ms[0], ms[1]
	founded(t, a)
	c.carry(1)
	_, err := b.Join(t.Context())
	must(t, err)
	a.add("memory/2026-11-15.md", "- once\n")
	a.Copy.machines = syncfolder.New(deaf{a.store}, "ada")
	if _, err := a.Sync(t.Context()); !errors.Is(err, store.ErrUnclear) {
		t.Fatalf("%v, want ErrUnclear", err)
	}
	a.open()
	b.add("memory/2026-11-15.md", "- of b\n")
	b.sync()
	syncAll(t, ms, c)
	same(t, a, b)
	if log := a.get("memory/2026-11-15.md"); strings.Count(log, "- once\n") != 1 || strings.Count(log, "- of b\n") != 1 {
		t.Errorf("%q", log)
	}
}

// deaf is a store whose answers to writes are lost.
type deaf struct{ store.Store }

func (d deaf) Put(ctx context.Context, key string, data []byte) error {
	if err := d.Store.Put(ctx, key, data); err != nil {
		return err
	}
	return store.ErrUnclear
}

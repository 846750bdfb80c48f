package memfs_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
)

// step does something random to a disk; errors are expected.
func step(rnd *rand.Rand, d *memfs.Disk, fsy fsys.FS, i int) {
	names := []string{"a", "b", "x", "x/a", "x/b", "y", "y/a", "x/z", "x/z/a", "y/x"}
	p, q := names[rnd.IntN(len(names))], names[rnd.IntN(len(names))]
	text := fmt.Sprintf("<%d>", i)
	switch rnd.IntN(14) {
	case 0:
		_ = d.WriteFile(p, text)
	case 1:
		_ = d.AppendFile(p, text)
	case 2:
		_ = d.RenameOver(p, text)
	case 3:
		_ = fsy.Mkdir(p, 0o700)
	case 4:
		_ = fsy.Remove(p)
	case 5, 6:
		_ = fsy.Rename(p, q)
	case 7:
		_ = fsy.Exchange(p, q)
	case 8:
		_ = fsy.Link(p, q)
	case 9:
		_ = fsy.Move(p, fsy, q)
	case 10:
		_ = fsy.SyncDir(p)
	case 11:
		_ = fsy.SyncDir(".")
	case 12:
		if f, _, err := fsy.Append(p, 0o600); err == nil {
			_, _ = io.WriteString(f, text)
			_ = f.Sync()
			_ = f.Close()
		}
	case 13:
		if rnd.IntN(4) == 0 {
			_ = fsy.SyncAll()
		}
	}
}

// Whatever happens on a disk, every possible state is a sound tree, a kill loses
// nothing, and after SyncAll nothing can be lost.
func TestStatesAreSound(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		d, fsy := recorded(t, "x/", "y/", "a=A", "x/a=XA")
		live := map[int]string{0: portrait(d)}
		for i := range 40 {
			step(rnd, d, fsy, i)
			live[d.Len()] = portrait(d)
		}
		for n, s := range d.EveryCrash(memfs.Limits{Exhaust: 16, Samples: 4, Seed: seed}) {
			if err := sound(s); err != nil {
				t.Fatalf("seed %d, after %d: %v in %s", seed, n, err, portrait(s))
			}
		}
		for n, want := range live {
			if got := portrait(d.KillAt(n)); got != want {
				t.Fatalf("seed %d, killed after %d: found %s, want %s", seed, n, got, want)
			}
		}
		must(t, fsy.SyncAll())
		finds(t, d, portrait(d))

		// The same disk, killed half way, continues as if nothing had happened.
		half := d.Len() / 2
		k := d.KillAt(half)
		next := treeOf(t, k, ".")
		for i := range 10 {
			step(rnd, k, next, 100+i)
		}
		if got, want := portrait(k.KillAt(k.Len())), portrait(k); got != want {
			t.Fatalf("seed %d, killed twice: found %s, want %s", seed, got, want)
		}
		for s := range k.Crashes(k.Len(), memfs.Limits{Exhaust: 16, Samples: 4}) {
			if err := sound(s); err != nil {
				t.Fatalf("seed %d, killed and cut: %v", seed, err)
			}
		}
	}
}

// sound checks link counts and inode numbers, and that no folder has two names.
func sound(d *memfs.Disk) error {
	count := map[uint64][]string{}
	infos := map[uint64]fsys.Info{}
	for name, i := range d.Walk(".") {
		count[i.Ino] = append(count[i.Ino], name)
		if was, ok := infos[i.Ino]; ok && (was.Size != i.Size || was.Mode != i.Mode) {
			return fmt.Errorf("%v share an inode number", count[i.Ino])
		}
		infos[i.Ino] = i
	}
	for ino, names := range count {
		if i := infos[ino]; i.Links != uint64(len(names)) {
			return fmt.Errorf("%v has %d links", names, i.Links)
		}
	}
	return nil
}

// The right protocol works in any order of uses: in every state each file is a
// version that was written, and none is older than the acknowledged one.
func TestRightProtocolPasses(t *testing.T) {
	states := 0
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		d, fsy := recorded(t, "a=a0", "b=b0")
		type ack struct{ version, at int }
		acks := map[string][]ack{"a": {{0, 0}}, "b": {{0, 0}}}
		for i := 1; i <= 4; i++ {
			name := []string{"a", "b"}[rnd.IntN(2)]
			put(t, fsy, "tmp", fmt.Sprint(name, i), true)
			if rnd.IntN(2) == 0 {
				must(t, fsy.Rename("tmp", name))
				must(t, fsy.SyncDir("."))
			} else {
				must(t, fsy.Exchange("tmp", name))
				must(t, fsy.SyncDir("."))
				must(t, fsy.Remove("tmp"))
			}
			acks[name] = append(acks[name], ack{i, d.Len()})
		}
		for n, s := range d.EveryCrash(memfs.Limits{}) {
			states++
			for name, versions := range acks {
				got, err := s.ReadFile(name)
				must(t, err)
				i := slices.IndexFunc(versions, func(a ack) bool { return fmt.Sprint(name, a.version) == got })
				if i < 0 || i+1 < len(versions) && versions[i+1].at <= n {
					t.Fatalf("seed %d, after %d: %s holds %q, acknowledged %v", seed, n, name, got, versions)
				}
			}
		}
	}
	if states < 5000 {
		t.Errorf("only %d states were tried", states)
	}
}

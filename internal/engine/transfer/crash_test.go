package transfer

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
)

// installed is where each file of the test's package ends up: records, approvals, trash and archives.
var installed = map[string]string{
	"agents/n/ledger/2026-10.jsonl":              "{}\n",
	"agents/n/pack/trash-000001.jsonl":           "{\"left\":\"the trash\"}\n",
	"baselines/n/approvals.json":                 "[]",
	"trash/n/0123456789.0-MEMORY.md":             "displaced\n",
	"trash/n/0123456789.1-SOUL.md":               "displaced too\n",
	"archive/n/2026-10/notes.md":                 "archived\n",
	"agents/n/proposals/0123456789-approve.json": "{}",
}

// neighbour has another agent's files in the same folders.
var neighbour = map[string]string{
	"agents/b/ledger/2026-10.jsonl": "b's records\n",
	"trash/b/0123456789.0-x.md":     "b's trash\n",
	"archive/b/1.md":                "b's archive\n",
	"history/b.git/HEAD":            "ref: refs/heads/main\n",
}

// testPackage packs the files of installed.
func testPackage(t *testing.T) []byte {
	m := Manifest{Format: format, Agent: Agent{Name: "a"}}
	var list []part
	for name, text := range installed {
		for _, p := range [][2]string{
			{"agents/n/", partRecords}, {"baselines/n/", partApproved}, {"trash/n/", partTrash}, {"archive/n/", partArchive},
		} {
			if rest, ok := strings.CutPrefix(name, p[0]); ok {
				m.Files = append(m.Files, Entry{Name: p[1] + rest, Size: int64(len(text)), SHA256: digestOf([]byte(text))})
				list = append(list, part{tar.Header{Name: p[1] + rest, Typeflag: tar.TypeReg}, text})
			}
		}
	}
	return packageOf(t, m, list...)
}

// disks are the file systems of the state folder and of the archives, which may be the same.
type disks struct{ state, archives *memfs.Disk }

func newDisks(t *testing.T, apart bool) disks {
	d := disks{state: memfs.New()}
	d.archives = d.state
	if apart {
		d.archives = memfs.New()
	}
	for name, text := range neighbour {
		at := d.state
		if strings.HasPrefix(name, "archive/") {
			at = d.archives
		}
		must(t, errors.Join(at.MkdirAll("state/"+name[:strings.LastIndex(name, "/")]), at.WriteFile("state/"+name, text)))
	}
	return d
}

// run imports the package as setup does: unpack beside the state, check that nothing is in the way, move, clean up.
func (d disks) run(data []byte) (err error) {
	state, err := d.state.Tree("state")
	if err != nil {
		return err
	}
	archives, err := d.archives.Tree("state/archive")
	if err != nil {
		return err
	}
	const tmp = ".tend-import"
	if err := fsys.RemoveAll(state, tmp); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fsys.RemoveAll(state, tmp)) }()
	if err := state.Mkdir(tmp, 0o700); err != nil {
		return err
	}
	from, err := state.Sub(tmp)
	if err != nil {
		return err
	}
	if _, err := Unpack(bytes.NewReader(data), from, 1<<20); err != nil {
		return err
	}
	p := Dirs{State: Folder{state, "state"}, Archives: Folder{archives, "archive"}, Name: "n"}
	if what, taken, err := p.Taken(from); taken || err != nil {
		return fmt.Errorf("%s is in the way, %w", what, err)
	}
	return Install(from, p)
}

// files returns all files of the state and the archives.
func (d disks) files() map[string]string {
	out := map[string]string{}
	for _, disk := range []*memfs.Disk{d.state, d.archives} {
		for name, text := range disk.Files("state") {
			out[strings.TrimPrefix(name, "state/")] = text
		}
	}
	return out
}

// check checks what an import left, however it ended: the other agent's files are unchanged, and the agent is complete
// if it has records.
func (d disks) check(complete bool) error {
	have := d.files()
	for name, text := range neighbour {
		if have[name] != text {
			return fmt.Errorf("another agent's %s is %q", name, have[name])
		}
	}
	for name := range have {
		complete = complete || strings.HasPrefix(name, "agents/n/")
	}
	for name, text := range installed {
		if complete && have[name] != text {
			return fmt.Errorf("the agent has records and %s is %q", name, have[name])
		}
	}
	return nil
}

// finish runs the import again, which must complete it and leave nothing else.
func (d disks) finish(data []byte) error {
	if err := d.run(data); err != nil {
		return fmt.Errorf("run again: %w", err)
	}
	want := maps.Clone(installed)
	maps.Copy(want, neighbour)
	if have := d.files(); !maps.Equal(have, want) {
		return fmt.Errorf("after running it again: %v", have)
	}
	return nil
}

// TestCrashStates cuts the power after every operation of an import, with the archives on the same file system and on
// another one. An agent with records is always complete, and running the import again completes it.
func TestCrashStates(t *testing.T) {
	data := testPackage(t)
	choices := [][2]memfs.Chooser{
		{memfs.Lost, memfs.Lost}, {memfs.LoseNothing, memfs.LoseNothing}, {memfs.Lost, memfs.LoseNothing}, {memfs.LoseNothing, memfs.Lost},
		{memfs.Random(1), memfs.Random(2)}, {memfs.Random(3), memfs.Random(4)}, {memfs.Random(5), memfs.Random(6)},
	}
	for _, apart := range []bool{false, true} {
		t.Run(fmt.Sprintf("archives apart %v", apart), func(t *testing.T) {
			d := newDisks(t, apart)
			var moments [][2]int
			note := func(memfs.Op) {
				if m := [2]int{d.state.Len(), d.archives.Len()}; len(moments) == 0 || moments[len(moments)-1] != m {
					moments = append(moments, m)
				}
			}
			for _, disk := range []*memfs.Disk{d.state, d.archives} {
				disk.Record()
				disk.OnOp(note)
			}
			must(t, d.run(data))
			note(memfs.Op{})
			states := 0
			for i, m := range moments {
				for way, choose := range choices {
					next := disks{state: d.state.CrashAt(m[0], choose[0])}
					next.archives = next.state
					if apart {
						next.archives = d.archives.CrashAt(m[1], choose[1])
					}
					states++
					if err := errors.Join(next.check(i == len(moments)-1), next.finish(data)); err != nil {
						t.Fatalf("cut off at moment %d of %d, way %d: %v", i, len(moments), way, err)
					}
				}
			}
			t.Logf("%d moments, %d states of the disk, all completed by running it again", len(moments), states)
		})
	}
}

// TestEveryCallFails makes each call of an import fail: with an error, with an error after it took effect, halfway
// through a write, and permanently. The next import completes it.
func TestEveryCallFails(t *testing.T) {
	data := testPackage(t)
	tries := 0
	for _, apart := range []bool{false, true} {
		for _, mode := range []memfs.Mode{memfs.Once, memfs.Late, memfs.Short, memfs.Always} {
			for n := 1; ; n++ {
				d := newDisks(t, apart)
				d.state.FailAt(n, syscall.EIO, mode)
				err := d.run(data)
				calls := d.state.Calls()
				d.state.FailAt(0, nil, memfs.Once)
				if calls < n {
					break
				}
				tries++
				d.state.Flush()
				if err := errors.Join(d.check(err == nil), d.finish(data)); err != nil {
					t.Fatalf("call %d failed, mode %d, archives apart %v: %v", n, mode, apart, err)
				}
			}
		}
	}
	t.Logf("%d calls failed, no agent was left in part, every import completed by the next one", tries)
}

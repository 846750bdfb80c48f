package transfer

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/test/require"
)

var must = require.NoError

func write(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(text), 0o644))
}

// tree is a folder as a tree.
func tree(t testing.TB, dir string) fsys.FS {
	t.Helper()
	f, err := fsys.Dir(dir)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// placesIn are the places of the agent n in a state folder.
func placesIn(t testing.TB, state string) Dirs {
	t.Helper()
	archives := filepath.Join(state, "archive")
	must(t, fsys.MakeFolder(archives, 0o700))
	return Dirs{State: Folder{tree(t, state), state}, Archives: Folder{tree(t, archives), archives}, Name: "n"}
}

func TestPackAndUnpack(t *testing.T) {
	state := t.TempDir()
	write(t, filepath.Join(state, "agents/a/ledger/2026-11.jsonl"), "{}\n")
	write(t, filepath.Join(state, "agents/a/lock"), "pid")
	write(t, filepath.Join(state, "agents/b/ledger/2026-11.jsonl"), "not a's\n")
	write(t, filepath.Join(state, "trash/a/0123456789.0-x.md"), "old")
	write(t, filepath.Join(state, "archive/a/1.md"), "notes")
	src := Source{Manifest: Manifest{Made: time.Unix(0, 0).UTC(), Agent: Agent{Name: "a"}}, StateDir: state,
		Memory: map[string][]byte{"memory/1.md": []byte("m")}}
	src.Config = config.Agent{Name: "a", ArchiveDir: filepath.Join(state, "archive/a")}
	var b bytes.Buffer
	m, err := Pack(&b, src)
	if err != nil || len(m.Files) != 4 {
		t.Fatalf("%v, %+v", err, m.Files)
	}
	var again bytes.Buffer
	if _, err := Pack(&again, src); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("not the same package twice: %v", err)
	}
	to, dir := t.TempDir(), tree(t, t.TempDir())
	if _, err := Unpack(bytes.NewReader(b.Bytes()), dir, 1<<20); err != nil {
		t.Fatal(err)
	}
	p := placesIn(t, to)
	if what, taken, err := p.Taken(dir); taken || err != nil {
		t.Errorf("%s is reported in the way of an empty state, %v", what, err)
	}
	must(t, Install(dir, p))
	for name, want := range map[string]string{"agents/n/ledger/2026-11.jsonl": "{}\n", "trash/n/0123456789.0-x.md": "old",
		"archive/n/1.md": "notes"} {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	// Again: what is already in place, to the byte, stays; what differs is in the way.
	second := tree(t, t.TempDir())
	if _, err := Unpack(bytes.NewReader(b.Bytes()), second, 1<<20); err != nil {
		t.Fatal(err)
	}
	if what, taken, err := p.Taken(second); taken || err != nil {
		t.Errorf("%s is in the way, %v", what, err)
	}
	if err := os.RemoveAll(filepath.Join(to, "agents/n")); err != nil { // as an interrupted import leaves it
		t.Fatal(err)
	}
	if err := Install(second, p); err != nil {
		t.Errorf("finish an import: %v", err)
	}
	write(t, filepath.Join(to, "trash/n/x"), "another")
	if _, taken, _ := p.Taken(second); !taken {
		t.Error("it would be overwritten")
	}
	if _, err := Unpack(bytes.NewReader(b.Bytes()), tree(t, t.TempDir()), 3); !errors.Is(err, ErrNoRoom) {
		t.Errorf("without room: %v", err)
	}
	// A truncated package is refused.
	for _, cut := range []int{0, 10, b.Len() / 2, b.Len() - 1} {
		if _, err := Unpack(bytes.NewReader(b.Bytes()[:cut]), tree(t, t.TempDir()), 1<<20); err == nil {
			t.Errorf("%d of %d bytes were accepted", cut, b.Len())
		}
	}
}

func TestInstallRollsBack(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "trash/x"), "1")
	write(t, filepath.Join(dir, "agents/x"), "2")
	write(t, filepath.Join(to, "agents/n/other"), "3")
	if err := Install(tree(t, dir), placesIn(t, to)); err == nil {
		t.Fatal("written over another agent")
	}
	if _, err := os.Stat(filepath.Join(to, "trash/n")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half of it is left: %v", err)
	}
}

// part is one file of a package made by hand.
type part struct {
	h    tar.Header
	data string
}

// packer is reused: a new one clears a megabyte, which would take most of a fuzz target's time.
var packer = gzip.NewWriter(io.Discard)

func packageOf(t *testing.T, m Manifest, list ...part) []byte {
	t.Helper()
	head, err := json.Marshal(m)
	must(t, err)
	var b bytes.Buffer
	z := packer
	z.Reset(&b)
	w := tar.NewWriter(z)
	for _, p := range append([]part{{tar.Header{Name: "manifest.json", Typeflag: tar.TypeReg}, string(head)}}, list...) {
		if p.h.Typeflag == tar.TypeReg {
			p.h.Size = int64(len(p.data))
		}
		p.h.Mode = 0o644
		must(t, w.WriteHeader(&p.h))
		if _, err := w.Write([]byte(p.data)); p.h.Typeflag == tar.TypeReg && err != nil {
			t.Fatal(err)
		}
	}
	must(t, errors.Join(w.Close(), z.Close()))
	return b.Bytes()
}

func TestHostilePackages(t *testing.T) {
	good := Entry{Name: "agents/x", Size: 1, Mode: 0o644, SHA256: digestOf([]byte("1"))}
	manifest := func(list ...Entry) Manifest { return Manifest{Format: format, Agent: Agent{Name: "a"}, Files: list} }
	reg := func(name, data string) part { return part{tar.Header{Name: name, Typeflag: tar.TypeReg}, data} }
	named := func(name string) Entry { e := good; e.Name = name; return e }
	for what, data := range map[string][]byte{
		"up":             packageOf(t, manifest(named("agents/../../x")), reg("agents/../../x", "1")),
		"absolute":       packageOf(t, manifest(named("/etc/x")), reg("/etc/x", "1")),
		"unknown part":   packageOf(t, manifest(named("x")), reg("x", "1")),
		"backslash":      packageOf(t, manifest(named(`agents/..\x`)), reg(`agents/..\x`, "1")),
		"symlink":        packageOf(t, manifest(good), part{tar.Header{Name: "agents/x", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, ""}),
		"hard link":      packageOf(t, manifest(good), part{tar.Header{Name: "agents/x", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}, ""}),
		"twice":          packageOf(t, manifest(good, good), reg("agents/x", "1")),
		"twice in tar":   packageOf(t, manifest(good), reg("agents/x", "1"), reg("agents/x", "1")),
		"not listed":     packageOf(t, manifest(good), reg("agents/x", "1"), reg("agents/y", "1")),
		"missing":        packageOf(t, manifest(good)),
		"another text":   packageOf(t, manifest(good), reg("agents/x", "2")),
		"another size":   packageOf(t, manifest(good), reg("agents/x", "11")),
		"huge":           packageOf(t, manifest(Entry{Name: "agents/x", Size: maxPackage + 1})),
		"another format": packageOf(t, Manifest{Format: 9}),
		"no baseline":    packageOf(t, Manifest{Format: format, Baselines: []Baseline{{"M", "baselines/0-m"}}}),
		"not gzip":       []byte("hello"),
	} {
		dir := filepath.Join(t.TempDir(), "in")
		must(t, os.Mkdir(dir, 0o755))
		if m, err := Unpack(bytes.NewReader(data), tree(t, dir), 1<<20); err == nil {
			t.Errorf("%s: accepted %+v", what, m)
		}
		if entries, _ := os.ReadDir(filepath.Dir(dir)); len(entries) != 1 {
			t.Errorf("%s: something was written outside", what)
		}
	}
	if _, err := Unpack(bytes.NewReader(packageOf(t, manifest(good), reg("agents/x", "1"))), tree(t, t.TempDir()), 1<<20); err != nil {
		t.Errorf("a good one: %v", err)
	}
}

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "repo/.git/config"),
		"[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://me:secret@example.org/x.git\n")
	ws := filepath.Join(dir, "repo/ws")
	write(t, filepath.Join(ws, "MEMORY.md"), "now")
	write(t, filepath.Join(ws, "SOUL.md"), "other")
	if got, want := RepositoryOf(ws), (Repository{"https://example.org/x", "ws"}); got != want {
		t.Errorf("repository %q, want %q", got, want)
	}
	v := func(s string) []vault.Version { return []vault.Version{vault.VersionOf([]byte(s))} }
	for what, c := range map[string]struct {
		h    Home
		want Evidence
		sure bool
	}{
		"all": {Home{Files: map[string][]vault.Version{"MEMORY.md": append(v("old"), v("now")...), "SOUL.md": v("other")}},
			Evidence{2, 2, 0, false}, true},
		"half":       {Home{Files: map[string][]vault.Version{"MEMORY.md": v("now"), "SOUL.md": v("x")}}, Evidence{2, 1, 1, false}, true},
		"names only": {Home{Files: map[string][]vault.Version{"MEMORY.md": v("x"), "SOUL.md": v("y")}}, Evidence{2, 0, 2, false}, false},
		"remote": {Home{Repository: Repository{"https://example.org/x", "ws"}, Files: map[string][]vault.Version{"MEMORY.md": v("x")}},
			Evidence{1, 0, 1, true}, true},
		"neighbour": {Home{Repository: Repository{"https://example.org/x", "other"},
			Files: map[string][]vault.Version{"MEMORY.md": v("x")}}, Evidence{1, 0, 1, false}, false},
		"old record": {Home{Repository: Repository{Remote: "https://example.org/x"}, Files: map[string][]vault.Version{"MEMORY.md": v("x")}},
			Evidence{1, 0, 1, true}, true},
		"nothing":      {Home{}, Evidence{}, false},
		"path with ..": {Home{Files: map[string][]vault.Version{"../.git/config": v("x")}}, Evidence{1, 0, 0, false}, false},
	} {
		got := Compare(t.Context(), c.h, ws)
		if got != c.want || got.Sure() != c.sure {
			t.Errorf("%s: %+v, sure %v", what, got, got.Sure())
		}
	}
}

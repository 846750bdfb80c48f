package pack

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/test/require"
)

var must = require.NoError

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func onDisk(t *testing.T) (*Pack, string) {
	t.Helper()
	dir := t.TempDir()
	tree, err := fsys.Dir(dir)
	must(t, err)
	t.Cleanup(func() { _ = tree.Close() })
	return New(tree, vault.SyncEach{}, "agents/scout/pack", "trash"), filepath.Join(dir, "agents/scout/pack")
}

func add(t *testing.T, p *Pack, entries ...Entry) {
	t.Helper()
	must(t, p.Add(entries))
}

func TestEveryTextComesBack(t *testing.T) {
	p, dir := onDisk(t)
	r := rand.New(rand.NewPCG(7, 7))
	want := map[string][]byte{}
	text := []byte(strings.Repeat("a line of notes, with ümlauts and 日本\n", 600))
	size := 0
	for i := range 300 {
		switch i % 10 {
		case 3:
			text = append(bytes.Clone(text), fmt.Sprintf("line %d\n", i)...)
		case 5:
			text = append(bytes.Clone(text[:r.IntN(len(text))]), 0xff, byte(i), 0) // not UTF-8
		case 7:
			text = nil
		default:
			at := r.IntN(len(text) + 1)
			text = append(append(bytes.Clone(text[:at]), fmt.Sprintf("word%d ü", i)...), text[at:]...)
		}
		if i%10 == 8 {
			text = []byte(strings.Repeat("a fresh start\n", r.IntN(2000)))
		}
		name := fmt.Sprintf("%010d.0-MEMORY.md", i)
		want[name] = bytes.Clone(text)
		size += len(text)
		add(t, p, Entry{Name: name, At: noon, Text: text})
	}
	again := New(p.tree, p.dur, p.dir, p.kind)
	for name, text := range want {
		if e, err := again.Get(name); err != nil || !bytes.Equal(e.Text, text) {
			t.Fatalf("%s: %v, %d bytes, want %d", name, err, len(e.Text), len(text))
		}
	}
	n := 0
	err := again.Each(func(e Entry, err error) error {
		n++
		if !bytes.Equal(e.Text, want[e.Name]) {
			t.Errorf("%s is another text", e.Name)
		}
		return err
	})
	if err != nil || n != len(want) {
		t.Fatalf("%d entries, %v", n, err)
	}
	if damaged, err := again.Verify(); err != nil || len(damaged) > 0 {
		t.Fatalf("damaged: %v %v", damaged, err)
	}
	var disk int64
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		info, _ := f.Info()
		disk += info.Size()
	}
	if disk > int64(size)/4 {
		t.Errorf("%d bytes of text take %d on disk: edits are not kept as edits", size, disk)
	}
	t.Logf("%d texts, %d bytes, %d on disk in %d segments", n, size, disk, len(files))
	if _, err := again.Get("0000000999.0-x.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown name: %v", err)
	}
}

// TestSeveralPlacesAreSeveralEdits: a text that changed in a few places far apart is kept as those places, not as all that
// lies between them.
func TestSeveralPlacesAreSeveralEdits(t *testing.T) {
	p, dir := onDisk(t)
	r := rand.New(rand.NewPCG(1, 2))
	lines := make([]string, 200)
	for i := range lines {
		lines[i] = fmt.Sprintf("- fact %x about rack %d\n", r.Uint64(), i)
	}
	want := map[string]string{}
	for i := range 50 {
		if i > 0 {
			lines[1], lines[100], lines[199] = fmt.Sprintf("- top %d\n", i), fmt.Sprintf("- not UTF-8 \xff %d\n", i), fmt.Sprintf("- last %d\n", i)
		}
		name := fmt.Sprintf("%010d.0-MEMORY.md", i)
		want[name] = strings.Join(lines, "")
		add(t, p, Entry{Name: name, At: noon, Text: []byte(want[name])})
	}
	again := New(p.tree, p.dur, p.dir, p.kind)
	for name, text := range want {
		if e, err := again.Get(name); err != nil || string(e.Text) != text {
			t.Fatalf("%s: %v", name, err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "trash-000001.jsonl"))
	must(t, err)
	whole := len(want["0000000000.0-MEMORY.md"])
	if most := int64(whole + 50*500); info.Size() > most {
		t.Errorf("50 texts of %d bytes with three new lines each take %d, want at most %d", whole, info.Size(), most)
	}
}

// Every single byte is changed once; a text comes back unchanged or not at all.
func TestDamageShows(t *testing.T) {
	p, dir := onDisk(t)
	want := map[string]string{}
	for i := range 6 {
		name := fmt.Sprintf("000000000%d.0-a.md", i)
		want[name] = strings.Repeat("the same line\n", 20) + strings.Repeat(fmt.Sprint(i), i+1)
		add(t, p, Entry{Name: name, At: noon, Text: []byte(want[name])})
	}
	file := filepath.Join(dir, "trash-000001.jsonl")
	whole, err := os.ReadFile(file)
	must(t, err)
	tries := 0
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 0x11
		must(t, os.WriteFile(file, bad, 0o600))
		fresh := New(p.tree, p.dur, p.dir, p.kind)
		for name, text := range want {
			tries++
			if e, err := fresh.Get(name); err == nil && string(e.Text) != text {
				t.Fatalf("byte %d changed: %s came back as another text", i, name)
			}
		}
		if damaged, err := fresh.Verify(); err != nil || len(damaged) == 0 && i < len(whole)-1 {
			if bytes.Contains(whole[i:], []byte("\n{")) { // the last line has none after it that would show the change
				t.Fatalf("byte %d of %d changed: nothing shows (%v)", i, len(whole), err)
			}
		}
	}
	t.Logf("%d tries, %d held", tries, tries)
}

// After a power cut at any call, every text that Add acknowledged is there, and the next Add continues.
func TestPowerCut(t *testing.T) {
	disk := memfs.New()
	tree, err := disk.Tree("state")
	must(t, err)
	disk.Record()
	p := New(tree, vault.SyncEach{}, "agents/scout/pack", "trash")
	var acked []int
	name := func(i int) string { return fmt.Sprintf("000000000%d.0-a.md", i) }
	text := func(i int) []byte { return []byte(strings.Repeat("notes\n", 10*i) + "end\n") }
	for i := range 4 {
		add(t, p, Entry{Name: name(i), At: noon, Text: text(i)})
		acked = append(acked, disk.Len())
	}
	states := 0
	for n, after := range disk.EveryCrash(memfs.Limits{}) {
		states++
		tree, err := after.Tree("state")
		must(t, err)
		p := New(tree, vault.SyncEach{}, "agents/scout/pack", "trash")
		for i, at := range acked {
			e, err := p.Get(name(i))
			if n >= at && (err != nil || !bytes.Equal(e.Text, text(i))) {
				t.Fatalf("cut off behind operation %d: %s: %v", n, name(i), err)
			}
			if err == nil && !bytes.Equal(e.Text, text(i)) {
				t.Fatalf("cut off behind operation %d: %s is another text", n, name(i))
			}
		}
		for i := range acked {
			add(t, p, Entry{Name: name(i), At: noon, Text: text(i)})
			if e, err := p.Get(name(i)); err != nil || !bytes.Equal(e.Text, text(i)) {
				t.Fatalf("cut off behind operation %d, added again: %v", n, err)
			}
		}
	}
	t.Logf("%d states of the disk, %d held", states, states)
}

func TestRewriteRemovesATextEverywhere(t *testing.T) {
	p, dir := onDisk(t)
	for i := range 5 {
		add(t, p, Entry{Name: fmt.Sprintf("000000000%d.0-a.md", i), At: noon,
			Text: []byte(strings.Repeat("x\n", 50) + "token=hunter2\n" + strings.Repeat("y\n", i))})
	}
	add(t, p, Entry{Name: "0000000009.0-b.md", At: noon, Text: []byte("other\n")})
	n, err := p.Rewrite(func(e Entry) (Entry, bool) {
		if !bytes.Contains(e.Text, []byte("hunter2")) {
			return e, false
		}
		e.Text = bytes.ReplaceAll(e.Text, []byte("hunter2"), []byte("[purged]"))
		return e, true
	})
	if err != nil || n != 5 {
		t.Fatalf("%d changed, %v", n, err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "trash-000001.jsonl"))
	if err != nil || bytes.Contains(raw, []byte("hunter2")) {
		t.Fatalf("the text is still there: %v", err)
	}
	if damaged, err := p.Verify(); err != nil || len(damaged) > 0 {
		t.Fatalf("%v %v", damaged, err)
	}
	if e, err := p.Get("0000000003.0-a.md"); err != nil || !strings.HasSuffix(string(e.Text), "[purged]\ny\ny\ny\n") {
		t.Fatalf("%q %v", e.Text, err)
	}
}

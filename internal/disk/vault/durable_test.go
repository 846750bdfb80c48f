package vault_test

import (
	"errors"
	"io/fs"
	"sync"
	"syscall"
	"testing"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
)

// count counts the calls of a kind.
func count(d *memfs.Disk, kind memfs.Kind) *int {
	n, mu := new(int), new(sync.Mutex)
	d.OnOp(func(op memfs.Op) {
		mu.Lock()
		defer mu.Unlock()
		if op.Kind == kind {
			*n++
		}
	})
	return n
}

// Writers that come while one syncs share the next sync. A writer may be held up on its way to the group, and then it comes too late:
// one round in which most were in time is enough.
func TestGroupSyncsOnceForMany(t *testing.T) {
	const many = 50
	syncs := 0
	for range 20 {
		if syncs = syncsFor(t, many); syncs > 0 && syncs <= many/2 {
			return
		}
	}
	t.Errorf("%d syncs for %d writers that joined during the first one", syncs, many)
}

// syncsFor counts the syncs for writers of whom the first syncs until all others have come.
func syncsFor(t *testing.T, writers int) int {
	d := memfs.New()
	g, err := vault.NewGroupSync(treeOf(t, d, "ws"), treeOf(t, d, "state"))
	must(t, err)
	var came, wg sync.WaitGroup
	var first sync.Once
	syncs := 0
	came.Add(writers)
	d.OnOp(func(op memfs.Op) {
		if op.Kind == memfs.SyncAll {
			syncs++ // one leads at a time
			first.Do(came.Wait)
		}
	})
	for range writers {
		wg.Go(func() {
			came.Done()
			if err := g.Barrier(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	must(t, g.Close())
	return syncs
}

// What was written before the call is durable after it, no matter which writer syncs.
func TestGroupCoversWhatWasWrittenBefore(t *testing.T) {
	d := memfs.New()
	tree := treeOf(t, d, "ws")
	g, err := vault.NewGroupSync(tree)
	must(t, err)
	d.Record()
	must(t, vault.WriteNew(tree, g, "a.md", []byte("text"), 0o600))
	if _, err := d.CrashAt(d.Len(), memfs.Lost).ReadFile("ws/a.md"); err == nil {
		t.Error("the file is durable before the barrier: the test proves nothing")
	}
	must(t, g.Barrier())
	if text, err := d.CrashAt(d.Len(), memfs.Lost).ReadFile("ws/a.md"); err != nil || text != "text" {
		t.Errorf("after the barrier: %q, %v", text, err)
	}
}

func TestGroupServesTreesThatWereClosed(t *testing.T) {
	d, far := memfs.New(), memfs.New()
	g, err := vault.NewGroupSync(treeOf(t, d, "state"))
	must(t, err)
	ws := treeOf(t, far, "ws")
	must(t, g.Add(ws))
	must(t, ws.Close())
	syncs := count(far, memfs.SyncAll)
	must(t, g.Barrier())
	if *syncs != 1 {
		t.Errorf("%d syncs of the second file system, want 1", *syncs)
	}
}

// After a failed sync, a later one that succeeds must not count.
func TestGroupStaysFailed(t *testing.T) {
	d := memfs.New()
	g, err := vault.NewGroupSync(treeOf(t, d, "ws"))
	must(t, err)
	d.FailOn(func(op memfs.Op) bool { return op.Kind == memfs.SyncAll }, syscall.EIO, memfs.Once)
	for range 2 {
		if err := g.Barrier(); !errors.Is(err, syscall.EIO) {
			t.Errorf("barrier: %v, want %v", err, syscall.EIO)
		}
	}
}

func TestWriteNew(t *testing.T) {
	d := memfs.New()
	tree := treeOf(t, d, "ws")
	must(t, vault.WriteNew(tree, vault.SyncEach{}, "a.md", []byte("one"), 0o600))
	must(t, vault.WriteNew(tree, vault.SyncEach{}, "a.md", []byte("one"), 0o600)) // idempotent
	if err := vault.WriteNew(tree, vault.SyncEach{}, "a.md", []byte("two"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("write over another text: %v, want %v", err, fs.ErrExist)
	}
	must(t, vault.WriteOver(tree, vault.SyncEach{}, "a.md", []byte("two"), 0o600))
	if got := d.Files("ws"); len(got) != 1 || got["ws/a.md"] != "two" {
		t.Errorf("files: %q", got)
	}
}

// A folder that another process created and did not sync is made durable, too.
func TestMkdirAllSyncsExistingFolders(t *testing.T) {
	d := memfs.New()
	tree := treeOf(t, d, "ws")
	d.Record()
	must(t, d.MkdirAll("ws/a/b"))
	must(t, vault.MkdirAll(tree, vault.SyncEach{}, "a/b/c", 0o700))
	if _, err := d.CrashAt(d.Len(), memfs.Lost).Stat("ws/a/b/c"); err != nil {
		t.Error(err)
	}
	must(t, d.WriteFile("ws/file", ""))
	if err := vault.MkdirAll(tree, vault.SyncEach{}, "file/x", 0o700); err == nil {
		t.Error("a folder was created in a file")
	}
}

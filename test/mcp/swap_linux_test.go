package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"tend/internal/app/memory"
	"tend/internal/app/memory/toolerr"
)

const tries = 10_000

// TestSwappedFolder has an attacker swap a folder with a link to the outside, as fast as it can, while calls go through that
// folder. Nothing outside is ever read or written.
func TestSwappedFolder(t *testing.T) {
	dir := newWorkspace(t, "", map[string]string{"ws/sub/a.md": "inside\n", "outside/a.md": "OUTSIDE\n"})
	ws := filepath.Join(dir, "ws")
	if err := os.Symlink(filepath.Join(dir, "outside"), filepath.Join(ws, "link")); err != nil {
		t.Fatal(err)
	}
	swaps := attack(t, func() { exchange(t, filepath.Join(ws, "sub"), filepath.Join(ws, "link")) })
	m := service(t, dir)
	ctx := context.Background()
	seen := map[string]int{}
	for i := range tries {
		var err error
		switch {
		case i%50 == 0:
			_, err = m.Writer.Append(ctx, memory.AppendRequest{Path: "sub/a.md", Text: "inside too"})
		case i%50 == 25:
			_, err = m.Writer.Write(ctx, memory.WriteRequest{Path: fmt.Sprintf("sub/new%d.md", i), Text: "inside"})
		default:
			var got memory.Text
			got, err = m.Reader.Read(ctx, memory.ReadRequest{Path: "sub/a.md"})
			if strings.Contains(got.Text, "OUTSIDE") {
				t.Fatalf("try %d read the outside", i)
			}
		}
		seen[outcome(err)]++
	}
	n := swaps()
	if got := read(t, filepath.Join(dir, "outside/a.md")); got != "OUTSIDE\n" {
		t.Errorf("the outside was written to: %q", got)
	}
	if names, err := os.ReadDir(filepath.Join(dir, "outside")); err != nil || len(names) != 1 {
		t.Errorf("files were made outside: %v, %v", names, err)
	}
	if n == 0 || seen["ok"] == 0 {
		t.Errorf("%d swaps, answers %v: the attack did not take place", n, seen)
	}
	t.Logf("%d calls against %d swaps: %v, 0 escapes", tries, n, seen)
}

// TestSwappedFile swaps a memory file with a link to another that has an operator's part: the guard must protect that part at
// every moment.
func TestSwappedFile(t *testing.T) {
	rules := "# Rules\n\nNever deploy on Friday.\n\n---\n"
	dir := newWorkspace(t, "    baselines: {MEMORY.md: ./base.md}\n    policy: {lock.wait: 10m}\n",
		map[string]string{"base.md": rules, "ws/MEMORY.md": rules + "- mine\n", "ws/free.md": "# Rules\n\nNever mind.\n"})
	if out, err := tend(dir, "baseline", "approve", "ada").CombinedOutput(); err != nil {
		t.Fatalf("approve: %v: %s", err, out)
	}
	ws := filepath.Join(dir, "ws")
	if err := os.Symlink("MEMORY.md", filepath.Join(ws, "link.md")); err != nil {
		t.Fatal(err)
	}
	swaps := attack(t, func() { exchange(t, filepath.Join(ws, "free.md"), filepath.Join(ws, "link.md")) })
	m := service(t, dir)
	ctx := context.Background()
	seen := map[string]int{}
	for i := range tries / 5 {
		var err error
		if i%2 == 0 {
			_, err = m.Writer.Replace(ctx, memory.ReplaceRequest{Path: "free.md", Old: "Never", New: "Always"})
		} else {
			_, err = m.Writer.Write(ctx, memory.WriteRequest{Path: "free.md", Text: "# Rules\n\nNever mind.\n"})
		}
		seen[outcome(err)]++
		if got := read(t, filepath.Join(ws, "MEMORY.md")); !strings.HasPrefix(got, rules) {
			t.Fatalf("try %d changed the operator's part:\n%s", i, got)
		}
	}
	if seen["ok"] == 0 || seen["operators"] == 0 {
		t.Errorf("answers %v: the attack did not take place", seen)
	}
	t.Logf("%d writes against %d swaps: %v, the operator's part is whole", tries/5, swaps(), seen)
}

// exchange swaps two names in one step.
func exchange(t *testing.T, a, b string) {
	if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
		t.Errorf("the attacker cannot swap: %v", err)
	}
}

// attack repeats something until the returned function is called, which returns how often it ran.
func attack(t *testing.T, swap func()) func() int64 {
	var n atomic.Int64
	done := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				swap()
				n.Add(1)
			}
		}
	})
	var once sync.Once
	stop := func() int64 {
		once.Do(func() { close(done) })
		wg.Wait()
		return n.Load()
	}
	t.Cleanup(func() { stop() })
	return stop
}

func outcome(err error) string {
	if err == nil {
		return "ok"
	}
	if e, ok := err.(*toolerr.Error); ok {
		return string(e.Code)
	}
	return err.Error()
}

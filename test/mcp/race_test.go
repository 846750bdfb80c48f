package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestNothingIsLost has 20 processes append to and replace in one file through the tools, while another program appends to it
// on disk without a lock. What was acknowledged is there afterwards: in the file or, if the file was being replaced at that
// moment, in the trash and archive.
func TestNothingIsLost(t *testing.T) {
	const processes, rounds = 20, 5
	var start strings.Builder
	for i := range processes {
		fmt.Fprintf(&start, "slot %02d = 0;\n", i)
	}
	dir := newWorkspace(t, "    policy: {lock.wait: 10m}\n", map[string]string{"ws/MEMORY.md": start.String()})
	file := filepath.Join(dir, "ws/MEMORY.md")

	var want []string
	stop := make(chan bool)
	var disk sync.WaitGroup
	disk.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			line := fmt.Sprintf("disk line %04d;\n", i)
			f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := f.WriteString(line); err != nil {
				t.Error(err)
			}
			f.Close()
			want = append(want, strings.TrimSpace(line))
			wait()
		}
	})

	var tools sync.WaitGroup
	lines := make(chan string, processes*rounds)
	for p := range processes {
		c := connect(t, dir, nil)
		tools.Go(func() {
			for r := range rounds {
				line := fmt.Sprintf("process %02d round %d;", p, r)
				if text, failed := c.call("memory_append", map[string]any{"filename": "MEMORY.md", "text": line}); failed {
					t.Errorf("append: %s", text)
				} else {
					lines <- line
				}
				old, next := fmt.Sprintf("slot %02d = %d;", p, r), fmt.Sprintf("slot %02d = %d;", p, r+1)
				if text, failed := c.call("memory_replace", map[string]any{"filename": "MEMORY.md", "old_str": old, "new_str": next}); failed {
					t.Errorf("replace: %s", text)
				}
			}
		})
	}
	tools.Wait()
	close(stop)
	disk.Wait()
	close(lines)
	for line := range lines {
		want = append(want, line)
	}

	text := read(t, file)
	for p := range processes {
		if slot := fmt.Sprintf("slot %02d = %d;", p, rounds); strings.Count(text, slot) != 1 {
			t.Errorf("an acknowledged replace was lost: no %q", slot)
		}
	}
	for _, line := range want[len(want)-processes*rounds:] {
		if n := strings.Count(text, line); n != 1 {
			t.Errorf("an acknowledged append is in the file %d times: %q", n, line)
		}
	}
	everywhere := text + everything(t, filepath.Join(dir, "state"))
	missing := 0
	for _, line := range want {
		if !strings.Contains(everywhere, line) {
			missing++
			t.Errorf("lost: %q", line)
		}
	}
	t.Logf("%d appends and %d replaces by %d processes, %d lines by another program, %d lost", processes*rounds, processes*rounds,
		processes, len(want)-processes*rounds, missing)
}

// everything returns the text of all files below a folder.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			b.WriteString(read(t, p))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

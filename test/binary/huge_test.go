//go:build linux

package binary

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// hugeSize can be read within seconds even on a busy machine: status times out after half a minute.
const hugeSize = 512 << 20

// huge creates a sparse file, far larger than what may be read into memory.
func huge(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(text), 0o644))
	must(t, os.Truncate(name, hugeSize))
}

// TestHugeFiles: files of half a gigabyte in a workspace are reported, never read into memory and never replaced, whatever
// their role.
func TestHugeFiles(t *testing.T) {
	const most = 200 << 10 // kilobytes at the peak: less than half of one such file
	w := newWorld(t, t.TempDir(), places{}, "a", "b")
	w.env = append(w.env, "PATH="+os.Getenv("PATH"))
	ws := w.agents[0]
	names := []string{"MEMORY.md", "memory/2026-11-15.md", "memory/working-buffer.md", "memory/big.txt", "SESSION-STATE.md"}
	for _, name := range names {
		huge(t, filepath.Join(ws, name), "# Begin\n")
	}
	must(t, os.Symlink("/dev/zero", filepath.Join(ws, "USER.md")))
	must(t, syscall.Mkfifo(filepath.Join(ws, "SOUL.md"), 0o600))
	say := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_read","arguments":{"filename":"MEMORY.md"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"begin"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"memory_write","arguments":{"filename":"MEMORY.md","content":"x"}}}`,
	}, "\n") + "\n"
	for _, c := range []struct {
		args string
		code []int
		want string // in the output
	}{
		{"status a", []int{1}, "MEMORY.md"},
		{"status --json", []int{1}, "file-too-large"},
		{"check a", []int{1}, "unread-file"},
		{"check a", []int{1}, "larger than file.max_bytes"},
		{"context a", []int{0, 1}, ""},
		{"preview a", []int{1}, "MEMORY.md"},
		{"search begin --agent a", []int{0, 1}, ""},
		{"grep Begin --agent a", []int{0, 1}, ""},
		{"tags --agent a", []int{0, 1}, ""},
		{"note more --agent a --clock 2026-11-15", []int{3}, "file.max_read"},
		{"buffer add more --agent a", []int{3}, "file.max_read"},
		{"session write more --agent a", []int{3}, "file.max_read"},
		{"nightly a --force", []int{0, 1}, ""},
		{"rotate a", []int{0, 1, 3}, ""},
		{"review a", []int{0, 1}, ""},
		{"replay a", []int{0, 1, 3}, ""},
		{"compare a", []int{0, 1}, ""},
		{"doctor", []int{0, 1}, ""},
		{"init " + ws + " --to other.yaml", []int{0}, ""},
		{"mcp a", []int{0}, "file.max_read"},
		{"export a a.tar.gz", []int{0, 1}, ""},
		{"reset --all", []int{1}, "drift"}, // a swap needs no reading
	} {
		args := strings.Fields(c.args)
		cmd := w.command(args...)
		if args[0] == "mcp" {
			cmd.Stdin = strings.NewReader(say)
		}
		peak := measured(t, cmd)
		r := finish(cmd, args)
		ok := false
		for _, code := range c.code {
			ok = ok || r.code == code
		}
		if !ok || !strings.Contains(r.out+r.err, c.want) {
			t.Errorf("want exit code %v and %q:\n%.2000s", c.code, c.want, r.String())
		}
		if got := peak(); got > most {
			t.Errorf("tend %s took %d KB", c.args, got)
		}
	}
	for _, name := range names {
		if name == "MEMORY.md" { // the reset replaced it by the baseline
			continue
		}
		st, err := os.Stat(filepath.Join(ws, name))
		must(t, err)
		if st.Size() != hugeSize {
			t.Errorf("%s has %d bytes now", name, st.Size())
		}
	}
	if !w.clean(t, 1) {
		t.Error("the other agent was not reset")
	}
}

// TestHugeLateWrite: a program that still has a replaced file open may write any amount to it. It stays in the trash and is
// reported.
func TestHugeLateWrite(t *testing.T) {
	w := newWorld(t, t.TempDir(), places{}, "a")
	notes(t, w)
	f, err := os.OpenFile(w.memory(0), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	defer f.Close()
	w.mustRun(t, "reset", "a", "--clock", "2026-11-15")
	must(t, f.Truncate(300<<20))
	_, err = f.WriteString("the end\n")
	must(t, err)
	must(t, os.WriteFile(w.memory(0), slices.Concat(w.baseline, []byte("- more\n")), 0o644))
	cmd := w.command("reset", "a", "--clock", "2026-11-20")
	peak := measured(t, cmd)
	r := finish(cmd, []string{"reset"})
	if r.code != 1 || !strings.Contains(r.out, "it stays in the trash") {
		t.Errorf("not reported:\n%s", r)
	}
	if got := peak(); got > 200<<10 {
		t.Errorf("took %d KB", got)
	}
	kept, err := filepath.Glob(filepath.Join(w.state, "trash", "a", "*-MEMORY.md"))
	must(t, err)
	largest := int64(0)
	for _, name := range kept {
		if st, err := os.Stat(name); err == nil {
			largest = max(largest, st.Size())
		}
	}
	if largest != 300<<20+8 {
		t.Errorf("the trash has %d bytes of it", largest)
	}
}

// TestLongLineInBoundedMemory: for one line of 30 MB, just below the limit, the commands that show it need a few times its size in
// memory, not dozens.
func TestLongLineInBoundedMemory(t *testing.T) {
	const most = 256 << 10 // kilobytes at the peak; it was 313 MB before long entries were skipped
	w := newWorld(t, t.TempDir(), places{}, "a")
	must(t, os.WriteFile(filepath.Join(w.agents[0], "MEMORY.md"), []byte("# M\n\n"+strings.Repeat("word ", 6_000_000)+"\n"), 0o644))
	for _, args := range [][]string{{"preview", "a"}, {"context", "a"}, {"status", "a"}} {
		cmd := w.command(args...)
		peak := measured(t, cmd)
		r := finish(cmd, args)
		if t.Logf("tend %s: peak %d MB", strings.Join(args, " "), peak()>>10); peak() > most || r.code > 1 {
			t.Errorf("tend %s: exit %d, peak %d MB, want %d MB at most\n%s", strings.Join(args, " "), r.code, peak()>>10, most>>10, r.err)
		}
	}
}

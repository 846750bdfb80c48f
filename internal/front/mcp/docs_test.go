package mcp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tend/internal/app/memory"
	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/state/ledger"
	"tend/test/require"
)

// requests are what people ask, and the one tool whose description fits, with words that no other description has.
var requests = []struct{ ask, tool, words string }{
	{"Remember that the staging port is 8443.", "memory_note", "Remember one thing"},
	{"What did we decide about the database?", "memory_search", "Search memory"},
	{"Which port does staging use now, and what was it before?", "memory_search", "only what is true now, and what it replaced"},
	{"Show me what is in MEMORY.md.", "memory_read", "Read a memory file"},
	{"Which notes do you have?", "memory_list", "List memory files"},
	{"Replace plan.md with this new plan.", "memory_write", "overwrite all of it"},
	{"In plan.md it must say Thursday, not Tuesday.", "memory_replace", "Change one passage"},
	{"Put this under the second line of plan.md.", "memory_insert", "Insert lines after a line"},
	{"Add a paragraph at the end of plan.md.", "memory_append", "at the end of a memory file"},
	{"What have you changed in your notes since yesterday?", "memory_history", "Show past changes"},
	{"What did the last clean-up of your memory lose?", "memory_lost", "what the last rewrite of memory by others lost"},
	{"Go through your log and bring your memory up to date.", "memory_review", "page and unread log to curate"},
	{"Keep the second and drop the rest.", "memory_decide", "Answer memory_review"},
	{"Take your last edit of plan.md back.", "memory_restore", "to what it was before the change"},
	{"We will run out of context soon. Save what matters.", "memory_checkpoint", "before its context is compacted"},
	{"From now on your rules should say that you answer in German.", "memory_propose", "Ask the operator to change what you may not"},
	{"Call plan.md roadmap.md from now on.", "memory_move", "Rename a memory file"},
	{"Forget the file plan.md.", "memory_delete", "Delete a memory file"},
}

// disk is a memory on a disk that can fill up, be locked and go offline.
type disk struct {
	*memfs.Disk
	state fsys.FS
	down  atomic.Bool
}

// link is a tree on another host.
type link struct {
	fsys.FS
	down *atomic.Bool
}

func (l link) up() error {
	if l.down.Load() {
		return fmt.Errorf("dial: %w", fsys.ErrUnreachable)
	}
	return nil
}

func (l link) Open(name string) (fsys.File, error) {
	if err := l.up(); err != nil {
		return nil, err
	}
	return l.FS.Open(name)
}

func (l link) Lstat(name string) (fsys.Info, error) {
	if err := l.up(); err != nil {
		return fsys.Info{}, err
	}
	return l.FS.Lstat(name)
}

func (l link) ReadDir(name string) ([]fsys.Info, error) {
	if err := l.up(); err != nil {
		return nil, err
	}
	return l.FS.ReadDir(name)
}

// newDisk serves the memory that fill makes.
func newDisk(t *testing.T, layout string, fill func(*memfs.Disk)) (*disk, caller) {
	t.Helper()
	d := &disk{Disk: memfs.New()}
	fill(d.Disk)
	must(t, d.MkdirAll("state"))
	d.Flush()
	ws, err := d.Tree("ws")
	must(t, err)
	d.state, err = d.Tree("state")
	must(t, err)
	env, err := config.OSEnv()
	must(t, err)
	cfg, err := config.Parse("/tend.yaml",
		[]byte("version: 1\nstate_dir: /state\nagents:\n  ada:\n    layout: "+layout+"\n    timezone: UTC\n    workspace: /ws\n"+
			"    policy: {lock.wait: 20ms, file.max_bytes: 4096}\n"), env)
	must(t, err)
	f := fleet.OnTree(cfg, d.state, func() time.Time { return time.Date(2026, 11, 15, 14, 5, 0, 0, time.UTC) })
	a := f.AgentIn(cfg.Agents[0], link{ws, &d.down})
	m := memory.New(a, memory.Options{})
	t.Cleanup(func() { a.Close() })
	s, err := New(m, Options{})
	must(t, err)
	return d, call(t, s)
}

var must = require.NoError

// mistake is a call that fails, and the next call that its error suggests.
type mistake struct {
	kind, tool, args string
	next             string // {…} is what the pattern find has in the error
	find             string
	before, after    func(t *testing.T, d *disk)
}

func mistakes() []mistake {
	var held func() error
	return []mistake{
		{kind: "name of an argument", tool: "memory_read", args: `{"file": "MEMORY.md"}`, next: `{"filename": "MEMORY.md"}`},
		{kind: "path", tool: "memory_write", args: `{"filename": "../notes.md", "content": "x"}`, find: `such as (\S+)\.`,
			next: `{"filename": "{…}", "content": "x"}`},
		{kind: "size", tool: "memory_write", args: `{"filename": "big.md", "content": "` + strings.Repeat("x", 5000) + `"}`,
			next: `{"filename": "big.md", "content": "` + strings.Repeat("x", 3000) + `"}`},
		{kind: "type", tool: "memory_insert", args: `{"filename": "MEMORY.md", "line": "two", "text": "x"}`,
			next: `{"filename": "MEMORY.md", "line": 2, "text": "x"}`},
		{kind: "missing file", tool: "memory_read", args: `{"filename": "plan.md"}`, find: `There is (\S+)\. `, next: `{"filename": "{…}"}`},
		{kind: "missing passage", tool: "memory_replace", args: `{"filename": "memory/plan.md", "old_str": "Wednesday", "new_str": "Friday"}`,
			next: `{"filename": "memory/plan.md", "old_str": "Tuesday", "new_str": "Friday"}`},
		{kind: "stale version", tool: "memory_append", args: `{"filename": "MEMORY.md", "text": "- cake", "if_version": "0123456789ab"}`,
			find: `if_version (\w+)`, next: `{"filename": "MEMORY.md", "text": "- cake", "if_version": "{…}"}`},
		{
			kind: "locked", tool: "memory_append", args: `{"filename": "MEMORY.md", "text": "- cake"}`,
			next: `{"filename": "MEMORY.md", "text": "- cake"}`,
			before: func(t *testing.T, d *disk) {
				must(t, d.MkdirAll("state/"+filepath.Dir(ledger.LockPath("ada"))))
				lock, err := d.state.Lock(ledger.LockPath("ada"), "another")
				must(t, err)
				held = lock.Close
			},
			after: func(t *testing.T, _ *disk) { must(t, held()) },
		},
		{
			kind: "full disk", tool: "memory_append", args: `{"filename": "MEMORY.md", "text": "- cake"}`,
			next:   `{"filename": "MEMORY.md", "text": "- cake"}`,
			before: func(_ *testing.T, d *disk) { d.Limit(1, 1) },
			after:  func(_ *testing.T, d *disk) { d.Limit(0, 0) },
		},
		{
			kind: "offline", tool: "memory_read", args: `{"filename": "MEMORY.md"}`, next: `{"filename": "MEMORY.md"}`,
			before: func(_ *testing.T, d *disk) { d.down.Store(true) },
			after:  func(_ *testing.T, d *disk) { d.down.Store(false) },
		},
	}
}

// TestToolsAreDocumented: docs/tools.md has, for each request, the only tool that fits, and, for each kind of failed call,
// what the model reads and the next call, which then succeeds. Both are tested here.
func TestToolsAreDocumented(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("# Tools: what to call, and what to do when a call fails\n\nGenerated by `go test ./internal/front/mcp -run " +
		"ToolsAreDocumented -update`, which also tests this\npage with the real server.\n\n" +
		"## What people ask\n\nEach request fits the description of one tool only. The words in the last column are in no other\n" +
		"description.\n\n| request | tool | because it says |\n|---|---|---|\n")
	tools := listed(t, Options{Profile: Full})
	about := map[string]string{}
	for _, tool := range tools {
		about[tool.Name] = tool.Description + fmt.Sprint(tool.InputSchema)
	}
	tried := map[string]bool{}
	for _, r := range requests {
		tried[r.tool] = true
		for name, text := range about {
			if has := strings.Contains(text, r.words); has != (name == r.tool) {
				t.Errorf("%q: %q in %s: %v", r.ask, r.words, name, has)
			}
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", r.ask, r.tool, r.words)
	}
	for name := range about {
		if !tried[name] {
			t.Errorf("no request fits %s", name)
		}
	}
	b.WriteString("\n## When a call fails\n\nNothing is changed by a call that fails. What the model reads says what to do next; the\n" +
		"last column is that next call, which succeeds (for the last three, once the cause is gone).\n\n" +
		"| what is wrong | call | the model reads | next |\n|---|---|---|---|\n")
	for _, m := range mistakes() {
		t.Run(m.kind, func(t *testing.T) {
			d, c := newDisk(t, "openclaw@2026.9", func(d *memfs.Disk) {
				must(t, d.MkdirAll("ws/memory"))
				must(t, d.WriteFile("ws/MEMORY.md", "# Memory\n\n- tea, not coffee\n"))
				must(t, d.WriteFile("ws/memory/plan.md", "Tuesday\n"))
			})
			if m.before != nil {
				m.before(t, d)
			}
			out, failed := c.tool(m.tool, m.args)
			if m.after != nil {
				m.after(t, d)
			}
			if !failed || len(out) != 1 {
				t.Fatalf("error %v: %s", failed, out)
			}
			next := m.next
			if m.find != "" {
				found := regexp.MustCompile(m.find).FindStringSubmatch(out[0])
				if found == nil {
					t.Fatalf("no %s in: %s", m.find, out[0])
				}
				next = strings.ReplaceAll(next, "{…}", found[1])
			}
			if again, failed := c.tool(m.tool, next); failed {
				t.Errorf("the next step fails too: %s", again)
			}
			fmt.Fprintf(&b, "| %s | `%s %s` | %s | `%s` |\n", m.kind, m.tool, shortened(m.args), shortened(out[0]), shortened(next))
		})
	}
	const file = "../../../docs/tools.md"
	if *update {
		must(t, os.WriteFile(file, b.Bytes(), 0o644))
	}
	if have, err := os.ReadFile(file); err != nil || !bytes.Equal(have, b.Bytes()) {
		t.Errorf("%s is out of date (%v); run with -update", file, err)
	}
}

// shortened returns a text without its long runs.
func shortened(s string) string {
	return regexp.MustCompile(`x{20,}`).ReplaceAllStringFunc(s, func(run string) string { return fmt.Sprintf("… %d characters …", len(run)) })
}

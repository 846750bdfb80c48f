package history

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
)

// bench is an agent with a ledger and a repository on a real disk.
type bench struct {
	t    *testing.T
	dir  string // the workspace
	l    *ledger.Ledger
	v    *vault.Vault
	repo Repo
	now  time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	root := t.TempDir()
	b := &bench{t: t, dir: filepath.Join(root, "ws"), now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}
	b.repo = Repo{Git: Git{Dir: filepath.Join(root, "state", "history", "scout.git")}}
	for _, dir := range []string{b.dir, filepath.Join(root, "state")} {
		b.check(os.MkdirAll(dir, 0o755))
	}
	ws, err := fsys.Dir(b.dir)
	b.check(err)
	state, err := fsys.Dir(filepath.Join(root, "state"))
	b.check(err)
	b.v = vault.New(ws, state, ledger.LockPath("scout"), ledger.TrashPath("scout"), vault.SyncEach{})
	b.check(state.Mkdir("history", 0o700))
	lock, err := state.Lock("history/scout.lock", "test\n")
	b.check(err)
	b.repo.Git.Lock, err = fsys.Inherit(lock)
	b.check(err)
	b.check(lock.Close())
	b.repo.Seen = pack.New(state, vault.SyncEach{}, "agents/scout/pack", "seen")
	t.Cleanup(func() { b.check(errors.Join(b.repo.Git.Lock.Close(), b.v.Close(), state.Close())) })
	b.l = ledger.New("scout", ledger.Options{State: state, Vault: b.v, Durable: vault.SyncEach{}, Clock: func() time.Time {
		b.now = b.now.Add(time.Second)
		return b.now
	}})
	return b
}

func (b *bench) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// write writes a file as the agent; an empty text removes it.
func (b *bench) write(name, text string) {
	b.t.Helper()
	name = filepath.Join(b.dir, filepath.FromSlash(name))
	b.check(os.MkdirAll(filepath.Dir(name), 0o755))
	if text == "" {
		b.check(os.Remove(name))
		return
	}
	b.check(os.WriteFile(name, []byte(text), 0o644))
}

// act writes a file as Tend.
func (b *bench) act(job string, op plan.Op, name, text string) string {
	b.t.Helper()
	doc, err := b.v.Read(b.t.Context(), vault.Path(name))
	if err != nil && !errors.Is(err, vault.ErrAbsent) {
		b.t.Fatal(err)
	}
	s, err := b.l.Begin(b.t.Context(), "operator:test")
	b.check(err)
	defer s.Close()
	a, err := s.Apply(b.t.Context(), plan.Plan{Job: job, Reason: "why not", Summary: name, Changes: []plan.Change{
		{Path: vault.Path(name), Op: op, Before: doc.Version, Old: doc.Data, New: []byte(text)},
	}})
	b.check(err)
	return a.ID
}

func (b *bench) read() (Worktree, error) {
	st := Worktree{Files: map[vault.Path]vault.Doc{}}
	err := filepath.WalkDir(b.dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(b.dir, name)
		if err != nil {
			return err
		}
		p := vault.Path(filepath.ToSlash(rel))
		st.Files[p], err = b.v.Read(b.t.Context(), p)
		return err
	})
	return st, err
}

func (b *bench) sync() (int, []finding.Finding) {
	b.t.Helper()
	n, found, err := b.repo.Sync(b.t.Context(), b.l, b.read, b.now)
	b.check(err)
	return n, found
}

// git runs git as a user would.
func (b *bench) git(args ...string) string {
	b.t.Helper()
	out, err := exec.Command("git", append([]string{"--git-dir=" + b.repo.Git.Dir}, args...)...).CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

// subjects lists authors and subjects, oldest first.
func (b *bench) subjects() []string {
	b.t.Helper()
	return strings.Split(strings.TrimSpace(b.git("log", "--reverse", "--format=%an %ae: %s", "main")), "\n")
}

// TestTextsOfOneSecond: each observed text has a second of its own, which is its name.
func TestTextsOfOneSecond(t *testing.T) {
	b := newBench(t)
	seconds, now := map[int64]string{}, b.now
	for _, text := range []string{"one\n", "one\ntwo\n", "one\n", "three\n"} {
		b.write("MEMORY.md", text)
		_, _, err := b.repo.Sync(t.Context(), b.l, b.read, now)
		b.check(err)
	}
	b.check(b.repo.Seen.Each(func(e pack.Entry, err error) error {
		if was, ok := seconds[e.At.Unix()]; ok || err != nil {
			t.Errorf("%v: %q and %q were seen in the same second", err, was, e.Text)
		}
		seconds[e.At.Unix()] = string(e.Text)
		return nil
	}))
	if len(seconds) != 4 {
		t.Errorf("%d texts, want 4: %v", len(seconds), seconds)
	}
}

func TestCommits(t *testing.T) {
	b := newBench(t)
	b.write("MEMORY.md", "one\n")
	b.act("reset", plan.Write, "MEMORY.md", "baseline\n")
	b.write("MEMORY.md", "baseline\ntwo\n")
	b.act("reset", plan.Write, "MEMORY.md", "baseline\n")
	b.act("note", plan.Append, "memory/2026-11-15.md", "- said\n")
	b.write("MEMORY.md", "baseline\nthree\n")
	if n, _ := b.sync(); n != 6 {
		t.Errorf("commits: got %d, want 6", n)
	}
	want := []string{
		"scout agent@tend: what scout wrote",
		"operator:test tend@tend: reset: MEMORY.md",
		"scout agent@tend: what scout wrote",
		"operator:test tend@tend: reset: MEMORY.md",
		"operator:test tend@tend: note: memory/2026-11-15.md",
		"scout agent@tend: what scout wrote",
	}
	if diff := cmp.Diff(want, b.subjects()); diff != "" {
		t.Error(diff)
	}
	for rev, text := range map[string]string{"main": "baseline\nthree\n", "main~1": "baseline\n", "main~3": "baseline\ntwo\n",
		"main~5": "one\n"} {
		if got := b.git("show", rev+":MEMORY.md"); got != text {
			t.Errorf("%s: got %q, want %q", rev, got, text)
		}
	}
	if got := b.git("log", "-p", "--format=%b", "main"); !strings.Contains(got, "-two\n") || !strings.Contains(got, "why not") {
		t.Errorf("log -p: %s", got)
	}
	if n, _ := b.sync(); n != 0 {
		t.Errorf("commits without changes: got %d, want 0", n)
	}

	// An append is Tend's even if the text before it is known from an earlier sync only.
	b.act("note", plan.Append, "memory/2026-11-15.md", "- said too\n")
	b.write("MEMORY.md", "")
	if n, _ := b.sync(); n != 2 {
		t.Errorf("commits: got %d, want 2", n)
	}
	if got, want := b.git("show", "main~1:memory/2026-11-15.md"), "- said\n- said too\n"; got != want {
		t.Errorf("append: got %q, want %q", got, want)
	}
	if got, want := b.git("ls-tree", "-r", "--name-only", "main"), "memory/2026-11-15.md\n"; got != want {
		t.Errorf("removed file: got %q, want %q", got, want)
	}
}

// TestBytes: texts and names are kept byte for byte, whatever they contain.
func TestBytes(t *testing.T) {
	b := newBench(t)
	texts := map[string]string{
		"crlf.md": "a\r\nb\r\n", "no newline.md": "end", "done.md": "done\n", "zero.md": "a\x00b\xff", `q"uote\d.md`: "x\n",
		"ünï/日本.md": "x\n", " lead.md": "x\n", "a\nb.md": "x\n", "commit refs.md": "commit refs/heads/main\ndata 3\nabc\n",
	}
	for name, text := range texts {
		b.write(name, text)
	}
	b.sync()
	for name, text := range texts {
		if got := b.git("show", "main:"+name); got != text {
			t.Errorf("%q: got %q, want %q", name, got, text)
		}
	}
	b.check(os.WriteFile(filepath.Join(b.dir, "empty.md"), nil, 0o644))
	b.sync()
	if got := b.git("show", "main:empty.md"); got != "" {
		t.Errorf("empty: got %q", got)
	}
}

// TestUnread: a file that could not be read must not be committed as removed.
func TestUnread(t *testing.T) {
	b := newBench(t)
	b.write("a/b/c.md", "c\n")
	b.write("gone.md", "x\n")
	b.sync()
	_, _, err := b.repo.Sync(t.Context(), b.l, func() (Worktree, error) {
		return Worktree{Unread: map[vault.Path]string{"a": "no permission"}}, nil
	}, b.now)
	b.check(err)
	if got, want := b.git("ls-tree", "-r", "--name-only", "main"), "a/b/c.md\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestActionDuringRead has Tend act while the files are read: its change must not be committed as the agent's.
func TestActionDuringRead(t *testing.T) {
	b := newBench(t)
	b.write("MEMORY.md", "notes\n")
	looks := 0
	_, _, err := b.repo.Sync(t.Context(), b.l, func() (Worktree, error) {
		looks++
		st, err := b.read()
		if looks == 1 {
			b.act("reset", plan.Write, "MEMORY.md", "baseline\n")
		}
		return st, err
	}, b.now)
	b.check(err)
	want := []string{"scout agent@tend: what scout wrote", "operator:test tend@tend: reset: MEMORY.md"}
	if diff := cmp.Diff(want, b.subjects()); diff != "" || looks != 2 {
		t.Errorf("%d reads: %s", looks, diff)
	}
}

func TestHealed(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(b *bench)
		aside  bool
	}{
		{"cut off with its locks", func(b *bench) {
			b.check(os.WriteFile(filepath.Join(b.repo.Git.Dir, marker), nil, 0o600))
			b.check(os.WriteFile(filepath.Join(b.repo.Git.Dir, "refs", "heads", "main.lock"), nil, 0o600))
		}, false},
		{"locks alone", func(b *bench) {
			b.check(os.WriteFile(filepath.Join(b.repo.Git.Dir, "refs", "heads", "main.lock"), nil, 0o600))
		}, false},
		{"an empty branch", func(b *bench) {
			b.check(os.WriteFile(filepath.Join(b.repo.Git.Dir, "refs", "heads", "main"), nil, 0o600))
		}, true},
		{"lost packs", func(b *bench) {
			b.check(os.RemoveAll(filepath.Join(b.repo.Git.Dir, "objects")))
			b.check(os.MkdirAll(filepath.Join(b.repo.Git.Dir, "objects"), 0o700))
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t)
			b.write("MEMORY.md", "one\n")
			b.act("reset", plan.Write, "MEMORY.md", "baseline\n")
			b.sync()
			tc.damage(b)
			b.write("MEMORY.md", "baseline\ntwo\n")
			_, found := b.sync()
			if got := len(found) == 1 && found[0].Code == finding.HistoryBroken.Code; got != tc.aside {
				t.Errorf("said to be damaged: got %v, want %v: %v", got, tc.aside, found)
			}
			if got, want := b.git("show", "main:MEMORY.md"), "baseline\ntwo\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			// A new one is built from the ledger and has all commits.
			if got, want := len(b.subjects()), 3; got != want {
				t.Errorf("commits: got %d, want %d", got, want)
			}
			b.git("fsck", "--strict")
			kept, err := filepath.Glob(b.repo.Git.Dir + ".broken-*")
			b.check(err)
			if got, want := len(kept) == 1, tc.aside; got != want {
				t.Errorf("set aside: got %v, want %v", kept, want)
			}
		})
	}
}

func TestWithoutGit(t *testing.T) {
	b := newBench(t)
	t.Setenv("PATH", t.TempDir())
	_, _, err := b.repo.Sync(t.Context(), b.l, b.read, b.now)
	if !errors.Is(err, ErrNoGit) {
		t.Errorf("got %v, want %v", err, ErrNoGit)
	}
	if !strings.Contains(err.Error(), "git is not installed") {
		t.Errorf("unclear: %v", err)
	}
}

// TestIgnoresUserConfig: the user's git configuration and environment have no effect.
func TestIgnoresUserConfig(t *testing.T) {
	b := newBench(t)
	home := t.TempDir()
	b.check(os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[core]\n\tautocrlf = true\n[user]\n\tname = Somebody\n[broken\n"), 0o644))
	t.Setenv("HOME", home)
	t.Setenv("GIT_DIR", filepath.Join(home, "elsewhere"))
	t.Setenv("GIT_OBJECT_DIRECTORY", home)
	b.write("MEMORY.md", "a\r\n")
	b.sync()
	if _, err := os.Stat(filepath.Join(home, "elsewhere")); err == nil {
		t.Error("it went elsewhere")
	}
	text, err := b.repo.Git.runGit(context.Background(), nil, "show", "main:MEMORY.md")
	b.check(err)
	if got, want := string(text), "a\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLast finds the newest action even after git pack-refs.
func TestLast(t *testing.T) {
	b := newBench(t)
	b.write("MEMORY.md", "one\n")
	b.act("reset", plan.Write, "MEMORY.md", "baseline\n")
	id := b.act("note", plan.Append, "MEMORY.md", "- said\n")
	b.sync()
	b.git("pack-refs", "--all")
	noted, err := b.repo.Git.tipContent(t.Context())
	b.check(err)
	b.check(os.Remove(filepath.Join(b.repo.Git.Dir, contentFile)))
	asked, err := b.repo.Git.tipContent(t.Context())
	b.check(err)
	if noted.last != id || asked.last != id || asked.tip != noted.tip {
		t.Errorf("noted %v, git says %v; want %s", noted, asked, id)
	}
	if diff := cmp.Diff(asked.files, noted.files); diff != "" || len(asked.files) != 1 {
		t.Errorf("files: %s", diff)
	}
}

// TestProcesses counts the git processes of a sync: none if nothing has changed, one to write.
func TestProcesses(t *testing.T) {
	b := newBench(t)
	git, err := exec.LookPath("git")
	b.check(err)
	bin, calls := t.TempDir(), filepath.Join(t.TempDir(), "calls")
	script := "#!/bin/sh\necho \"$@\" >>'" + calls + "'\nexec '" + git + "' \"$@\"\n"
	b.check(os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	started := func(what string, want int) {
		t.Helper()
		b.check(os.WriteFile(calls, nil, 0o600))
		b.sync()
		text, err := os.ReadFile(calls)
		b.check(err)
		if got := strings.Count(string(text), "\n"); got != want {
			t.Errorf("%s: %d git processes, want %d:\n%s", what, got, want, text)
		}
	}
	b.write("MEMORY.md", "one\n")
	b.act("reset", plan.Write, "MEMORY.md", "baseline\n")
	started("the first sync", 1)
	started("nothing new", 0)
	b.act("note", plan.Append, "memory/2026-11-15.md", "- said\n")
	started("a note in a new file", 1)
	b.act("note", plan.Append, "memory/2026-11-15.md", "- said too\n")
	b.act("note", plan.Append, "memory/2026-11-15.md", "- and this\n")
	b.write("MEMORY.md", "baseline\ntwo\n")
	started("notes and what the agent wrote", 1)
	started("nothing new", 0)
	b.check(os.Truncate(filepath.Join(b.repo.Git.Dir, contentFile), 100))
	started("a damaged note of the content", 2)
	started("nothing new", 0)
}

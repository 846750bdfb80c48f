package history

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
	"tend/internal/model/finding"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
)

// branch creates another branch, with texts that nothing else has.
func (b *bench) branch(texts map[string]string) {
	b.t.Helper()
	if _, err := b.repo.Git.open(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	var in strings.Builder
	fmt.Fprint(&in, "commit refs/heads/other\ncommitter tend <tend@tend> 1700000000 +0000\ndata 1\nx\n")
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", quotePath(name), len(texts[name]), texts[name])
	}
	in.WriteString("\ndone\n")
	_, err := b.repo.Git.runGit(b.t.Context(), []byte(in.String()), "fast-import", "--quiet", "--done", "--date-format=raw")
	b.check(err)
}

// texts are the ids of the texts that git and the pack can give back.
func (b *bench) texts() map[string]bool {
	b.t.Helper()
	ids, err := b.repo.Git.listBlobs(b.t.Context())
	b.check(err)
	b.check(b.repo.Seen.Each(func(e pack.Entry, err error) error { ids[blobID(e.Text)] = true; return err }))
	return ids
}

// life is a history with texts that only git used to have: what the agent wrote and removed between two actions.
func life(t *testing.T) *bench {
	b := newBench(t)
	b.write("MEMORY.md", "one\n")
	b.sync()
	b.now = b.now.Add(time.Minute)
	b.write("MEMORY.md", "one\nseen between, then deleted by the agent\n")
	b.write("memory/x.md", "a file\n")
	b.sync()
	b.now = b.now.Add(time.Minute)
	b.write("MEMORY.md", "one\n")
	b.write("memory/x.md", "")
	b.sync()
	b.act("reset", plan.Write, "MEMORY.md", "baseline\n")
	b.act("note", plan.Append, "memory/2026-11-15.md", "- said\n")
	b.write("MEMORY.md", "baseline\ntwo\n")
	b.sync()
	b.act("reset", plan.Write, "MEMORY.md", "baseline\n")
	b.write("memory/2026-11-15.md", "- said\n- by the agent\n")
	b.sync()
	return b
}

// After the repository was deleted, the next sync or a rebuild creates one with the same commits.
func TestRebuildFromPacks(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(b *bench)
	}{
		{"rebuilt", func(*bench) {}},
		{"deleted", func(b *bench) { b.check(os.RemoveAll(b.repo.Git.Dir)) }},
		{"foreign settings", func(b *bench) {
			b.check(os.WriteFile(filepath.Join(b.repo.Git.Dir, "config"),
				[]byte(ourConfig+"[remote \"o\"]\n\turl = ext::sh -c id\n\tpromisor = true\n"), 0o600))
		}},
		{"cut off", func(b *bench) { b.check(os.Rename(b.repo.Git.Dir, b.repo.Git.Dir+".old")) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := life(t)
			story, before := b.git("log", "-p", "--format=%an %s%n%b", "main"), b.texts()
			tc.do(b)
			res, err := b.repo.Rebuild(t.Context(), b.l, b.read, b.now)
			b.check(err)
			if got := b.git("log", "-p", "--format=%an %s%n%b", "main"); got != story {
				t.Errorf("other commits:\n%s\nwant\n%s", got, story)
			}
			if diff := cmp.Diff(before, b.texts()); diff != "" {
				t.Errorf("other texts: %s", diff)
			}
			if tc.name == "rebuilt" && (res.Texts == 0 || res.Commits == 0) {
				t.Errorf("%+v", res)
			}
			b.git("fsck", "--strict")
			if n, found := b.sync(); n != 0 || len(found) > 0 {
				t.Errorf("a sync after it: %d commits, %v", n, found)
			}
		})
	}
}

// What only git has stays there: a rebuild that would lose it fails and leaves the repository as it was.
func TestRebuildLosesNothing(t *testing.T) {
	b := life(t)
	b.branch(map[string]string{"1r9ay8h441.0-MEMORY.md": "only git has this\n"})
	if _, err := b.repo.Rebuild(t.Context(), b.l, b.read, b.now); err == nil || !strings.Contains(err.Error(), "1 texts of the old history") {
		t.Errorf("rebuild: %v", err)
	}
	if got := b.git("show", "other:1r9ay8h441.0-MEMORY.md"); got != "only git has this\n" {
		t.Errorf("got %q", got)
	}
	if n, found := b.sync(); n != 0 || len(found) > 0 {
		t.Errorf("a sync after it: %d commits, %v", n, found)
	}
}

// A damaged repository is set aside, and stays a finding until it is deleted. Nothing was only there.
func TestDamagedStaysAFinding(t *testing.T) {
	b := life(t)
	story, before := b.git("log", "-p", "--format=%an %s%n%b", "main"), b.texts()
	b.check(os.WriteFile(filepath.Join(b.repo.Git.Dir, "refs", "heads", "main"), []byte(strings.Repeat("1", 40)+"\n"), 0o600))
	b.check(os.WriteFile(filepath.Join(b.repo.Git.Dir, marker), nil, 0o600))
	for range 2 {
		if _, found := b.sync(); len(found) != 1 || found[0].Code != finding.HistoryBroken.Code {
			t.Fatalf("found %v", found)
		}
	}
	if got := b.git("log", "-p", "--format=%an %s%n%b", "main"); got != story {
		t.Errorf("another story:\n%s\nwant\n%s", got, story)
	}
	if diff := cmp.Diff(before, b.texts()); diff != "" {
		t.Errorf("other texts: %s", diff)
	}
	list, err := b.repo.Broken()
	if err != nil || len(list) != 1 {
		t.Fatalf("%v %v", list, err)
	}
	b.check(os.RemoveAll(list[0]))
	if _, found := b.sync(); len(found) != 0 {
		t.Errorf("found %v", found)
	}
}

// A git whose Tend was killed keeps the lock: its lock files stay until it ends.
func TestOrphanKeepsItsLock(t *testing.T) {
	b := newBench(t)
	b.sync()
	// A git that waits for input, started like ours.
	cmd := exec.Command("git", append(fixedSettings(b.repo.Git.Dir), "cat-file", "--batch")...)
	cmd.Env, cmd.ExtraFiles = gitEnvironment(), []*os.File{b.repo.Git.Lock}
	in, err := cmd.StdinPipe()
	b.check(err)
	out, err := cmd.StdoutPipe()
	b.check(err)
	b.check(cmd.Start())
	_, err = fmt.Fprintln(in, "HEAD") // it answers, so it is running
	b.check(err)
	_, err = out.Read(make([]byte, 1))
	b.check(err)

	state, err := fsys.Dir(filepath.Dir(filepath.Dir(b.repo.Git.Dir)))
	b.check(err)
	defer state.Close()
	b.check(b.repo.Git.Lock.Close()) // Tend is gone
	if _, err := state.Lock("history/scout.lock", ""); !errors.Is(err, fsys.ErrLocked) {
		t.Errorf("the lock of a running git is free: %v", err)
	}
	b.check(in.Close())
	b.check(cmd.Wait())
	lock, err := state.Lock("history/scout.lock", "")
	b.check(err)
	b.repo.Git.Lock, err = os.Open(os.DevNull)
	b.check(err)
	b.check(lock.Close())
}

// Settings that name programs are never followed.
func TestForeignGitSettings(t *testing.T) {
	witness := filepath.Join(t.TempDir(), "ran")
	run := "touch " + witness
	for name, harm := range map[string]func(dir string) error{
		"promisor": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "config"),
				[]byte(ourConfig+"[extensions]\n\tpartialClone = o\n[remote \"o\"]\n\turl = ext::sh -c '"+run+"'\n\tpromisor = true\n"+
					"[protocol \"ext\"]\n\tallow = always\n"), 0o600)
		},
		"textconv": func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "config"), []byte(ourConfig+"[diff \"x\"]\n\ttextconv = "+run+" #\n"), 0o600),
				os.MkdirAll(filepath.Join(dir, "info"), 0o700), os.WriteFile(filepath.Join(dir, "info", "attributes"), []byte("* diff=x\n"), 0o600))
		},
		"external diff": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "config"), []byte(ourConfig+"[diff]\n\texternal = "+run+"\n"), 0o600)
		},
		"fsmonitor": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "config"), []byte(ourConfig+"[core]\n\tfsmonitor = "+run+"\n"), 0o600)
		},
		"include": func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "more"), []byte("[diff]\n\texternal = "+run+"\n"), 0o600),
				os.WriteFile(filepath.Join(dir, "config"), []byte(ourConfig+"[include]\n\tpath = more\n"), 0o600))
		},
		"hooks": func(dir string) error {
			return errors.Join(os.MkdirAll(filepath.Join(dir, "hooks"), 0o700),
				os.WriteFile(filepath.Join(dir, "hooks", "reference-transaction"), []byte("#!/bin/sh\n"+run+"\n"), 0o755))
		},
		"alternates": func(dir string) error {
			return errors.Join(os.MkdirAll(filepath.Join(dir, "objects", "info"), 0o700),
				os.WriteFile(filepath.Join(dir, "objects", "info", "alternates"), []byte("/somewhere/else\n"), 0o600))
		},
		"config is a link": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "config")), os.Symlink("/etc/passwd", filepath.Join(dir, "config")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := life(t)
			b.check(harm(b.repo.Git.Dir))
			var out strings.Builder
			if err := b.repo.Git.Log(t.Context(), &out, "", 0); !errors.Is(err, ErrForeign) {
				t.Errorf("log: %v", err)
			}
			b.write("MEMORY.md", "after\n")
			b.sync() // the next writer repairs it
			b.check(b.repo.Git.Log(t.Context(), &out, "MEMORY.md", 0))
			if !strings.Contains(out.String(), "+after") {
				t.Errorf("log: %s", out.String())
			}
			if _, err := os.Stat(witness); err == nil {
				t.Fatal("a command of the repository was run")
			}
		})
	}
}

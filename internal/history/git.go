// Package history keeps an ordinary git repository per agent, so that
// `git log -p` shows how a memory came to be.
//
// It is derived: the ledger is the truth, and a repository that is broken is set
// aside and begun anew. No write ever waits for it.
package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ErrNoGit: there is no git on this machine; everything but history works without.
var ErrNoGit = errors.New("git is not installed: history is not kept as a git repository (everything else works)")

// Repo is an agent's repository.
type Repo struct{ Dir string }

// git runs a git command that can be influenced by nothing but its arguments.
func (r Repo) git(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	fixed := []string{
		"--git-dir=" + r.Dir, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "commit.gpgsign=false",
		"-c", "gc.auto=0", "-c", "core.fsync=all", "-c", "core.attributesFile=/dev/null", "-c", "safe.directory=*",
	}
	cmd := exec.CommandContext(ctx, "git", append(fixed, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0"}
	cmd.Stdin = bytes.NewReader(stdin)
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, ErrNoGit
	case err != nil:
		return nil, &gitError{args[0], strings.TrimSpace(diag.String()), err}
	}
	return out.Bytes(), nil
}

// gitError is a git command that failed.
type gitError struct {
	command, said string
	err           error
}

func (e *gitError) Error() string { return fmt.Sprintf("git %s: %v: %s", e.command, e.err, e.said) }

func (e *gitError) Unwrap() error { return e.err }

// open makes the repository if need be and puts right what a cut-off sync left.
// aside is where a broken one went.
func (r Repo) open(ctx context.Context) (aside string, err error) {
	if _, err := os.Stat(filepath.Join(r.Dir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		return "", r.init(ctx)
	} else if err != nil {
		return "", err
	}
	if _, err := os.Stat(r.marker()); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return r.heal(ctx)
}

// heal removes stale locks, which nobody else can hold since only one syncs at a
// time. A repository that is damaged all the same is set aside and begun anew.
func (r Repo) heal(ctx context.Context) (aside string, err error) {
	err = filepath.WalkDir(r.Dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ".lock") {
			return os.Remove(p)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	if _, err := r.git(ctx, nil, "fsck", "--connectivity-only", "--no-progress"); err == nil {
		return "", nil
	} else if errors.Is(err, ErrNoGit) || ctx.Err() != nil {
		return "", err
	}
	aside = fmt.Sprintf("%s.broken-%d", r.Dir, time.Now().UnixNano())
	if err := os.Rename(r.Dir, aside); err != nil {
		return "", err
	}
	return aside, r.init(ctx)
}

func (r Repo) init(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(r.Dir), 0o700); err != nil {
		return err
	}
	_, err := r.git(ctx, nil, "init", "--quiet", "--bare", "--initial-branch=main")
	return err
}

// marker stands while a sync is under way.
func (r Repo) marker() string { return filepath.Join(r.Dir, "tend-syncing") }

// Last is the newest action the repository holds, "" if none.
func (r Repo) Last(ctx context.Context) (string, error) {
	if _, err := os.Stat(filepath.Join(r.Dir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if _, err := r.git(ctx, nil, "rev-parse", "--verify", "--quiet", "refs/heads/main"); err != nil {
		if errors.Is(err, ErrNoGit) {
			return "", err
		}
		return "", r.unborn(err)
	}
	return r.action(ctx, "main")
}

// action is the newest action that a commit holds.
func (r Repo) action(ctx context.Context, commit string) (string, error) {
	out, err := r.git(ctx, nil, "log", "-1", "--format=%(trailers:key=Tend-Action,valueonly)", "--grep=^Tend-Action: ", commit)
	return strings.TrimSpace(string(out)), err
}

// tree lists the files at the tip with their blob ids.
func (r Repo) tree(ctx context.Context) (map[string]string, error) {
	if _, err := r.git(ctx, nil, "rev-parse", "--verify", "--quiet", "refs/heads/main"); err != nil {
		return map[string]string{}, r.unborn(err)
	}
	out, err := r.git(ctx, nil, "ls-tree", "-r", "-z", "main")
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for rec := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if meta, name, ok := strings.Cut(rec, "\t"); ok {
			files[name] = meta[strings.LastIndexByte(meta, ' ')+1:]
		}
	}
	return files, nil
}

// unborn tells a repository without any commit, which is fine, from one whose
// branch cannot be read.
func (r Repo) unborn(err error) error {
	if _, serr := os.Stat(filepath.Join(r.Dir, "refs", "heads", "main")); errors.Is(serr, fs.ErrNotExist) {
		return nil
	}
	return err
}

// text reads a blob.
func (r Repo) text(ctx context.Context, id string) ([]byte, error) {
	return r.git(ctx, nil, "cat-file", "blob", id)
}

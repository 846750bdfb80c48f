// Package history keeps an ordinary git repository per agent that shows how its memory evolved.
//
// The repository is derived from ledger, packs, archives and workspace. It can be deleted and is rebuilt from them; a
// damaged one is set aside. No write ever waits for it.
package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/state/pack"
)

// ErrNoGit: git is not installed; only history needs it.
var ErrNoGit = errors.New("git is not installed: history is not kept as a git repository (everything else works)")

// Git is a bare repository in a folder of its own: git's commands on it, and the files Tend itself writes there.
type Git struct {
	Dir string
	// Lock is the lock file that makes its holder the only writer here. Git inherits it: if Tend is killed, the lock stays
	// taken for as long as a git that it started is running.
	Lock *os.File
}

// Repo is the repository of one agent with the pack it is derived from.
type Repo struct {
	Git Git
	// Seen has what the agent was seen to write between actions.
	Seen *pack.Pack
	// Grown counts the bytes that are added to it; may be nil.
	Grown *atomic.Int64
}

// fixedSettings are the settings of every git command. trusted checks the repository's own settings.
func fixedSettings(dir string) []string {
	args := []string{"--git-dir=" + dir, "--no-pager", "--no-replace-objects", "--literal-pathspecs"}
	for _, set := range []string{
		"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null", "core.excludesFile=/dev/null",
		"core.pager=cat", "core.editor=false", "core.sshCommand=false", "core.askPass=", "core.fsync=all", "core.alternateRefsCommand=",
		"commit.gpgsign=false", "log.showSignature=false", "gpg.program=false", "gc.auto=0", "maintenance.auto=false", "credential.helper=",
		"protocol.allow=never", "protocol.file.allow=never", "protocol.ext.allow=never", "safe.directory=*",
		"diff.external=", "log.mailmap=false",
	} {
		args = append(args, "-c", set)
	}
	return args
}

// gitEnvironment is git's environment: no user or system settings, and nothing is fetched.
func gitEnvironment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_ALLOW_PROTOCOL=", "GIT_OPTIONAL_LOCKS=0",
	}
}

// runGit runs a git command that depends only on its arguments.
func (g Git) runGit(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	var out bytes.Buffer
	if err := g.run(ctx, bytes.NewReader(stdin), &out, args...); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (g Git) run(ctx context.Context, stdin io.Reader, out io.Writer, args ...string) error {
	if err := g.checkTrusted(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append(fixedSettings(g.Dir), args...)...)
	cmd.Env, cmd.Dir, cmd.Stdin = gitEnvironment(), "/", stdin
	if g.Lock != nil {
		cmd.ExtraFiles = []*os.File{g.Lock}
	}
	var diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &diag
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return ErrNoGit
	case err != nil:
		return &gitError{args[0], strings.TrimSpace(diag.String()), err}
	}
	return nil
}

// gitError is a git command that failed.
type gitError struct {
	command, said string
	err           error
}

func (e *gitError) Error() string { return fmt.Sprintf("git %s: %v: %s", e.command, e.err, e.said) }

func (e *gitError) Unwrap() error { return e.err }

// open creates the repository if it is missing and cleans up after an interrupted sync.
// aside is where a damaged one was moved.
func (g Git) open(ctx context.Context) (aside string, err error) {
	if err := g.recoverRebuild(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(g.Dir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		return "", g.init()
	} else if err != nil {
		return "", err
	}
	if g.checkTrusted() != nil {
		if err := g.stripSettings(); err != nil {
			return "", err
		}
		return g.removeStaleLocks(ctx)
	}
	if _, err := os.Stat(filepath.Join(g.Dir, marker)); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return g.removeStaleLocks(ctx)
}

// removeStaleLocks removes stale lock files. They are stale because we hold the lock that every git of ours inherits: none is running.
// A repository that is still damaged is set aside, and a new one is started.
func (g Git) removeStaleLocks(ctx context.Context) (aside string, err error) {
	if g.Lock != nil {
		err = g.runBeside(func(t fsys.FS, name string) error {
			return fsys.Walk(t, name, func(p string, i fsys.Info) error {
				if !i.IsDir() && strings.HasSuffix(p, ".lock") {
					return t.Remove(p)
				}
				return nil
			})
		})
		if err != nil {
			return "", err
		}
	}
	if _, err := g.runGit(ctx, nil, "fsck", "--connectivity-only", "--no-progress"); err == nil {
		return "", nil
	} else if errors.Is(err, ErrNoGit) || ctx.Err() != nil {
		return "", err
	}
	aside = fmt.Sprintf("%s%s%d", g.Dir, brokenMark, time.Now().UnixNano())
	if err := g.rename(aside); err != nil {
		return "", err
	}
	return aside, g.init()
}

// init writes the files of an empty repository. HEAD comes last: without it there is no repository.
func (g Git) init() error {
	if _, err := exec.LookPath("git"); err != nil {
		return ErrNoGit
	}
	if err := fsys.MakeFolder(filepath.Dir(g.Dir), 0o700); err != nil {
		return err
	}
	if err := g.runBeside(makeFolders); err != nil {
		return err
	}
	if err := g.write("config", ourConfig); err != nil {
		return err
	}
	return g.write("HEAD", "ref: "+mainBranch+"\n")
}

// marker is a file that exists while a sync is running.
const marker = "tend-syncing"

// text reads a blob.
func (g Git) text(ctx context.Context, id string) ([]byte, error) {
	return g.runGit(ctx, nil, "cat-file", "blob", id)
}

// Log writes the commits with their diffs, newest first; of one file if a name is given, at most n if n is not 0. It
// runs no program that the repository's or a user's settings name.
func (g Git) Log(ctx context.Context, w io.Writer, name string, n int) error {
	there, err := g.hasBranch(mainBranch)
	if err != nil || !there {
		return err
	}
	args := []string{"log", "-p", "--no-color", "--no-ext-diff", "--no-textconv", "--date=iso", "--format=%h %ad %an%n    %s%n"}
	if n > 0 {
		args = append(args, fmt.Sprintf("-%d", n))
	}
	args = append(args, mainBranch)
	if name != "" {
		args = append(args, "--", name)
	}
	return g.run(ctx, nil, w, args...)
}

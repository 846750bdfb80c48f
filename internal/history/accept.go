package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"tend/internal/fsys"
)

// ErrRejected is a repository from elsewhere that is not taken.
var ErrRejected = errors.New("the git history in it is damaged or hostile")

// parts are the files of a repository from elsewhere that are taken: objects and the two branches. Nothing that says how
// git shall behave is among them.
var parts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(refs/heads/(main|trash)|packed-refs|objects/[0-9a-f]{2}/[0-9a-f]{38}|objects/pack/pack-[0-9a-f]{40}\.(pack|idx|rev))$`)
})

// Accept makes a repository of ours from one that came from elsewhere: it keeps objects and branches, writes our own
// settings and checks every object. It changes the folder in place; the caller drops it after an error.
func (r Repo) Accept(ctx context.Context) error {
	err := filepath.WalkDir(r.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(r.Dir, name)
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%w: %s is not a file", ErrRejected, rel)
		}
		if !parts().MatchString(filepath.ToSlash(rel)) {
			return os.Remove(name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.acceptBranches(); err != nil {
		return err
	}
	for _, dir := range []string{"objects/pack", "objects/info", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(r.Dir, dir), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(r.Dir, "HEAD"), []byte("ref: "+mainBranch+"\n"), 0o600); err != nil {
		return err
	}
	if err := r.strip(); err != nil {
		return err
	}
	if _, err := r.git(ctx, nil, "fsck", "--strict", "--full", "--no-progress", "--no-dangling"); err != nil {
		if gave(err) {
			return err
		}
		return fmt.Errorf("%w: %w", ErrRejected, err)
	}
	return nil
}

// acceptBranches keeps the two branches and drops all others.
func (r Repo) acceptBranches() error {
	file := filepath.Join(r.Dir, "packed-refs")
	text, err := fsys.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var keep strings.Builder
	for line := range strings.Lines(string(text)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if ok && (name == mainBranch || name == trashBranch) && len(id) == 40 && strings.Trim(id, "0123456789abcdef") == "" {
			keep.WriteString(line)
		}
	}
	return os.WriteFile(file, []byte(keep.String()), 0o600)
}

package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"tend/internal/fsys"
	"tend/internal/vault"
)

// ErrRejected: a repository from elsewhere was not accepted.
var ErrRejected = errors.New("the git history in it is damaged or hostile")

// parts matches the files that are kept of a repository from elsewhere: objects and the two branches, nothing that
// configures git.
var parts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(refs/heads/(main|trash)|packed-refs|objects/[0-9a-f]{2}/[0-9a-f]{38}|objects/pack/pack-[0-9a-f]{40}\.(pack|idx|rev))$`)
})

// Accept turns a repository from elsewhere into one of ours: it keeps objects and branches, writes our own settings and
// checks every object. It changes the folder in place; the caller deletes it after an error.
func (g Git) Accept(ctx context.Context) error {
	if err := g.beside(acceptFiles); err != nil {
		return err
	}
	if err := g.acceptBranches(); err != nil {
		return err
	}
	if err := g.write("HEAD", "ref: "+mainBranch+"\n"); err != nil {
		return err
	}
	if err := g.strip(); err != nil {
		return err
	}
	if _, err := g.git(ctx, nil, "fsck", "--strict", "--full", "--no-progress", "--no-dangling"); err != nil {
		if fatal(err) {
			return err
		}
		return fmt.Errorf("%w: %w", ErrRejected, err)
	}
	return nil
}

// acceptFiles removes everything but objects and branches.
func acceptFiles(t fsys.FS, name string) error {
	err := fsys.Walk(t, name, func(p string, i fsys.Info) error {
		rel := strings.TrimPrefix(p, name+"/")
		switch {
		case i.IsDir():
			return nil
		case !i.Mode.IsRegular():
			return fmt.Errorf("%w: %s is not a file", ErrRejected, rel)
		case !parts().MatchString(rel):
			return t.Remove(p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return makeFolders(t, name)
}

// makeFolders creates the folders that git expects even if they are empty.
func makeFolders(t fsys.FS, name string) (err error) {
	for _, dir := range []string{"objects/pack", "objects/info", "refs/heads"} {
		err = errors.Join(err, vault.MkdirAll(t, vault.Unsynced{}, path.Join(name, dir), 0o700))
	}
	return err
}

// acceptBranches keeps the packed main branch and drops all others.
func (g Git) acceptBranches() error {
	text, err := fsys.ReadFile(filepath.Join(g.Dir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var keep strings.Builder
	for line := range strings.Lines(string(text)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if ok && name == mainBranch && isID(id) {
			keep.WriteString(line)
		}
	}
	return g.write("packed-refs", keep.String())
}

package workcopy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger/actid"
	"tend/internal/sync/journal"
)

// A file that cannot be written on this machine must not stop the rest of a journal: it is skipped, reported, and tried
// again by the next sync.

// concernsOnePath reports whether an error concerns a single name rather than the disk or the workspace as a whole.
func concernsOnePath(err error) bool {
	if err == nil || errors.Is(err, vault.ErrChanged) || errors.Is(err, vault.ErrUnreachable) || errors.Is(err, vault.ErrFull) {
		return false
	}
	return vault.Blocked(err) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EILSEQ)
}

// scanTree finds every file of the tree on this machine. What could not be written here is not gone.
func (c *Copy) scanTree(ctx context.Context, s *Saved, tree journal.Tree) (map[string]localFile, error) {
	now, err := c.scanFiles(ctx, s.Files, c.Clock())
	if err != nil {
		return nil, err
	}
	for name := range s.Skipped {
		if v, ok := tree[name]; ok && now[name].text == nil {
			now[name] = localFile{version: v}
		}
	}
	return now, nil
}

// addSkipped adds to what was fetched the files that could not be written before.
func addSkipped(s *Saved, in *incoming, now map[string]localFile) error {
	for name := range s.Skipped {
		if now[name].text == nil {
			delete(now, name)
		}
		if _, there := in.texts[name]; there || in.tree[name] == "" {
			continue
		}
		text, err := in.base(name)
		if err != nil {
			return err
		}
		in.texts[name] = text
	}
	return nil
}

// whyBlocked returns why a file cannot be written on this machine; nil if it can. One that could not be written before is
// tried, so that the ledger does not record a failure at every sync.
func (p *pull) whyBlocked(ctx context.Context, name string, f vault.Path) error {
	if err := p.refuses[f]; err != nil {
		return err
	}
	at, err := p.Vault.Find(ctx, f, false)
	if err != nil {
		return err
	}
	i, err := p.Tree.Lstat(string(cmp.Or(at.At, f)))
	switch {
	case err == nil && !i.Mode.IsRegular():
		return fmt.Errorf("write %s: %w", f, fsys.ErrNotRegular)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if _, before := p.saved.Skipped[name]; before {
		return p.Vault.CanWrite(ctx, at, actid.New(p.Clock()))
	}
	return nil
}

// isInWay reports whether a folder has the file's name, or a file the name of one of its folders. Links are the
// operator's and stay.
func (c *Copy) isInWay(f vault.Path) bool {
	if i, err := c.Tree.Lstat(string(f)); err == nil {
		return i.IsDir()
	}
	for dir := f.Dir(); dir != ""; dir = dir.Dir() {
		if i, err := c.Tree.Lstat(string(dir)); err == nil {
			return i.Mode.IsRegular()
		}
	}
	return false
}

// overlappingPaths returns the files of a tree whose names are also folders of it, and the files in those folders: no machine
// can have both, and what one of them has must not be set aside for the other.
func overlappingPaths(t journal.Tree) map[string]bool {
	out := map[string]bool{}
	for name := range t {
		if !strings.HasPrefix(name, journal.Workspace+"/") {
			continue
		}
		for dir := path.Dir(name); dir != journal.Workspace && dir != "."; dir = path.Dir(dir) {
			if _, both := t[dir]; both {
				out[dir], out[name] = true, true
			}
		}
	}
	return out
}

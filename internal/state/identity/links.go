package identity

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

// LinkError: another user can change a link on the path to a workspace.
type LinkError struct {
	Path, Link string
	UID        int // who can change it, -1 for more than one user
}

func (e *LinkError) Error() string {
	who := fmt.Sprintf("user %d", e.UID)
	if e.UID < 0 {
		who = "other users"
	}
	return fmt.Sprintf("%s goes through the link %s, which %s can change: write the folder's real path into the configuration", e.Path,
		e.Link, who)
}

// Unwrap makes it a refusal.
func (e *LinkError) Unwrap() error { return vault.ErrRefused }

// maxLinks is how many links a path may go through.
const maxLinks = 40

// Links refuses a local path through a link that users other than root and the one Tend runs as can change: such a
// user could send Tend anywhere.
func Links(name string) error {
	if runtime.GOOS == "windows" {
		return nil // a file's owner and mode say nothing there; docs/windows.md
	}
	me := os.Geteuid()
	trusted := func(uid int) bool { return uid == 0 || uid == me }
	at, todo := "/", strings.Split(filepath.Clean(name), "/")
	for links := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		i, err := fsys.LstatPath(next)
		if err != nil {
			return err
		}
		if i.Mode&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		dir, err := fsys.LstatPath(at)
		if err != nil {
			return err
		}
		sticky := dir.Mode&fs.ModeSticky != 0
		switch {
		case !trusted(i.UID):
			return &LinkError{name, next, i.UID}
		case !trusted(dir.UID):
			return &LinkError{name, next, dir.UID}
		case dir.Mode.Perm()&0o022 != 0 && !sticky:
			return &LinkError{name, next, -1}
		}
		target, err := fsys.ReadlinkPath(next)
		if err != nil {
			return err
		}
		if links++; links > maxLinks {
			return fmt.Errorf("%s goes through too many links: %w", name, vault.ErrRefused)
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		todo = append(strings.Split(filepath.Clean(target), "/"), todo...)
	}
	return nil
}

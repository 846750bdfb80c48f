package baseline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/usererr"
	"tend/internal/state/guard"
)

// Editor opens a file for the operator and returns when it is closed.
type Editor func(ctx context.Context, name string) error

// SystemEditor runs $VISUAL or $EDITOR, else vi, as git does.
func SystemEditor(in io.Reader, out, errw io.Writer) Editor {
	return func(ctx context.Context, name string) error {
		command := os.Getenv("VISUAL")
		command = cmp.Or(command, os.Getenv("EDITOR"))
		command = cmp.Or(command, "vi")
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command+` "$1"`, "sh", name)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errw
		if err := cmd.Run(); err != nil {
			return usererr.Usagef("set $EDITOR to an editor that waits until you are done", "the editor failed: %s: %v", command, err)
		}
		return nil
	}
}

// Edit opens a copy of one baseline in an editor and saves the result as the baseline, to be approved next. saved is
// false if the operator left the text unchanged.
func (s Set) Edit(ctx context.Context, edit Editor) (saved bool, err error) {
	if len(s.List) != 1 {
		return false, usererr.Usagef("name one with --file", "%s has %d baselines", s.Agent.Name, len(s.List))
	}
	b := s.List[0]
	before, err := vault.ReadFile(b.Tree, b.Name)
	if err != nil {
		return false, explainUnapproved(fmt.Errorf("read baseline %s: %w", b.Source, err))
	}
	dir, err := os.MkdirTemp("", "tend-edit-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, filepath.Base(b.Source))
	if err := os.WriteFile(name, before, 0o600); err != nil {
		return false, err
	}
	if err := edit(ctx, name); err != nil {
		return false, err
	}
	after, err := fsys.ReadFile(name)
	if err != nil || bytes.Equal(before, after) {
		return false, err
	}
	if now, err := vault.ReadFile(b.Tree, b.Name); err != nil || !bytes.Equal(now, before) {
		kept := b.Source + ".edited"
		return false, errors.Join(usererr.Refusef("your text is in "+kept, "%s changed while you were editing it", b.Source),
			vault.ReplaceFile(kept, after, 0o644))
	}
	if locked, _ := guard.Locked(b.Source); locked {
		if err := guard.Lock(b.Source, false); err != nil {
			return false, err
		}
		defer func() { err = errors.Join(err, guard.Lock(b.Source, true)) }()
	}
	return true, vault.WriteOver(b.Tree, vault.SyncEach{}, b.Name, after, 0o644)
}

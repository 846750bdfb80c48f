//go:build linux

package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/state/identity"
	"tend/test/require"
)

// TestWorkspaceIsPinned: somebody with access to the parent folder replaces the
// workspace. It is refused until the operator confirms it.
func TestWorkspaceIsPinned(t *testing.T) {
	for name, swap := range map[string]func(y *yard, ws string) error{
		"a link to another folder": func(y *yard, ws string) error {
			return errors.Join(os.Rename(ws, ws+".old"), os.Mkdir(y.path("secret"), 0o700), os.Symlink("secret", ws))
		},
		"a link to itself elsewhere": func(y *yard, ws string) error {
			return errors.Join(os.Rename(ws, ws+".old"), os.Symlink(filepath.Base(ws)+".old", ws))
		},
		"a new folder":         func(y *yard, ws string) error { return errors.Join(os.Rename(ws, ws+".old"), os.Mkdir(ws, 0o755)) },
		"an empty mount point": func(y *yard, ws string) error { return syscall.Mount("tmpfs", ws, "tmpfs", 0, "size=1m") },
		"another owner":        func(y *yard, ws string) error { return os.Chown(ws, 65001, 65001) },
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, "ada")
			ws := y.path("ada")
			ctx := context.Background()
			begin := func() error {
				f := y.open(fleet.Options{Write: true})
				a, err := f.Agent(ctx, "ada")
				if err != nil {
					return err
				}
				defer a.Close()
				s, _, err := a.Begin(ctx, "test")
				if err != nil {
					return err
				}
				return s.Close()
			}
			must(t, begin())
			must(t, begin())
			if name == "an empty mount point" || name == "another owner" {
				require.Root(t, name)
			}
			must(t, swap(y, ws))
			t.Cleanup(func() { _ = syscall.Unmount(ws, syscall.MNT_DETACH) })
			same := name == "a link to itself elsewhere"
			var changed *identity.ChangedError
			if err := begin(); same != (err == nil) || !same && (!errors.As(err, &changed) || !errors.Is(err, vault.ErrRefused)) {
				t.Fatalf("opened: %v", err)
			}
			if _, err := y.open(fleet.Options{}).Agent(ctx, "ada"); same != (err == nil) {
				t.Errorf("a reader: %v", err)
			}
			_, err := y.open(fleet.Options{Write: true}).Confirm(ctx, "ada")
			must(t, err)
			must(t, begin())
		})
	}
}

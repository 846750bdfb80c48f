package identity_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/identity"
)

// TestLinksOfOthers: a link on the path to a workspace is followed only if no other user can change it.
func TestLinksOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("not root: only links of the same user are tested")
	}
	for name, tt := range map[string]struct {
		dir, link int // owners
		mode      os.FileMode
		want      bool
	}{
		"mine":                               {0, 0, 0o755, true},
		"the folder is another user's":       {65001, 0, 0o755, false},
		"the link is another user's":         {0, 65001, 0o755, false},
		"anyone can write to the folder":     {0, 0, 0o777, false},
		"in a sticky folder, mine":           {0, 0, 0o777 | os.ModeSticky, true},
		"in a sticky folder, another user's": {0, 65001, 0o777 | os.ModeSticky, false},
		"the folder's group can write to it": {0, 0, 0o775, false},
	} {
		t.Run(name, func(t *testing.T) {
			if os.Geteuid() != 0 {
				tt.dir, tt.link, tt.want = 0, 0, tt.mode&0o022 == 0 || tt.mode&os.ModeSticky != 0
			}
			top := t.TempDir()
			at := filepath.Join(top, "agents")
			for _, err := range []error{
				os.MkdirAll(filepath.Join(top, "real", "ws"), 0o755), os.Mkdir(at, 0o755), os.Symlink("../real", filepath.Join(at, "link")),
				os.Chmod(at, tt.mode),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if os.Geteuid() == 0 {
				if err := errors.Join(os.Chown(at, tt.dir, tt.dir), os.Lchown(filepath.Join(at, "link"), tt.link, tt.link),
					os.Chmod(at, tt.mode)); err != nil {
					t.Fatal(err)
				}
			}
			err := identity.Links(filepath.Join(at, "link", "ws"))
			if (err == nil) != tt.want || err != nil && !errors.Is(err, vault.ErrRefused) {
				t.Errorf("got %v, want allowed: %v", err, tt.want)
			}
			if err := identity.Links(filepath.Join(top, "real", "ws")); err != nil {
				t.Errorf("without a link: %v", err)
			}
		})
	}
}

// TestSystemID: a file system is recognised by its own id, as its device number may change after a restart.
func TestSystemID(t *testing.T) {
	ws, err := fsys.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	a, err := identity.PinOf(ws, "/ws", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	b, err := identity.PinOf(ws, "/ws", time.Now())
	if err != nil || a.System != b.System || a.Inode != b.Inode || a.Device != b.Device {
		t.Errorf("%v and %v, %v", a, b, err)
	}
}

// TestBirthTime: a folder that was removed and created again may get the same inode number, but not the same
// birth time. A pin without a birth time, from an earlier version, is still valid.
func TestBirthTime(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	dir := t.TempDir()
	if made, err := os.MkdirTemp("/dev/shm", "tend-born-"); err == nil { // a file system that has birth times
		dir = made
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	ws, err := fsys.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	pin, err := identity.Confirm(state, vault.SyncEach{}, "ada", ws, "/ws", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && pin.Born.IsZero() {
		t.Errorf("no birth time for %s", dir)
	}
	for name, tt := range map[string]struct {
		born time.Time
		want bool
	}{
		"the same":        {pin.Born, true},
		"an earlier pin":  {time.Time{}, true},
		"created again":   {pin.Born.Add(-time.Nanosecond), pin.Born.IsZero()},
		"an older folder": {time.Unix(1_700_000_000, 0), pin.Born.IsZero()},
	} {
		p := pin
		p.Born = tt.born
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := vault.WriteOver(state, vault.SyncEach{}, "agents/ada/workspace.json", data, 0o600); err != nil {
			t.Fatal(err)
		}
		id, err := fsys.Identify(ws)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := identity.Check(state, "ada", id, "/ws"); (err == nil) != tt.want || err != nil && !errors.Is(err, vault.ErrRefused) {
			t.Errorf("%s: %v, want accepted: %v", name, err, tt.want)
		}
	}
}

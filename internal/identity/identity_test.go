package identity_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tend/internal/fsys"
	"tend/internal/identity"
	"tend/internal/vault"
)

// TestS4LinksOfOthers: a link on the way to a workspace is followed only if no other user
// can change it.
func TestS4LinksOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("not root: only one's own links are tried")
	}
	for name, tt := range map[string]struct {
		dir, link int // owners
		mode      os.FileMode
		want      bool
	}{
		"mine":                               {0, 0, 0o755, true},
		"the folder is another's":            {65001, 0, 0o755, false},
		"the link is another's":              {0, 65001, 0o755, false},
		"anybody can write to the folder":    {0, 0, 0o777, false},
		"in a sticky folder, mine":           {0, 0, 0o777 | os.ModeSticky, true},
		"in a sticky folder, another's":      {0, 65001, 0o777 | os.ModeSticky, false},
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
				if err := errors.Join(os.Chown(at, tt.dir, tt.dir), os.Lchown(filepath.Join(at, "link"), tt.link, tt.link), os.Chmod(at, tt.mode)); err != nil {
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

// TestS4SystemID: a file system is known again by its own id, as the number of its device
// may be another after a restart.
func TestS4SystemID(t *testing.T) {
	ws, err := fsys.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	a, err := identity.Of(ws, "/ws", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	b, err := identity.Of(ws, "/ws", time.Now())
	if err != nil || a.System != b.System || a.Inode != b.Inode || a.Device != b.Device {
		t.Errorf("%v and %v, %v", a, b, err)
	}
}

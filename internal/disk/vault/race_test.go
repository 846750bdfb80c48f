package vault_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
)

const action = "15fk3g0000"

// place is a workspace on a disk in memory, with one memory file.
type place struct {
	*testing.T
	d *memfs.Disk
	v *vault.Vault
}

func newPlace(t *testing.T, text string) place {
	t.Helper()
	d := memfs.New()
	p := place{t, d, vault.New(treeOf(t, d, "ws"), treeOf(t, d, "state"), lock, trash, vault.SyncEach{})}
	must(t, d.MkdirAll("state/"+trash))
	must(t, d.MkdirAll("state/agents/ada"))
	if text != "" {
		must(t, d.WriteFile("ws/a.md", text))
	}
	return p
}

func (p place) stage(c vault.Change) *vault.Staged {
	p.Helper()
	c.ID, c.Path = action, "a.md"
	s, err := p.v.Stage(context.Background(), c)
	must(p.T, err)
	return s
}

// before runs do once, just before the nth call of a kind.
func (p place) before(kind memfs.Kind, nth int, do func() error) {
	p.d.OnOp(func(op memfs.Op) {
		if op.Kind != kind {
			return
		}
		if nth--; nth == 0 {
			must(p.T, do())
		}
	})
}

// files checks everything in the workspace and the trash.
func (p place) files(want map[string]string) {
	p.Helper()
	got := p.d.Files("ws")
	for name, text := range p.d.Files("state/" + trash) {
		got[strings.TrimPrefix(name, "state/"+trash+"/")] = text
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("files (-want +got):\n%s", diff)
	}
}

func version(text string) vault.Version { return vault.VersionOf([]byte(text)) }

// The agent writes to our new file while a raced commit is being taken back.
func TestStrayText(t *testing.T) {
	for _, tt := range []struct {
		name  string
		write func(d *memfs.Disk) error
		stray string
	}{
		{"appended", func(d *memfs.Disk) error { return d.AppendFile("ws/a.md", " stray") }, "new stray"},
		{"rewritten", func(d *memfs.Disk) error { return d.WriteFile("ws/a.md", "stray") }, "stray"},
		{"renamed over", func(d *memfs.Disk) error { return d.RenameOver("ws/a.md", "stray") }, "stray"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "old")
			s := p.stage(vault.Change{Data: []byte("new"), Want: version("old")})
			must(t, p.d.AppendFile("ws/a.md", " and more"))
			p.before(memfs.Exchange, 2, func() error { return tt.write(p.d) })
			d, err := s.Commit(context.Background())
			if !errors.Is(err, vault.ErrChanged) || string(d.Stray) != tt.stray || d.Trash == "" {
				t.Errorf("commit: %+v, %v", d, err)
			}
			p.files(map[string]string{"ws/a.md": "old and more", action + ".0-a.md": tt.stray})
		})
	}
}

// A file to be removed had been appended to, and was created again before it could be put back.
func TestStrayRemove(t *testing.T) {
	p := newPlace(t, "old")
	s := p.stage(vault.Change{Want: version("old"), Remove: true})
	must(t, p.d.AppendFile("ws/a.md", " and more"))
	p.before(memfs.Link, 1, func() error { return p.d.WriteFile("ws/a.md", "anew") })
	d, err := s.Commit(context.Background())
	if !errors.Is(err, vault.ErrChanged) || string(d.Stray) != "old and more" {
		t.Errorf("commit: %+v, %v", d, err)
	}
	p.files(map[string]string{"ws/a.md": "anew", action + ".0-a.md": "old and more"})
}

// The file is removed while it is being put back: its text must be kept.
func TestRemovedDuringTakeBack(t *testing.T) {
	p := newPlace(t, "old")
	s := p.stage(vault.Change{Data: []byte("new"), Want: version("old")})
	must(t, p.d.AppendFile("ws/a.md", " and more"))
	p.before(memfs.Exchange, 2, func() error { return p.d.Remove("ws/a.md") })
	if _, err := s.Commit(context.Background()); err == nil || errors.Is(err, vault.ErrChanged) {
		t.Errorf("commit: %v, want an error that leaves the action open", err)
	}
	p.d.OnOp(nil)
	kept, err := p.v.FindDisplaced(context.Background(), action, []vault.Target{{Path: "a.md"}})
	must(t, err)
	if len(kept) != 1 || string(kept[0].Data) != "old and more" {
		t.Errorf("kept %+v", kept)
	}
}

func TestRenamedDuringAppend(t *testing.T) {
	for _, tt := range []struct {
		name string
		kind memfs.Kind
		do   func(d *memfs.Disk) error
		want string
	}{
		{"renamed over before the write", memfs.Write, func(d *memfs.Disk) error { return d.RenameOver("ws/a.md", "theirs\n") },
			"theirs\nours\n"},
		{"removed before the write", memfs.Write, func(d *memfs.Disk) error { return d.Remove("ws/a.md") }, "ours\n"},
		{"appended before the write", memfs.Write, func(d *memfs.Disk) error { return d.AppendFile("ws/a.md", "theirs\n") },
			"old\ntheirs\nours\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "old\n")
			p.before(tt.kind, 1, func() error { return tt.do(p.d) })
			must(t, p.v.Append(context.Background(), "a.md", []byte("ours\n")))
			p.files(map[string]string{"ws/a.md": tt.want})
		})
	}
	t.Run("renamed over again and again", func(t *testing.T) {
		p := newPlace(t, "old\n")
		p.d.OnOp(func(op memfs.Op) {
			if op.Kind == memfs.Write {
				must(t, p.d.RenameOver("ws/a.md", "theirs\n"))
			}
		})
		if err := p.v.Append(context.Background(), "a.md", []byte("ours\n")); !errors.Is(err, vault.ErrChanged) {
			t.Errorf("append: %v, want %v", err, vault.ErrChanged)
		}
	})
}

// A change that fails leaves everything as it was.
func TestRefusedWithoutChange(t *testing.T) {
	for _, tt := range []struct {
		name string
		kind memfs.Kind
		err  error
		mode memfs.Mode
		want error
	}{
		{"the owner cannot be kept", memfs.Own, syscall.EPERM, memfs.Once, vault.ErrRefused},
		{"the folder is read-only", memfs.Create, syscall.EACCES, memfs.Always, syscall.EACCES},
		{"the file system is read-only", memfs.Create, syscall.EROFS, memfs.Always, syscall.EROFS},
		{"the disk is full", memfs.Write, syscall.ENOSPC, memfs.Short, vault.ErrFull},
		{"the quota is used up", memfs.Write, syscall.EDQUOT, memfs.Once, vault.ErrFull},
		{"the disk fails", memfs.Sync, syscall.EIO, memfs.Once, syscall.EIO},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "old")
			p.d.FailOn(func(op memfs.Op) bool { return op.Kind == tt.kind }, tt.err, tt.mode)
			_, err := p.v.Stage(context.Background(),
				vault.Change{ID: action, Target: vault.Target{Path: "a.md"}, Data: []byte("new text"), Want: version("old")})
			if !errors.Is(err, tt.want) {
				t.Errorf("stage: %v, want %v", err, tt.want)
			}
			var at *vault.PathError
			if !errors.As(err, &at) || at.Path != "a.md" {
				t.Errorf("%v does not name the file", err)
			}
			p.files(map[string]string{"ws/a.md": "old"})
		})
	}
}

func TestFullDisk(t *testing.T) {
	p := newPlace(t, "old")
	p.d.Limit(20, 0)
	_, err := p.v.Stage(context.Background(),
		vault.Change{ID: action, Target: vault.Target{Path: "a.md"}, Data: []byte(strings.Repeat("x", 100)), Want: version("old")})
	if !errors.Is(err, vault.ErrFull) {
		t.Errorf("stage: %v, want %v", err, vault.ErrFull)
	}
	if err := p.v.Append(context.Background(), "b.md", []byte(strings.Repeat("x", 100))); !errors.Is(err, vault.ErrFull) {
		t.Errorf("append: %v, want %v", err, vault.ErrFull)
	}
	p.d.Limit(0, 0)
	must(t, p.d.Remove("ws/b.md"))
	p.files(map[string]string{"ws/a.md": "old"})
}

// On a file system without exchange, a file that an agent renames into place while the
// old one's second name is being synced is kept like any other.
func TestRenamedOverDuringSync(t *testing.T) {
	for name, write := range map[string]func(d *memfs.Disk) error{
		"renamed over": func(d *memfs.Disk) error { return d.RenameOver("ws/a.md", "theirs") },
		"rewritten":    func(d *memfs.Disk) error { return d.WriteFile("ws/a.md", "theirs") },
	} {
		t.Run(name, func(t *testing.T) {
			for _, force := range []bool{true, false} {
				p := newPlace(t, "old")
				p.d.NoExchange()
				s := p.stage(vault.Change{Data: []byte("new"), Want: version("old"), Force: force})
				p.before(memfs.SyncDir, 1, func() error { return write(p.d) })
				d, err := s.Commit(context.Background())
				switch {
				case force && (err != nil || !d.Raced || string(d.Data) != "theirs"):
					t.Errorf("commit displaced %q, raced %v: %v", d.Data, d.Raced, err)
				case !force && !errors.Is(err, vault.ErrChanged):
					t.Errorf("commit: %v, want %v", err, vault.ErrChanged)
				}
				want := map[string]string{"ws/a.md": "theirs"}
				if force {
					want = map[string]string{"ws/a.md": "new", vault.TrashName(action, 0, "a.md"): "theirs"}
				}
				p.files(want)
			}
		})
	}
}

// A file with hard links is shared: nothing is appended to it in place.
func TestAppendToAHardLink(t *testing.T) {
	p := newPlace(t, "old\n")
	ws, err := p.d.Tree("ws")
	must(t, err)
	must(t, ws.Link("a.md", "other.md"))
	if err := p.v.Append(context.Background(), "a.md", []byte("ours\n")); !errors.Is(err, vault.ErrShared) {
		t.Errorf("append: %v, want %v", err, vault.ErrShared)
	}
	p.files(map[string]string{"ws/a.md": "old\n", "ws/other.md": "old\n"})
}

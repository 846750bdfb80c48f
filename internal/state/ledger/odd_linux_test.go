package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// watched is a real tree with a hook before each call.
type watched struct {
	fsys.FS
	before func(names ...string)
}

func (w watched) Open(n string) (fsys.File, error) { w.before(n); return w.FS.Open(n) }
func (w watched) Create(n string, p fs.FileMode) (fsys.File, error) {
	w.before(n)
	return w.FS.Create(n, p)
}
func (w watched) Append(n string, p fs.FileMode) (fsys.File, bool, error) {
	w.before(n)
	return w.FS.Append(n, p)
}
func (w watched) Lstat(n string) (fsys.Info, error) { w.before(n); return w.FS.Lstat(n) }
func (w watched) Remove(n string) error             { w.before(n); return w.FS.Remove(n) }
func (w watched) Rename(a, b string) error          { w.before(a, b); return w.FS.Rename(a, b) }
func (w watched) Exchange(a, b string) error        { w.before(a, b); return w.FS.Exchange(a, b) }
func (w watched) Link(a, b string) error            { w.before(a, b); return w.FS.Link(a, b) }
func (w watched) SyncDir(n string) error            { w.before(n); return w.FS.SyncDir(n) }
func (w watched) Move(a string, into fsys.FS, b string) error {
	w.before(a)
	return w.FS.Move(a, into, b)
}

// kept is the state's tree; moves out of it go to the real tree.
type kept struct{ fsys.FS }

func (k kept) Move(a string, into fsys.FS, b string) error {
	if w, ok := into.(watched); ok {
		into = w.FS
	}
	return k.FS.Move(a, into, b)
}

// realOdds are the things an agent can put at a name on a real disk.
var realOdds = map[string]func(at string) error{
	"a folder":    func(at string) error { return os.MkdirAll(at+"/inner", 0o755) },
	"a FIFO":      func(at string) error { return syscall.Mkfifo(at, 0o644) },
	"a link in":   func(at string) error { return os.Symlink("keep.md", at) },
	"a link out":  func(at string) error { return os.Symlink("../state/agents/victim/secret", at) },
	"a link away": func(at string) error { return os.Symlink("/etc/hostname", at) },
	"a dangling":  func(at string) error { return os.Symlink("nowhere", at) },
	"a loop":      func(at string) error { return os.Symlink(filepath.Base(at), at) },
	"a socket": func(at string) error {
		short, err := os.MkdirTemp("", "s") // a socket's address must be short
		if err != nil {
			return err
		}
		defer os.RemoveAll(short)
		l, err := net.Listen("unix", filepath.Join(short, "s"))
		if err != nil {
			return err
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		return errors.Join(l.Close(), os.Rename(filepath.Join(short, "s"), at))
	},
	"a device": func(at string) error {
		if os.Geteuid() != 0 {
			return syscall.Mkfifo(at, 0o644) // only root can create a device
		}
		return unix.Mknod(at, unix.S_IFCHR|0o644, int(unix.Mkdev(1, 3)))
	},
}

// TestSpecialFilesOnARealDisk repeats the suite on memfs with real files, where the kernel has
// its own answer for each kind of file.
func TestSpecialFilesOnARealDisk(t *testing.T) {
	t.Parallel()
	type operation struct {
		name string
		run  func(d *desk) error
	}
	forced := func(d *desk, name, text string) error {
		c, err := d.attempt(plan.Write, name, text)
		c.Force = true
		return errors.Join(err, d.try(plan.Plan{Job: "reset", Archives: []plan.Archive{{File: vault.Path(name), Kind: "notes", Text: c.Old}},
			Changes: []plan.Change{c}}))
	}
	one := func(op plan.Op, name, text string) func(d *desk) error {
		return func(d *desk) error {
			c, err := d.attempt(op, name, text)
			return errors.Join(err, d.try(plan.Plan{Job: string(op), Changes: []plan.Change{c}}))
		}
	}
	tries, held := 0, 0
	for _, op := range []operation{
		{"reset", func(d *desk) error { return forced(d, "a.md", "baseline\n") }},
		{"write", one(plan.Write, "a.md", "new\n")},
		{"create", one(plan.Write, "sub/b.md", "new\n")},
		{"append", one(plan.Append, "a.md", "more\n")},
		{"remove", one(plan.Remove, "a.md", "")},
		{"undo", func(d *desk) error {
			for a, err := range d.Actions() {
				if err != nil {
					return err
				}
				p, err := d.PlanUndo(context.Background(), a, false)
				return errors.Join(err, d.try(p))
			}
			return nil
		}},
	} {
		for what, plant := range realOdds {
			for n := 1; ; n++ {
				met, err := realSiege(t, op.run, plant, n)
				if !met {
					break
				}
				tries++
				if err != nil {
					t.Errorf("%s before call %d of %s: %v", what, n, op.name, err)
					break
				}
				held++
			}
		}
	}
	t.Logf("%d replacements by non-files on a real disk: %d passed", tries, held)
}

// attempt is change without ending the test: an agent may have put anything there.
func (d *desk) attempt(op plan.Op, name, text string) (plan.Change, error) {
	doc, err := d.vault.Read(context.Background(), vault.Path(name))
	if errors.Is(err, vault.ErrAbsent) || vault.Blocked(err) {
		doc, err = vault.Doc{}, nil
	}
	return plan.Change{Path: vault.Path(name), Op: op, Before: doc.Version, Old: doc.Data, New: []byte(text)}, err
}

func (d *desk) try(p plan.Plan) error {
	s, err := d.Begin(context.Background(), "test")
	if err != nil {
		return err
	}
	_, err = s.Apply(context.Background(), p)
	return errors.Join(err, s.Close())
}

func realSiege(t *testing.T, run func(*desk) error, plant func(string) error, n int) (met bool, err error) {
	t.Helper()
	top, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(top)
	d := &desk{T: t, now: noon}
	calls, armed := 0, false
	var planted error
	for name, text := range map[string]string{"ws/a.md": "old\n- a note\n", "ws/keep.md": "keep\n",
		"state/agents/victim/secret": "the secret"} {
		d.must(os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755))
		d.must(os.WriteFile(filepath.Join(top, name), []byte(text), 0o644))
	}
	ws, err := fsys.Dir(filepath.Join(top, "ws"))
	d.must(err)
	state, err := fsys.Dir(filepath.Join(top, "state"))
	d.must(err)
	tree := watched{ws, func(names ...string) {
		if calls++; !armed || calls != n {
			return
		}
		met = true
		for _, name := range names {
			at := filepath.Join(top, "ws", name)
			if name == "." || strings.HasPrefix(name, "..") {
				continue
			}
			_ = os.Rename(at, filepath.Join(top, "ws", fmt.Sprintf("moved-%d-%s", n, filepath.Base(name))))
			if err := plant(at); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) && !errors.Is(err, syscall.ENOTDIR) {
				planted = err
			}
		}
	}}
	open := func() {
		held := kept{state}
		d.vault = vault.New(tree, held, ledger.LockPath("ada"), ledger.TrashPath("ada"), vault.NoSync{})
		d.Ledger = ledger.New("ada",
			ledger.Options{State: held, Vault: d.vault, Durable: vault.NoSync{}, Clock: func() time.Time { return d.now }})
	}
	open()
	defer func() { ws.Close(); state.Close() }()
	d.must(d.try(plan.Plan{Job: "write", Changes: []plan.Change{d.change(plan.Write, "a.md", "old\n- a note\n- another\n")}}))
	d.now = d.now.Add(time.Second)
	armed, calls = true, 0
	_ = run(d) // it may well be refused
	armed = false
	if planted != nil {
		return met, planted
	}
	open()
	d.now = d.now.Add(time.Minute)
	s, err := d.Begin(context.Background(), "next")
	if err != nil {
		return met, fmt.Errorf("the next session: %w", err)
	}
	if err := s.Close(); err != nil {
		return met, err
	}
	c, err := d.attempt(plan.Write, "a.md", "baseline\n")
	c.Force = true
	if err = errors.Join(err, d.try(plan.Plan{Job: "reset", Changes: []plan.Change{c}})); err != nil {
		return met, fmt.Errorf("reset afterwards: %w", err)
	}
	return met, filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		switch rel, _ := filepath.Rel(top, name); {
		case err != nil || e.IsDir():
			return err
		case strings.HasPrefix(rel, "state/") && !e.Type().IsRegular():
			return fmt.Errorf("%s is %v", rel, e.Type())
		case e.Type().IsRegular() && rel != "state/agents/victim/secret":
			if text, err := os.ReadFile(name); err != nil || strings.Contains(string(text), "the secret") {
				return fmt.Errorf("%s holds %q, %w", rel, text, err)
			}
		}
		return nil
	})
}

package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"

	"tend/internal/fsys"
)

// Local is a workspace in a folder on this machine.
type Local struct {
	ws    fsys.FS // the agent's folder
	state fsys.FS // Tend's own tree
	lock  string  // in state: the lock file
	trash string  // in state: the folder displaced files go to
	dur   Durability
}

var _ Vault = (*Local)(nil)

var (
	errShort = errors.New("wrote less than was given")
	errOwner = fmt.Errorf("the file belongs to another user and a new one could not be given to them: %w", ErrRefused)
)

// NewLocal serves the workspace ws. In Tend's state, displaced files go to the
// folder trash, and lock is the lock file; their folders are made by the ledger.
func NewLocal(ws, state fsys.FS, lock, trash string, d Durability) *Local {
	return &Local{ws: ws, state: state, lock: lock, trash: trash, dur: d}
}

// Close lets go of the workspace; the state's tree belongs to the caller.
func (v *Local) Close() error { return v.ws.Close() }

// Lock takes the agent's lock.
func (v *Local) Lock(_ context.Context, holder string) (io.Closer, error) {
	return v.state.Lock(v.lock, holder)
}

// Sync waits for the disk.
func (v *Local) Sync(context.Context) error { return classify(v.dur.Barrier()) }

// Read returns the file.
func (v *Local) Read(_ context.Context, p Path) (Doc, error) {
	name, err := v.resolve(p)
	if err != nil {
		return Doc{}, wrap("read", p, err)
	}
	data, info, err := readWithInfo(v.ws, name)
	if err != nil {
		return Doc{}, wrap("read", p, err)
	}
	return Doc{
		Path: p, Data: data, Version: VersionOf(data),
		ModTime: info.ModTime, Mode: info.Mode, Links: info.Links,
	}, nil
}

// List returns what is in a folder.
func (v *Local) List(_ context.Context, dir Path) ([]Info, error) {
	entries, err := v.ws.ReadDir(dir.name())
	if err != nil {
		return nil, wrap("list", dir, err)
	}
	infos := make([]Info, 0, len(entries))
	for _, e := range entries {
		if strings.HasPrefix(e.Name, TempPrefix) {
			continue
		}
		p := dir.Join(e.Name)
		if e.Mode&fs.ModeSymlink != 0 {
			if name, err := v.resolve(p); err == nil {
				if target, err := v.ws.Lstat(name); err == nil {
					e = target
				}
			}
		}
		infos = append(infos, Info{
			Path: p, Size: e.Size, ModTime: e.ModTime, Mode: e.Mode,
			Dir: e.IsDir(), Special: !e.IsDir() && !e.Mode.IsRegular(),
		})
	}
	return infos, nil
}

// Append adds to the end of a file.
func (v *Local) Append(_ context.Context, p Path, data []byte) error {
	name, err := v.resolve(p)
	if err != nil {
		return wrap("append to", p, err)
	}
	if err := MkdirAll(v.ws, v.dur, path.Dir(name), 0o755); err != nil {
		return wrap("append to", p, err)
	}
	f, created, err := v.ws.Append(name, 0o644)
	if err != nil {
		return wrap("append to", p, err)
	}
	n, err := f.Write(data)
	if err == nil && n != len(data) {
		err = errShort
	}
	if err == nil {
		err = v.dur.File(f)
	}
	err = errors.Join(err, f.Close())
	if err == nil && created {
		err = v.dur.Dir(v.ws, path.Dir(name))
	}
	return wrap("append to", p, err)
}

// Stage writes the new text under a temporary name beside the file.
func (v *Local) Stage(_ context.Context, c Change) (Staged, error) {
	name, err := v.resolve(c.Path)
	if err != nil {
		return nil, wrap("write", c.Path, err)
	}
	s := &staged{v: v, c: c, name: name, temp: tempName(name, c.ID, c.Slot), kept: path.Join(v.trash, KeptName(c.ID, c.Slot, c.Path))}
	old, info, err := readWithInfo(v.ws, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if c.Want != Absent {
			return nil, wrap("write", c.Path, ErrChanged)
		}
	case err != nil:
		return nil, wrap("write", c.Path, err)
	case c.Want == Absent || VersionOf(old) != c.Want:
		return nil, wrap("write", c.Path, ErrChanged)
	}
	if c.Remove {
		return s, nil
	}
	var like *fsys.Info
	if c.Want == Absent {
		if err := MkdirAll(v.ws, v.dur, path.Dir(name), 0o755); err != nil {
			return nil, wrap("write", c.Path, err)
		}
	} else {
		like = &info
	}
	perm := fs.FileMode(0o600) // no wider than the old file's while it is being written
	if c.Want == Absent {
		perm = 0o644
	}
	if err := writeTemp(v.ws, v.dur, s.temp, c.Data, perm, like); err != nil {
		return nil, wrap("write", c.Path, err)
	}
	return s, nil
}

type staged struct {
	v    *Local
	c    Change
	name string // the file, links followed
	temp string // beside it
	kept string // in the trash
}

// Discard removes the temporary file.
func (s *staged) Discard(context.Context) error {
	if s.c.Remove {
		return nil
	}
	err := s.v.ws.Remove(s.temp)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return wrap("discard", s.c.Path, err)
}

// Commit swaps the new text in.
func (s *staged) Commit(ctx context.Context) (Displaced, error) {
	d, err := s.commit(ctx)
	return d, wrap("write", s.c.Path, err)
}

func (s *staged) commit(ctx context.Context) (Displaced, error) {
	v := s.v
	if s.c.Want == Absent {
		err := v.ws.Link(s.temp, s.name)
		if errors.Is(err, fs.ErrExist) {
			err = errors.Join(ErrChanged, s.Discard(ctx))
		}
		if err != nil {
			return Displaced{}, err
		}
		if err := v.ws.Remove(s.temp); err != nil {
			return Displaced{}, err
		}
		return Displaced{}, v.dur.Dir(v.ws, path.Dir(s.name))
	}
	if err := s.swap(); err != nil {
		if errors.Is(err, fs.ErrNotExist) { // the file went away meanwhile
			err = errors.Join(ErrChanged, s.Discard(ctx))
		}
		return Displaced{}, err
	}
	// From here on temp is whatever stood there at the very moment of the swap.
	old, err := ReadFile(v.ws, s.temp)
	if err != nil {
		return Displaced{}, err
	}
	d := Displaced{Existed: true, Data: old, Version: VersionOf(old)}
	d.Raced = d.Version != s.c.Want
	if d.Raced && !s.c.Force {
		return s.takeBack(d)
	}
	if err := s.toTrash(old); err != nil {
		return d, err
	}
	d.Kept = s.kept
	return d, nil
}

// swap makes the new text stand under the file's name and the old under temp.
func (s *staged) swap() error {
	v := s.v
	if s.c.Remove {
		return v.ws.Rename(s.name, s.temp)
	}
	err := v.ws.Exchange(s.temp, s.name)
	if !errors.Is(err, fsys.ErrNoExchange) {
		return err
	}
	// Weaker: a file that somebody renames over this name between the two calls
	// is not kept. The link is made last and the file looked at once more, which
	// leaves a window of one system call.
	link := s.temp + "~"
	if err := v.ws.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := v.ws.Link(s.name, link); err != nil {
		return err
	}
	if err := v.ws.Rename(s.temp, s.name); err != nil {
		return errors.Join(err, v.ws.Remove(link))
	}
	return v.ws.Rename(link, s.temp)
}

// takeBack undoes a swap that met a newer text than it was made for.
func (s *staged) takeBack(d Displaced) (Displaced, error) {
	v := s.v
	if s.c.Remove {
		// Somebody may have made the file anew: then both texts must live.
		err := v.ws.Link(s.temp, s.name)
		if errors.Is(err, fs.ErrExist) {
			if err := s.toTrash(d.Data); err != nil {
				return Displaced{}, err
			}
			return Displaced{Stray: d.Data, Kept: s.kept}, ErrChanged
		}
		if err != nil {
			return Displaced{}, err
		}
		return Displaced{}, errors.Join(ErrChanged, v.ws.Remove(s.temp), v.dur.Dir(v.ws, path.Dir(s.name)))
	}
	if err := s.swap(); err != nil {
		return Displaced{}, err
	}
	ours, err := ReadFile(v.ws, s.temp)
	if err != nil {
		return Displaced{}, err
	}
	if bytes.Equal(ours, s.c.Data) {
		return Displaced{}, errors.Join(ErrChanged, v.ws.Remove(s.temp), v.dur.Dir(v.ws, path.Dir(s.name)))
	}
	// Somebody wrote into our text in the moment it stood there.
	if err := s.toTrash(ours); err != nil {
		return Displaced{}, err
	}
	return Displaced{Stray: ours, Kept: s.kept}, ErrChanged
}

// toTrash brings the displaced file, inode and all, to the trash, so that even
// a writer that has it open writes to where we look. On another file system its
// text is copied and the inode stays beside the file until it is swept.
func (s *staged) toTrash(text []byte) error {
	v := s.v
	return v.keep(s.temp, s.kept, text)
}

func (v *Local) keep(temp, kept string, text []byte) error {
	err := v.ws.Move(temp, v.state, kept)
	if errors.Is(err, fsys.ErrCrossDevice) {
		err = WriteNew(v.state, v.dur, kept, text, 0o600)
	}
	if err != nil {
		return err
	}
	// A rename between two folders of one file system is durable as a whole once
	// either folder is, so this one call covers the swap and the move.
	return v.dur.Dir(v.ws, path.Dir(temp))
}

// Kept finds what an action left under its own names.
func (v *Local) Kept(_ context.Context, id string, paths []Path) ([]Kept, error) {
	var found []Kept
	for slot, p := range paths {
		name, err := v.resolve(p)
		if err != nil {
			return nil, wrap("look for", p, err)
		}
		for _, at := range []struct {
			tree fsys.FS
			name string
		}{
			{v.state, path.Join(v.trash, KeptName(id, slot, p))},
			{v.ws, tempName(name, id, slot)},
			{v.ws, tempName(name, id, slot) + "~"},
		} {
			data, err := ReadFile(at.tree, at.name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, wrap("look for", p, err)
			}
			found = append(found, Kept{
				Path: p, Slot: slot, Data: data, Version: VersionOf(data),
				InTrash: at.tree == v.state, id: id, name: at.name,
			})
		}
	}
	return found, nil
}

// Settle ends what a crash left under a temporary name.
func (v *Local) Settle(_ context.Context, k Kept, keep bool) error {
	if k.InTrash {
		return nil
	}
	if !keep {
		err := v.ws.Remove(k.name)
		return wrap("clear up", k.Path, errors.Join(err, v.dur.Dir(v.ws, path.Dir(k.name))))
	}
	return wrap("keep", k.Path, v.keep(k.name, path.Join(v.trash, KeptName(k.id, k.Slot, k.Path)), k.Data))
}

// resolve follows a link at the end of a path as long as it stays inside the workspace.
func (v *Local) resolve(p Path) (string, error) {
	name := p.name()
	for range 16 {
		info, err := v.ws.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		if info.Mode&fs.ModeSymlink == 0 {
			return name, nil
		}
		target, err := v.ws.Readlink(name)
		if err != nil {
			return "", err
		}
		if !path.IsAbs(target) {
			target = path.Join(path.Dir(name), target)
		}
		if path.IsAbs(target) || target == ".." || strings.HasPrefix(target, "../") {
			return "", fmt.Errorf("is a link that leads out of the workspace (to %s): %w", target, ErrRefused)
		}
		name = target
	}
	return "", fmt.Errorf("is a link to a link, too many times: %w", ErrRefused)
}

func tempName(name, id string, slot int) string {
	return path.Join(path.Dir(name), TempPrefix+id+"."+strconv.Itoa(slot)+"-"+path.Base(name))
}

// KeptName is what a displaced file is called in the trash: it reads well in a
// folder listing and sorts by time.
func KeptName(id string, slot int, p Path) string {
	return id + "." + strconv.Itoa(slot) + "-" + p.Base()
}

func readWithInfo(t fsys.FS, name string) (data []byte, info fsys.Info, err error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, info, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, info, err
	}
	buf := bytes.NewBuffer(make([]byte, 0, info.Size+512))
	if _, err := buf.ReadFrom(f); err != nil {
		return nil, info, err
	}
	return buf.Bytes(), info, nil
}

func wrap(op string, p Path, err error) error {
	if err == nil {
		return nil
	}
	return &PathError{Op: op, Path: p, Err: classify(err)}
}

// classify gives the causes that callers branch on one name each.
func classify(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w (%w)", ErrAbsent, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w (%w)", ErrFull, err)
	case errors.Is(err, fsys.ErrNotRegular):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

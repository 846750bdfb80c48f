package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
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
	most  int64 // bytes of the largest file that is read, 0 for any
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

// Within makes the vault refuse to read files of more bytes than most.
func (v *Local) Within(most int64) *Local {
	v.most = most
	return v
}

// Close lets go of the workspace; the state's tree belongs to the caller.
func (v *Local) Close() error { return v.ws.Close() }

// Lock takes the agent's lock. Where files cannot be replaced safely nobody gets it:
// nothing shall be begun that must then be taken back.
func (v *Local) Lock(_ context.Context, holder string) (io.Closer, error) {
	if t, ok := v.ws.(interface{ Safe() error }); ok {
		if err := t.Safe(); err != nil {
			return nil, err
		}
	}
	return v.state.Lock(v.lock, holder)
}

// Sync waits for the disk.
func (v *Local) Sync(context.Context) error { return classify(v.dur.Barrier()) }

// Read returns the file.
func (v *Local) Read(_ context.Context, p Path) (Doc, error) {
	// No tree leads out of itself, over whatever links. Only where one does not follow them,
	// or refuses to, is it worth a look at what the name is.
	data, info, err := readWithInfo(v.ws, p.name(), v.most)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrRefused) {
		switch name, refused := v.resolve(p); {
		case refused != nil:
			err = refused
		case name != p.name(): // otherwise the error stands: it is not tried away
			data, info, err = readWithInfo(v.ws, name, v.most)
		}
	}
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
	for try := 0; err == nil; try++ {
		var there bool
		if there, err = v.append(name, data); there {
			return nil
		}
		if err == nil && try == 4 {
			err = ErrChanged
		}
	}
	return wrap("append to", p, err)
}

// append writes to the file that has the name now. there is false if somebody
// gave the name to another file before the text was in: then nobody will see it.
func (v *Local) append(name string, data []byte) (there bool, err error) {
	f, created, err := v.ws.Append(name, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		if err := MkdirAll(v.ws, v.dur, path.Dir(name), 0o755); err != nil {
			return false, err
		}
		f, created, err = v.ws.Append(name, 0o644)
	}
	if err != nil {
		return false, err
	}
	err = func() error {
		mine, err := f.Stat()
		if err != nil {
			return err
		}
		if mine.Links > 1 {
			return ErrShared
		}
		if n, err := f.Write(data); err != nil {
			return err
		} else if n != len(data) {
			return errShort
		}
		if err := v.dur.File(f); err != nil {
			return err
		}
		now, err := v.ws.Lstat(name)
		there = err == nil && now.Same(mine)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}()
	err = errors.Join(err, f.Close())
	if err == nil && created && there {
		err = v.newName(name)
	}
	return there && err == nil, err
}

// newName makes a name durable that was not there before, with the folders that lead to it.
func (v *Local) newName(name string) error {
	if err := MkdirAll(v.ws, v.dur, path.Dir(name), 0o755); err != nil {
		return err
	}
	return v.dur.Dir(v.ws, path.Dir(name))
}

// resolve follows a link at the end of a path as long as it stays inside the workspace.
func (v *Local) resolve(p Path) (string, error) {
	info, err := v.ws.Lstat(p.name())
	if err == nil && info.Mode&fs.ModeSymlink != 0 {
		return v.follow(p.name())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return p.name(), err
}

// Resolve is where a path leads in the workspace, links followed, whether or not a file is there.
func (v *Local) Resolve(_ context.Context, p Path) (Path, error) {
	name, err := v.follow(p.name())
	if err != nil {
		return "", wrap("resolve", p, err)
	}
	return Path(name), nil
}

// follow walks a path element by element, so that ".." in a link means the
// folder the link really is in.
func (v *Local) follow(name string) (string, error) {
	at, todo := ".", strings.Split(name, "/")
	for links := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		if part == ".." {
			if at == "." {
				return "", fmt.Errorf("is a link that leads out of the workspace: %w", ErrRefused)
			}
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		info, err := v.ws.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path.Join(append([]string{next}, todo...)...), nil
		case err != nil:
			return "", err
		case info.Mode&fs.ModeSymlink == 0:
			at = next
			continue
		}
		target, err := v.ws.Readlink(next)
		switch links++; {
		case err != nil:
			return "", err
		case path.IsAbs(target):
			return "", fmt.Errorf("is a link that leads out of the workspace (to %s): %w", target, ErrRefused)
		case links > 16:
			return "", fmt.Errorf("is a link to a link, too many times: %w", ErrRefused)
		}
		todo = append(strings.Split(path.Clean(target), "/"), todo...)
	}
	return at, nil
}

// readWithInfo reads a file of at most so many bytes; 0 for any number.
func readWithInfo(t fsys.FS, name string, most int64) (data []byte, info fsys.Info, err error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, info, err
	}
	defer f.Close()
	return readOpened(f, most)
}

func readOpened(f fsys.File, most int64) (data []byte, info fsys.Info, err error) {
	if info, err = fsys.Opened(f); err != nil {
		return nil, info, err
	}
	if most > 0 && info.Size > most {
		return nil, info, &TooLargeError{info.Size, most}
	}
	var r io.Reader = f
	if most > 0 {
		r = io.LimitReader(f, most+1) // it may grow while it is read
	}
	buf := bytes.NewBuffer(make([]byte, 0, info.Size+512))
	if n, err := buf.ReadFrom(r); err != nil {
		return nil, info, err
	} else if most > 0 && n > most {
		return nil, info, &TooLargeError{n, most}
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
	case errors.Is(err, fsys.ErrNotRegular), errors.Is(err, fsys.ErrMount):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

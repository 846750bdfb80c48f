package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"strings"
	"syscall"

	"tend/internal/disk/fsys"
)

// Vault is one workspace and the folder in Tend's state for its displaced files. All
// methods are safe for concurrent use; Lock keeps writers to one agent apart.
type Vault struct {
	ws    fsys.FS // the agent's folder
	state fsys.FS // Tend's own tree
	lock  string  // in state: the lock file
	trash string  // in state: the folder for displaced files
	dur   Durability
	most  int64 // size limit for reading, 0 for none
	own   bool  // new files are readable by their owner only
}

// New serves the workspace ws. In Tend's state, displaced files go to the folder trash,
// and lock is the lock file; the ledger creates their folders.
func New(ws, state fsys.FS, lock, trash string, d Durability) *Vault {
	return &Vault{ws: ws, state: state, lock: lock, trash: trash, dur: d}
}

// Within makes the vault refuse to read files larger than most bytes.
func (v *Vault) Within(most int64) *Vault {
	v.most = most
	return v
}

// Private makes new files readable by their owner only, unless their folder is shared with a group.
func (v *Vault) Private() *Vault {
	v.own = true
	return v
}

// Close closes the workspace's tree; the state's tree belongs to the caller.
func (v *Vault) Close() error { return v.ws.Close() }

// Lock gives the caller exclusive access among Tend's processes. It does not wait: it
// fails with fsys.ErrLocked if the lock is taken. It also fails where files cannot be
// replaced safely, so that no action begins that would have to be undone.
func (v *Vault) Lock(_ context.Context, holder string) (io.Closer, error) {
	if t, ok := v.ws.(interface{ Safe() error }); ok {
		if err := t.Safe(); err != nil {
			return nil, err
		}
	}
	return v.state.Lock(v.lock, holder)
}

// Sync returns when everything staged, committed or appended before is durable, and
// everything else written through the Durability that the vault shares with the ledger.
func (v *Vault) Sync(context.Context) error { return classify(v.dur.Barrier()) }

// Read returns the whole file and follows links inside the workspace. It fails with
// ErrAbsent if there is none.
func (v *Vault) Read(_ context.Context, p Path) (Doc, error) {
	return v.read(p, v.most)
}

// ReadUpTo is Read with a lower limit than the vault's, 0 for none. A larger file is a TooLargeError with this limit.
func (v *Vault) ReadUpTo(_ context.Context, p Path, most int64) (Doc, error) {
	if most <= 0 || v.most > 0 && v.most < most {
		most = v.most
	}
	return v.read(p, most)
}

func (v *Vault) read(p Path, most int64) (Doc, error) {
	f, err := v.open(p)
	if err != nil {
		return Doc{}, pathError("read", p, err)
	}
	data, info, err := readOpened(f, most)
	if err := errors.Join(err, f.Close()); err != nil {
		return Doc{}, pathError("read", p, err)
	}
	return Doc{
		Path: p, Data: data, Version: VersionOf(data),
		ModTime: info.ModTime, Mode: info.Mode, Links: info.Links, Size: int64(len(data)),
	}, nil
}

// Untouched reports whether a file still has the size and time it had when it was read. It is a cheap early check:
// Stage also notices a write that left both the same.
func (v *Vault) Untouched(d Doc) bool {
	info, err := v.ws.Lstat(d.Path.name())
	if errors.Is(err, fs.ErrNotExist) {
		return d.Version == Absent
	}
	return err == nil && d.Version != Absent && info.Mode.IsRegular() && info.Size == d.Size && info.ModTime.Equal(d.ModTime)
}

// open opens a file and follows links inside the workspace. A tree does not follow a
// link at the end of a name, so the name is resolved only after opening it failed.
func (v *Vault) open(p Path) (fsys.File, error) {
	f, err := v.ws.Open(p.name())
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	name, refused := v.resolveLink(p)
	switch {
	case refused != nil:
		return nil, refused
	case name != p.name():
		return v.ws.Open(name)
	}
	return nil, err
}

// Head returns at most the first so many bytes of a file. The version is that of the
// whole file, which is hashed in pieces, so its size does not matter.
func (v *Vault) Head(_ context.Context, p Path, most int) (Doc, error) {
	f, err := v.open(p)
	if err != nil {
		return Doc{}, pathError("read", p, err)
	}
	version, info, err := digestOf(f)
	data := make([]byte, min(int64(most), info.Size))
	if err == nil && len(data) > 0 {
		var n int
		if n, err = f.ReadAt(data, 0); errors.Is(err, io.EOF) {
			err = nil
		}
		data = data[:n]
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return Doc{}, pathError("read", p, err)
	}
	return Doc{
		Path: p, Data: data, Head: int64(len(data)) < info.Size, Version: version, Size: info.Size,
		ModTime: info.ModTime, Mode: info.Mode, Links: info.Links,
	}, nil
}

// digestOf returns the version of an open file of any size.
func digestOf(f fsys.File) (Version, fsys.Info, error) {
	info, err := f.Stat()
	if err != nil {
		return "", info, err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, io.NewSectionReader(f, 0, math.MaxInt64))
	return Version(hex.EncodeToString(sum.Sum(nil))), info, err
}

// List returns the entries of a folder ("" for the top), in name order, without Tend's
// own temporary files. It fails with ErrAbsent if there is no such folder.
func (v *Vault) List(_ context.Context, dir Path) ([]Info, error) {
	entries, err := v.ws.ReadDir(dir.name())
	if err != nil {
		return nil, pathError("list", dir, err)
	}
	infos := make([]Info, 0, len(entries))
	for _, e := range entries {
		if strings.HasPrefix(e.Name, TempPrefix) {
			continue
		}
		p := dir.Join(e.Name)
		if e.Mode&fs.ModeSymlink != 0 {
			if name, err := v.resolveLink(p); err == nil {
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

// Prune removes the empty folders in a folder, and the folder itself if it is empty.
// It does not follow links, and does nothing on systems without a call that removes
// only folders.
func (v *Vault) Prune(ctx context.Context, dir Path) {
	ws, ok := v.ws.(interface{ RemoveDir(name string) error })
	if !ok || dir == "" {
		return
	}
	if i, err := v.ws.Lstat(dir.name()); err != nil || !i.IsDir() {
		return
	}
	entries, err := v.ws.ReadDir(dir.name())
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			v.Prune(ctx, dir.Join(e.Name))
		}
	}
	_ = ws.RemoveDir(dir.name()) // fails if it is not empty
}

// Append adds data at the end of a file, which it creates if missing. No concurrent
// append is lost. It is durable after the next Sync. It fails with ErrShared if the
// file has hard links and must be replaced instead.
func (v *Vault) Append(_ context.Context, p Path, data []byte) error {
	name, err := v.resolveLink(p)
	for try := 0; err == nil; try++ {
		var there bool
		if there, err = v.append(name, data); there {
			return nil
		}
		if err == nil && try == 4 {
			err = ErrChanged
		}
	}
	return pathError("append to", p, err)
}

// append writes to the file that has the name now. there is false if another file got
// the name before the text was written, so that no reader would see the text.
func (v *Vault) append(name string, data []byte) (there bool, err error) {
	f, created, err := v.ws.Append(name, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := v.mkdirAll(path.Dir(name)); err != nil {
			return false, err
		}
		f, created, err = v.ws.Append(name, 0o600)
	}
	if err != nil {
		return false, err
	}
	err = func() error {
		if created {
			if err := v.newFile(path.Dir(name)).setOn(f); err != nil {
				return err
			}
		}
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
			return io.ErrShortWrite
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

// newName makes a new file's name durable, with those of its folders.
func (v *Vault) newName(name string) error {
	if err := v.mkdirAll(path.Dir(name)); err != nil {
		return err
	}
	return v.dur.Dir(v.ws, path.Dir(name))
}

// resolveLink follows a link at the end of a path and refuses one that leaves the workspace.
func (v *Vault) resolveLink(p Path) (string, error) {
	info, err := v.ws.Lstat(p.name())
	if err == nil && info.Mode&fs.ModeSymlink != 0 {
		return v.followLinks(p.name())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return p.name(), err
}

// Find returns where the file of a path is now, for an action to record before it begins.
// With force, a path that is not a file and does not lead to one is returned unchanged, to be set aside.
func (v *Vault) Find(_ context.Context, p Path, force bool) (Target, error) {
	name, err := v.resolveLink(p)
	if err == nil && name == p.name() {
		return Target{Path: p}, nil
	}
	if err == nil {
		if i, lerr := v.ws.Lstat(name); lerr == nil && !i.Mode.IsRegular() {
			err = fmt.Errorf("is a link to %s: %w", describeKind(v.ws, name, i), ErrRefused)
		}
	}
	switch {
	case err == nil:
		return Target{Path: p, At: Path(name)}, nil
	case force && inWay(err):
		return Target{Path: p}, nil
	}
	return Target{}, pathError("write", p, err)
}

// inWay reports whether the error is about something that a forced change sets aside.
func inWay(err error) bool {
	return errors.Is(err, ErrRefused) || errors.Is(err, fsys.ErrEscapes) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// Resolve follows all links of a path inside the workspace; the file need not exist.
func (v *Vault) Resolve(_ context.Context, p Path) (Path, error) {
	name, err := v.followLinks(p.name())
	if err != nil {
		return "", pathError("resolve", p, err)
	}
	return Path(name), nil
}

// followLinks resolves a path element by element, so that ".." in a link is relative to the
// folder that contains the link.
func (v *Vault) followLinks(name string) (string, error) {
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

// readWithInfo reads a file of at most this many bytes (0: no limit).
func readWithInfo(t fsys.FS, name string, most int64) (data []byte, info fsys.Info, err error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, info, err
	}
	defer f.Close()
	return readOpened(f, most)
}

func readOpened(f fsys.File, most int64) (data []byte, info fsys.Info, err error) {
	if info, err = f.Stat(); err != nil {
		return nil, info, err
	}
	if most <= 0 {
		most = math.MaxInt64 - 1
	}
	if info.Size > most {
		return nil, info, &TooLargeError{info.Size, most}
	}
	data = make([]byte, info.Size+1) // one more, to see the end of the file
	n, err := io.ReadFull(f, data)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return data[:n], info, nil
	}
	if err != nil {
		return nil, info, err
	}
	added, err := io.ReadAll(io.LimitReader(f, most-info.Size)) // it has grown meanwhile
	if err != nil {
		return nil, info, err
	}
	data = append(data, added...)
	if size := int64(len(data)); size > most {
		return nil, info, &TooLargeError{size, most}
	}
	return data, info, nil
}

func pathError(op string, p Path, err error) error {
	if err == nil {
		return nil
	}
	return &PathError{Op: op, Path: p, Err: classify(err)}
}

// classify maps system errors to the errors that callers check for.
func classify(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w (%w)", ErrAbsent, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w (%w)", ErrFull, err)
	case errors.Is(err, fsys.ErrNotRegular), errors.Is(err, fsys.ErrMount), errors.Is(err, fsys.ErrEscapes):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

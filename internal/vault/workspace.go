package vault

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"syscall"

	"tend/internal/fsys"
)

// Vault is one workspace and the part of Tend's state that its displaced files go to.
// All methods may be called from several goroutines; writers to one agent are kept
// apart by Lock.
type Vault struct {
	ws    fsys.FS // the agent's folder
	state fsys.FS // Tend's own tree
	lock  string  // in state: the lock file
	trash string  // in state: the folder displaced files go to
	dur   Durability
	most  int64 // bytes of the largest file that is read, 0 for any
	own   bool  // new files are for their owner only
}

var errShort = errors.New("wrote less than was given")

// New serves the workspace ws. In Tend's state, displaced files go to the
// folder trash, and lock is the lock file; their folders are made by the ledger.
func New(ws, state fsys.FS, lock, trash string, d Durability) *Vault {
	return &Vault{ws: ws, state: state, lock: lock, trash: trash, dur: d}
}

// Within makes the vault refuse to read files of more bytes than most.
func (v *Vault) Within(most int64) *Vault {
	v.most = most
	return v
}

// Private makes new files readable by their owner only, unless their folder is shared with a group.
func (v *Vault) Private() *Vault {
	v.own = true
	return v
}

// Close lets go of the workspace; the state's tree belongs to the caller.
func (v *Vault) Close() error { return v.ws.Close() }

// Lock makes the caller the only one of Tend's processes to work on this workspace. It
// does not wait: fsys.ErrLocked if it is taken. Where files cannot be replaced safely
// nobody gets it, so that nothing is begun that must then be taken back.
func (v *Vault) Lock(_ context.Context, holder string) (io.Closer, error) {
	if t, ok := v.ws.(interface{ Safe() error }); ok {
		if err := t.Safe(); err != nil {
			return nil, err
		}
	}
	return v.state.Lock(v.lock, holder)
}

// Sync returns when everything staged, committed or appended before it is durable,
// and with it all that went through the Durability the vault shares with the ledger.
func (v *Vault) Sync(context.Context) error { return classify(v.dur.Barrier()) }

// Read returns the file, whole, links inside the workspace followed. ErrAbsent if
// there is none.
func (v *Vault) Read(ctx context.Context, p Path) (Doc, error) {
	return v.ReadLike(ctx, p, nil, Absent)
}

// ReadLike returns a file that is expected to have a text whose version is known: if it has, nothing is hashed.
func (v *Vault) ReadLike(_ context.Context, p Path, text []byte, version Version) (Doc, error) {
	f, err := v.open(p)
	if err != nil {
		return Doc{}, wrap("read", p, err)
	}
	data, info, err := readOpened(f, v.most)
	if err := errors.Join(err, f.Close()); err != nil {
		return Doc{}, wrap("read", p, err)
	}
	return Doc{
		Path: p, Data: data, Version: versionLike(data, text, version),
		ModTime: info.ModTime, Mode: info.Mode, Links: info.Links, Size: int64(len(data)),
	}, nil
}

// versionLike is the version of data, which most often is a text whose version is known.
func versionLike(data, text []byte, version Version) Version {
	if version != Absent && text != nil && bytes.Equal(data, text) {
		return version
	}
	return VersionOf(data)
}

// Untouched reports whether a file still has the size and time it had when it was read, for those who only want to know
// early: a write that leaves both as they were is noticed when the file is staged.
func (v *Vault) Untouched(d Doc) bool {
	info, err := v.ws.Lstat(d.Path.name())
	if errors.Is(err, fs.ErrNotExist) {
		return d.Version == Absent
	}
	return err == nil && d.Version != Absent && info.Mode.IsRegular() && info.Size == d.Size && info.ModTime.Equal(d.ModTime)
}

// open opens a file, links inside the workspace followed. A tree follows no link at the
// end of a name, so only when opening fails is the name worth a second look.
func (v *Vault) open(p Path) (fsys.File, error) {
	f, err := v.ws.Open(p.name())
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	name, refused := v.resolve(p)
	switch {
	case refused != nil:
		return nil, refused
	case name != p.name(): // otherwise the error counts: no retry
		return v.ws.Open(name)
	}
	return nil, err
}

// Head returns a file with only its first bytes, at most so many. Its version is that of
// the whole file, read in pieces, so that its size does not matter.
func (v *Vault) Head(_ context.Context, p Path, most int) (Doc, error) {
	f, err := v.open(p)
	if err != nil {
		return Doc{}, wrap("read", p, err)
	}
	version, info, err := digest(f)
	data := make([]byte, min(int64(most), info.Size))
	if err == nil && len(data) > 0 {
		var n int
		if n, err = f.ReadAt(data, 0); errors.Is(err, io.EOF) {
			err = nil
		}
		data = data[:n]
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return Doc{}, wrap("read", p, err)
	}
	return Doc{
		Path: p, Data: data, Head: int64(len(data)) < info.Size, Version: version, Size: info.Size,
		ModTime: info.ModTime, Mode: info.Mode, Links: info.Links,
	}, nil
}

// version is that of an open file, which most often has a text whose version is known.
func (v *Vault) version(f fsys.File, text []byte, version Version) (Version, fsys.Info, error) {
	if text == nil {
		return digest(f)
	}
	data, info, err := readOpened(f, v.most)
	var large *TooLargeError
	if errors.As(err, &large) {
		return digest(f)
	}
	return versionLike(data, text, version), info, err
}

func digest(f fsys.File) (Version, fsys.Info, error) {
	info, err := fsys.Opened(f)
	if err != nil {
		return "", info, err
	}
	sum := sha256.New()
	// Most memory files are far smaller than the buffer io.Copy would make for each.
	buf := make([]byte, min(max(info.Size+1, 512), 32<<10))
	_, err = io.CopyBuffer(sum, io.NewSectionReader(f, 0, math.MaxInt64), buf)
	return Version(hex.EncodeToString(sum.Sum(nil))), info, err
}

// List returns what is directly in a folder ("" for the top), in name order, without
// Tend's own temporary names. ErrAbsent if there is no such folder.
func (v *Vault) List(_ context.Context, dir Path) ([]Info, error) {
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

// Prune removes a folder and those below it that have nothing in them. What is
// in use stays; links are not followed. It does nothing where the system has no
// call that removes folders only.
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
	_ = ws.RemoveDir(dir.name()) // one with files in it stays
}

// Append adds data at the end of a file, making it if need be, so that no concurrent
// append is lost. It is durable after the next Sync. ErrShared if it must be replaced
// by a file of its own instead.
func (v *Vault) Append(_ context.Context, p Path, data []byte) error {
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
			if err := v.newFile(path.Dir(name)).give(f); err != nil {
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
func (v *Vault) newName(name string) error {
	if err := v.mkdirAll(path.Dir(name)); err != nil {
		return err
	}
	return v.dur.Dir(v.ws, path.Dir(name))
}

// resolve follows a link at the end of a path as long as it stays inside the workspace.
func (v *Vault) resolve(p Path) (string, error) {
	info, err := v.ws.Lstat(p.name())
	if err == nil && info.Mode&fs.ModeSymlink != 0 {
		return v.follow(p.name())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return p.name(), err
}

// Find says where the file of a path is now, for an action to note before it begins.
// With force, something that is no file and leads to none is returned as it is, to be set aside.
func (v *Vault) Find(_ context.Context, p Path, force bool) (Place, error) {
	name, err := v.resolve(p)
	if err == nil && name == p.name() {
		return Place{Path: p}, nil
	}
	if err == nil {
		if i, lerr := v.ws.Lstat(name); lerr == nil && !i.Mode.IsRegular() {
			err = fmt.Errorf("is a link to %s: %w", describe(v.ws, name, i), ErrRefused)
		}
	}
	switch {
	case err == nil:
		return Place{Path: p, At: Path(name)}, nil
	case force && inWay(err):
		return Place{Path: p}, nil
	}
	return Place{}, wrap("write", p, err)
}

// inWay reports whether something at a name, or on the way there, is what a forced change sets aside.
func inWay(err error) bool {
	return errors.Is(err, ErrRefused) || errors.Is(err, fsys.ErrEscapes) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// Resolve is where a path leads in the workspace, links followed, whether or not a file is there.
func (v *Vault) Resolve(_ context.Context, p Path) (Path, error) {
	name, err := v.follow(p.name())
	if err != nil {
		return "", wrap("resolve", p, err)
	}
	return Path(name), nil
}

// follow walks a path element by element, so that ".." in a link means the
// folder the link really is in.
func (v *Vault) follow(name string) (string, error) {
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
	data = make([]byte, 0, info.Size+1) // with room to see that it ends there
	for err == nil {
		var n int
		n, err = f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if most > 0 && int64(len(data)) > most { // it may grow while it is read
			return nil, info, &TooLargeError{int64(len(data)), most}
		}
		if len(data) == cap(data) {
			data = slices.Grow(data, bytes.MinRead)
		}
	}
	if err != io.EOF {
		return nil, info, err
	}
	return data, info, nil
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
	case errors.Is(err, fsys.ErrNotRegular), errors.Is(err, fsys.ErrMount), errors.Is(err, fsys.ErrEscapes):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"sync"

	"tend/internal/disk/fsys"
)

// isIrregular reports whether opening a name failed because it is not a regular file.
func isIrregular(err error) bool { return errors.Is(err, fsys.ErrNotRegular) }

// describeKind names the kind of something that is not a regular file.
func describeKind(t fsys.FS, name string, i fsys.Info) string {
	switch {
	case i.IsDir():
		return "a folder"
	case i.Mode&fs.ModeSymlink != 0:
		if target, err := t.Readlink(name); err == nil {
			return fmt.Sprintf("a link to %q", target)
		}
		return "a link"
	case i.Mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case i.Mode&fs.ModeSocket != 0:
		return "a socket"
	case i.Mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}

// describeOdd describes what has the name, "" if it is a regular file by now.
func describeOdd(t fsys.FS, name string) (string, error) {
	i, err := t.Lstat(name)
	if err != nil || i.Mode.IsRegular() {
		return "", err
	}
	return describeKind(t, name, i), nil
}

// maxAsides limits the number of names tried.
const maxAsides = 100

// setAside renames something in the workspace to a free name beside it, without
// following or opening it. base is the name people know it by.
func (v *Vault) setAside(name, base, id string) (Path, error) {
	return v.moveAside(path.Dir(name), base, id, func(to string) error { return v.ws.Rename(name, to) })
}

// moveBack moves something that is not a regular file from the trash back to the
// workspace. If that fails it removes it, unless it is a folder, which may have content.
func (v *Vault) moveBack(kept string, p Path, id string) (Path, error) {
	out := func(to string) error { return v.state.Move(kept, v.ws, to) }
	at, err := v.moveAside(p.Dir().name(), p.Base(), id, out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		at, err = v.moveAside(".", p.Base(), id, out) // its own folder cannot be reached
	}
	if err != nil {
		if i, lerr := v.state.Lstat(kept); errors.Is(lerr, fs.ErrNotExist) || lerr == nil && !i.IsDir() {
			at, err = "", v.state.Remove(kept)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = v.dur.Dir(v.state, v.trash)
	}
	return at, err
}

// moveAside has move give something the first free name beside base in a folder of the workspace.
func (v *Vault) moveAside(dir, base, id string, move func(to string) error) (Path, error) {
	for n := range maxAsides {
		to := path.Join(dir, asideName(base, id, n))
		if _, err := v.ws.Lstat(to); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		err := move(to)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = v.dur.Dir(v.ws, dir)
		}
		return Path(to), err
	}
	return "", fmt.Errorf("set %s aside: %w", base, fs.ErrExist)
}

var aside = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.aside-[0-9a-z]{10}(-\d+)?$`) })

// IsAside reports whether the name is one that setAside gives.
func IsAside(name string) bool { return aside().MatchString(name) }

// asideName is the name of something set aside: beside the file, visible to people.
func asideName(base, id string, n int) string {
	name := base + ".aside-" + id
	if n > 0 {
		name += "-" + strconv.Itoa(n)
	}
	return name
}

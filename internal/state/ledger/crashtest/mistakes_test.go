package crashtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
)

// All mistakes are made outside the code under test, in what it calls.

// inTrees makes a mistake in every tree.
func inTrees(how func(*bent)) func() mistake {
	return func() mistake {
		return mistake{tree: func(d *memfs.Disk, dir string, t fsys.FS) fsys.FS {
			b := &bent{FS: t, disk: d, dir: dir}
			how(b)
			return b
		}}
	}
}

// lazy is a durability that skips some syncs.
type lazy struct {
	vault.Durability
	noFile, noDir bool
	barrier       func(vault.Durability) error
}

func (l lazy) File(f fsys.File) error {
	if l.noFile {
		return nil
	}
	return l.Durability.File(f)
}

func (l lazy) Dir(t fsys.FS, name string) error {
	if l.noDir {
		return nil
	}
	return l.Durability.Dir(t, name)
}

func (l lazy) Barrier() error {
	if l.barrier != nil {
		return l.barrier(l.Durability)
	}
	return l.Durability.Barrier()
}

func leavingOut(file, dir bool) func() mistake {
	return func() mistake {
		return mistake{durable: func(d vault.Durability) vault.Durability {
			return lazy{Durability: d, noFile: file, noDir: dir}
		}}
	}
}

// noParentSync syncs folders for the files in them, but not for new folders.
func noParentSync(b *bent) {
	b.dirty = map[string]bool{}
	b.syncDir = func(b *bent, name string) error {
		if !b.dirty[name] {
			return nil
		}
		delete(b.dirty, name)
		return b.FS.SyncDir(name)
	}
}

// inPlace writes the new text over the old one.
func inPlace(b *bent) {
	b.exchange = func(b *bent, x, y string) error {
		fresh, err := b.read(x)
		if err != nil {
			return err
		}
		old, err := b.read(y)
		if err != nil {
			return err
		}
		return errors.Join(b.write(y, fresh), b.write(x, old))
	}
}

// tempElsewhere puts the new text on another file system, from where it can only be copied.
func tempElsewhere(b *bent) {
	b.exchange = func(b *bent, x, y string) error {
		fresh, err := b.read(x)
		if err != nil {
			return err
		}
		if err := b.FS.Rename(y, x); err != nil {
			return err
		}
		return b.write(y, fresh)
	}
}

// copyOnly keeps a copy of the displaced file and not the file itself.
func copyOnly(b *bent) {
	b.exchange = func(b *bent, x, y string) error {
		old, err := b.read(y)
		if err != nil {
			return err
		}
		if err := b.FS.Rename(x, y); err != nil {
			return err
		}
		return b.write(x, old)
	}
}

// linkAndRename keeps the file it has read, not the one it displaces.
func linkAndRename(b *bent) {
	b.exchange = func(b *bent, x, y string) error {
		if err := b.FS.Link(y, x+"~"); err != nil {
			return err
		}
		if err := b.FS.Rename(x, y); err != nil {
			return err
		}
		return b.FS.Rename(x+"~", x)
	}
}

// archiveLast writes archives after the file has been replaced.
func archiveLast() mistake {
	var waiting []func() error
	return mistake{tree: func(d *memfs.Disk, dir string, t fsys.FS) fsys.FS {
		return &bent{FS: t, disk: d, dir: dir,
			link: func(b *bent, from, to string) error {
				if !strings.HasPrefix(to, "archive/") {
					return b.FS.Link(from, to)
				}
				text, err := b.read(from)
				waiting = append(waiting, func() error { return b.write(to, text) })
				return err
			},
			exchange: func(b *bent, x, y string) error {
				err := b.FS.Exchange(x, y)
				for _, do := range waiting {
					err = errors.Join(err, do())
				}
				waiting = nil
				b.disk.Flush()
				return err
			}}
	}}
}

// ackEarly relies on the sync before a swap instead of one after it.
func ackEarly() mistake {
	swapped := false
	return mistake{
		tree: func(d *memfs.Disk, dir string, t fsys.FS) fsys.FS {
			return &bent{FS: t, disk: d, dir: dir, exchange: func(b *bent, x, y string) error {
				swapped = true
				return b.FS.Exchange(x, y)
			}}
		},
		durable: func(d vault.Durability) vault.Durability {
			return lazy{Durability: d, barrier: func(d vault.Durability) error {
				if swapped {
					swapped = false
					return nil
				}
				return d.Barrier()
			}}
		},
	}
}

// ageLock takes a lock for free if its file is old.
func ageLock(b *bent) {
	b.lock = func(b *bent, name, holder string) (io.Closer, error) {
		l, err := b.FS.Lock(name, holder)
		if !errors.Is(err, fsys.ErrLocked) {
			return l, err
		}
		if err := b.FS.Remove(name); err != nil {
			return nil, err
		}
		return b.FS.Lock(name, holder)
	}
}

// sameTrash gives a displaced file the same name in the trash each time.
func sameTrash(b *bent) {
	b.name = func(name string) string {
		dir, base := path.Split(name)
		if _, rest, ok := strings.Cut(base, "-"); ok && strings.HasPrefix(dir, "trash/") && len(base) > 12 && base[10] == '.' {
			return dir + rest
		}
		return name
	}
}

// sameMinute names archives by the minute, so that a later one replaces an earlier.
func sameMinute(b *bent) {
	b.name = func(name string) string {
		dir, base := path.Split(name)
		if strings.HasPrefix(dir, "archive/") && len(base) > 15 && !strings.HasPrefix(base, vault.TempPrefix) {
			return dir + base[:15] + ".md"
		}
		return name
	}
	b.link = func(b *bent, from, to string) error {
		if err := b.FS.Remove(b.at(to)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return b.FS.Link(from, b.at(to))
	}
}

// deafFile ignores errors.
type deafFile struct{ fsys.File }

func (f deafFile) Write(p []byte) (int, error) {
	_, _ = f.File.Write(p)
	return len(p), nil
}

func (f deafFile) Close() error {
	_ = f.File.Close()
	return nil
}

// stubbornFile syncs again after a failed sync.
type stubbornFile struct{ fsys.File }

func (f stubbornFile) Sync() error {
	if f.File.Sync() == nil {
		return nil
	}
	return f.File.Sync()
}

var (
	prevOf = regexp.MustCompile(`"prev":"([0-9a-f]+)"`)
	idOf   = regexp.MustCompile(`"id":"([0-9a-z]+)"`)
)

// hasty records an action as done too early, and repairs the ledger's chain so that it
// does not show.
func hasty() func() mistake {
	follows := map[string]string{} // a record's claimed and real predecessor
	digest := func(line []byte) string {
		sum := sha256.Sum256(bytes.Trim(line, "\n"))
		return hex.EncodeToString(sum[:8])
	}
	change := func(line []byte) []byte {
		should := digest(line)
		if prev := prevOf.FindSubmatch(line); prev != nil && follows[string(prev[1])] != "" {
			line = bytes.Replace(line, prev[1], []byte(follows[string(prev[1])]), 1)
		}
		follows[should] = digest(line)
		if bytes.Contains(line, []byte(`"state":"intent"`)) {
			early := fmt.Appendf(nil, `{"v":1,"id":"%s","state":"done","at":"2026-03-31T23:00:00Z","prev":"%s"}`, idOf.FindSubmatch(line)[1],
				digest(line))
			follows[should] = digest(early)
			line = append(append(bytes.Clone(line), early...), '\n')
		}
		return line
	}
	return inTrees(func(b *bent) {
		b.file = func(_ string, f fsys.File) fsys.File { return hastyFile{f, change} }
	})
}

type hastyFile struct {
	fsys.File
	change func([]byte) []byte
}

func (f hastyFile) Write(p []byte) (int, error) {
	_, err := f.File.Write(f.change(p))
	return len(p), err
}

// bentFiles makes a mistake in every file opened for writing.
func bentFiles(how func(fsys.File) fsys.File) func() mistake {
	return inTrees(func(b *bent) {
		b.file = func(_ string, f fsys.File) fsys.File { return how(f) }
	})
}

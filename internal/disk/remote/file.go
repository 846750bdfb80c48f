package remote

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/pkg/sftp"

	"tend/internal/disk/fsys"
)

// file is an open file. It lives as long as its connection.
type file struct {
	*sftp.File
	t       *tree
	s       *sftp.Client
	name    string
	appends bool
	said    []byte // what was appended last
	size    int64  // when it was opened
	ended   bool   // the end was reached but not reported yet

	seen os.FileInfo // its attributes when it was opened for reading, until asked for
	perm fs.FileMode // the mode it should have
	bare bool        // and does not have yet: the server created it with its own default
}

// setMode sets the mode of a new file before anything is written to it.
func (f *file) setMode() error {
	if !f.bare {
		return nil
	}
	f.bare = false
	return f.Chmod(f.perm)
}

func (f *file) Read(p []byte) (int, error) {
	if f.ended {
		f.ended = false
		return 0, io.EOF
	}
	n, err := f.File.Read(p)
	if f.ended = n > 0 && err == io.EOF; f.ended {
		return n, nil
	}
	if err != nil && err != io.EOF {
		err = f.t.mapError(f.s, "read", f.name, err)
	}
	return n, err
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = f.t.mapError(f.s, "read", f.name, err)
	}
	return n, err
}

// packet is how much one request carries.
const packet = 32 << 10

// Write sends several requests at once, except where their order matters.
func (f *file) Write(p []byte) (n int, err error) {
	if err := f.setMode(); err != nil {
		return 0, f.t.mapError(f.s, "write", f.name, err)
	}
	if !f.appends {
		n, err = f.File.Write(p)
		return n, f.t.mapError(f.s, "write", f.name, err)
	}
	for n < len(p) && err == nil {
		var m int
		m, err = f.File.Write(p[n:min(n+packet, len(p))])
		n += m
	}
	f.said = bytes.Clone(p[:n])
	return n, f.t.mapError(f.s, "write", f.name, err)
}

func (f *file) Sync() error { return f.t.mapError(f.s, "sync", f.name, f.File.Sync()) }

func (f *file) Close() error {
	return f.t.mapError(f.s, "close", f.name, errors.Join(f.setMode(), f.File.Close()))
}

// Stat checks whether a name still refers to the file that was appended to: there are no inodes to compare, so the
// added text is searched.
func (f *file) Stat() (fsys.Info, error) {
	st, err := f.seen, f.setMode()
	if f.seen = nil; st == nil && err == nil {
		st, err = f.File.Stat()
	}
	if err != nil {
		return fsys.Info{}, f.t.mapError(f.s, "stat", f.name, err)
	}
	i := f.t.infoOf(f.name, st)
	if len(f.said) > 0 {
		there, err := f.hasAppended()
		if err != nil {
			return fsys.Info{}, f.t.mapError(f.s, "stat", f.name, err)
		}
		if !there {
			i.Ino, i.Links = 0, 0
		}
	}
	return i, nil
}

// hasAppended reports whether the file of this name has the appended text.
func (f *file) hasAppended() (bool, error) {
	st, err := f.s.Lstat(f.name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !st.Mode().IsRegular() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	g, err := f.s.Open(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer g.Close()
	// It may have shrunk before and grown after our write.
	from := max(0, min(f.size, st.Size()-int64(len(f.said))))
	text, err := io.ReadAll(io.NewSectionReader(g, from, st.Size()-from))
	return bytes.Contains(text, f.said), err
}

func (f *file) Own(want fsys.Info) error {
	have, err := f.File.Stat()
	if err != nil {
		return f.t.mapError(f.s, "stat", f.name, err)
	}
	const bits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	is, moved := f.t.infoOf(f.name, have), false
	if moved = is.UID != want.UID || is.GID != want.GID; moved {
		if err := f.Chown(want.UID, want.GID); err != nil {
			return f.t.mapError(f.s, "chown", f.name, err)
		}
	}
	f.bare = false
	if !moved && is.Mode&bits == want.Mode&bits { // a new owner clears mode bits
		return nil
	}
	return f.t.mapError(f.s, "chmod", f.name, f.Chmod(want.Mode&bits))
}

package watch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

const interest = unix.IN_CREATE | unix.IN_CLOSE_WRITE | unix.IN_MODIFY | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
	unix.IN_DELETE | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// Watch watches folders below one root. Its methods may be called from several
// goroutines.
type Watch struct {
	root string
	file *os.File // the kernel's queue, for the runtime to wait on

	mu   sync.Mutex
	fd   int              // of file; -1 once closed
	dirs map[int32]string // by the kernel's number: relative to root
	keep Changes          // read from the queue and not yet told
	buf  [64 << 10]byte
}

// New watches the root folder itself; folders below it are added.
func New(root string) (*Watch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("watch: %w: %w", ErrUnsupported, err)
	}
	w := &Watch{root: root, file: os.NewFile(uintptr(fd), "inotify"), fd: fd, dirs: map[int32]string{}}
	if err := w.Add("."); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Add watches one more folder, named relative to the root. Adding it twice does
// no harm. What was in it before is for the caller to look at, after Add.
func (w *Watch) Add(dir string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	wd, err := unix.InotifyAddWatch(w.fd, filepath.Join(w.root, filepath.FromSlash(dir)), interest)
	if err == unix.ENOENT || err == unix.ENOTDIR {
		return nil // gone already; its parent tells
	}
	if err != nil {
		return fmt.Errorf("watch %s: %w: %w", dir, ErrUnsupported, err)
	}
	w.dirs[int32(wd)] = dir
	return nil
}

// Changed returns what happened since the last call.
func (w *Watch) Changed() (Changes, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.drain()
	c := w.keep
	w.keep = Changes{}
	return c, err
}

// Wait returns when something has happened, without taking it, or when the
// watch is closed.
func (w *Watch) Wait() error {
	conn, err := w.file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Read(func(uintptr) bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		failed = w.drain()
		return failed != nil || w.keep.Any()
	})
	return errors.Join(err, failed)
}

// Close ends the watch.
func (w *Watch) Close() error {
	w.mu.Lock()
	w.fd = -1
	w.mu.Unlock()
	return w.file.Close()
}

// drain reads the queue to its end.
func (w *Watch) drain() error {
	for {
		n, err := unix.Read(w.fd, w.buf[:])
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN || err == nil && n == 0:
			return nil
		case err != nil:
			return fmt.Errorf("watch: %w", err)
		}
		w.read(w.buf[:n])
	}
}

func (w *Watch) read(buf []byte) {
	for len(buf) >= unix.SizeofInotifyEvent {
		e := (*unix.InotifyEvent)(unsafe.Pointer(&buf[0]))
		name := buf[unix.SizeofInotifyEvent : unix.SizeofInotifyEvent+e.Len]
		buf = buf[unix.SizeofInotifyEvent+e.Len:]
		dir, known := w.dirs[e.Wd]
		switch {
		case e.Mask&unix.IN_Q_OVERFLOW != 0, e.Mask&unix.IN_ISDIR != 0 && e.Len > 0, e.Mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0:
			w.keep.All = true
		case e.Mask&unix.IN_IGNORED != 0:
			delete(w.dirs, e.Wd)
		case known && e.Len > 0:
			w.keep.name(path.Join(dir, string(bytes.TrimRight(name, "\x00"))))
		}
	}
}

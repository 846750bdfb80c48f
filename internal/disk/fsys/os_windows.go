package fsys

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Nonblock is 0: os.Root takes syscall.O_NONBLOCK for a request to open a folder, and Windows has no
// FIFOs in folders.
const Nonblock = 0

const openDirectory = 0

// hasSyncAll is false: only administrators may flush a whole volume.
const hasSyncAll = false

var errWouldBlock, errCrossDevice error = windows.ERROR_LOCK_VIOLATION, windows.ERROR_NOT_SAME_DEVICE

// flock locks one byte far beyond the end of the file: on Windows nobody can read a locked
// range, and the file names the lock's holder.
func flock(f *os.File, alone bool) error {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if alone {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
}

func holding(f *os.File) io.Closer { return f }

// Inherit returns nil: on Windows a lock belongs to one process.
func Inherit(io.Closer) (*os.File, error) { return nil, nil }

// exchangeAt: Windows has no call that swaps two names.
func exchangeAt(int, string, int, string) error { return ErrNoExchange }

// renameAt renames a file relative to two open folders. It replaces an existing file, also if that
// is open elsewhere.
func renameAt(afd int, a string, bfd int, b string) error {
	h, err := openAt(windows.Handle(afd), a, windows.SYNCHRONIZE|windows.DELETE)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	name, err := windows.UTF16FromString(b)
	if err != nil {
		return err
	}
	const fileRenameInformationEx = 65
	info := renameInformation{
		flags:  windows.FILE_RENAME_REPLACE_IF_EXISTS | windows.FILE_RENAME_POSIX_SEMANTICS,
		folder: windows.Handle(bfd), length: uint32(2 * (len(name) - 1)),
	}
	if len(name) > len(info.name) {
		return windows.ERROR_FILENAME_EXCED_RANGE
	}
	copy(info.name[:], name)
	set := func(class uint32) error {
		return windows.NtSetInformationFile(h, &windows.IO_STATUS_BLOCK{}, (*byte)(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), class)
	}
	if err := set(fileRenameInformationEx); err == nil {
		return nil
	}
	// For file systems without POSIX semantics, such as FAT. The flag "replace" is the same bit in both forms.
	info.flags = windows.FILE_RENAME_REPLACE_IF_EXISTS
	return errno(set(windows.FileRenameInformation))
}

// renameInformation is FILE_RENAME_INFORMATION, whose name has variable length.
type renameInformation struct {
	flags  uint32
	folder windows.Handle
	length uint32
	name   [windows.MAX_PATH]uint16
}

// openAt opens a name in an open folder without following a link; "." is the folder.
func openAt(folder windows.Handle, name string, access uint32) (windows.Handle, error) {
	if name == "." {
		name = "" // the handle's own object
	}
	object, err := windows.NewNTUnicodeString(name)
	if err != nil {
		return 0, err
	}
	attributes := windows.OBJECT_ATTRIBUTES{RootDirectory: folder, ObjectName: object, Attributes: windows.OBJ_CASE_INSENSITIVE}
	attributes.Length = uint32(unsafe.Sizeof(attributes))
	var h windows.Handle
	err = windows.NtCreateFile(&h, access, &attributes, &windows.IO_STATUS_BLOCK{}, nil, 0,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, windows.FILE_OPEN,
		windows.FILE_OPEN_REPARSE_POINT|windows.FILE_OPEN_FOR_BACKUP_INTENT|windows.FILE_SYNCHRONOUS_IO_NONALERT, 0, 0)
	return h, errno(err)
}

// errno turns a kernel status into the error that errors.Is knows.
func errno(err error) error {
	if status, ok := errors.AsType[windows.NTStatus](err); ok {
		return status.Errno()
	}
	return err
}

// syncDir flushes a folder. If that is refused, NTFS's own log decides when a name is durable:
// see docs/windows.md.
func syncDir(d *os.File) error {
	h, err := openAt(windows.Handle(d.Fd()), ".", windows.SYNCHRONIZE|windows.FILE_WRITE_DATA)
	if err == nil {
		err = errors.Join(windows.FlushFileBuffers(h), windows.CloseHandle(h))
	}
	for _, refused := range []error{windows.ERROR_ACCESS_DENIED, windows.ERROR_INVALID_FUNCTION,
		windows.ERROR_INVALID_PARAMETER, windows.ERROR_NOT_SUPPORTED} {
		if errors.Is(err, refused) {
			return nil
		}
	}
	return err
}

// syncAll flushes the names: every file's data was flushed when the file was closed.
func syncAll(d *os.File) error { return syncDir(d) }

// chown does nothing: a file has the access control list inherited from its folder.
func (o *osFS) chown(name string, _, _ int) error {
	_, err := o.root.Lstat(name)
	return err
}

// remove removes a name with os.Root, which keeps the name while a process has the file open. File systems
// that do not support os.Root's call get the older one.
func (o *osFS) remove(name string) error {
	err := o.root.Remove(name)
	if !errors.Is(err, windows.ERROR_INVALID_FUNCTION) && !errors.Is(err, windows.ERROR_NOT_SUPPORTED) {
		return err
	}
	d, err := o.openDir(path.Dir(name))
	if err != nil {
		return err
	}
	defer d.Close()
	h, err := openAt(windows.Handle(d.Fd()), path.Base(name), windows.SYNCHRONIZE|windows.DELETE)
	if err != nil {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	gone := byte(1)
	err = errors.Join(errno(windows.NtSetInformationFile(h, &windows.IO_STATUS_BLOCK{}, &gone, 1, windows.FileDispositionInformation)),
		windows.CloseHandle(h))
	if err != nil {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	return nil
}

// info reads a name once more through a handle: os.Root's info lacks the file's number.
func (o *osFS) info(name string, _ fs.FileInfo) (Info, error) {
	d, err := o.openDir(path.Dir(name))
	if err != nil {
		return Info{}, err
	}
	defer d.Close()
	if path.Base(name) == "." {
		return fileInfo(d)
	}
	h, err := openAt(windows.Handle(d.Fd()), path.Base(name), windows.SYNCHRONIZE|windows.FILE_READ_ATTRIBUTES)
	if err != nil {
		return Info{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(h), name)
	defer f.Close()
	i, err := fileInfo(f)
	i.Name = path.Base(name)
	return i, err
}

func fileInfo(f *os.File) (Info, error) {
	if windows.Handle(f.Fd()) == windows.InvalidHandle {
		return Info{}, &fs.PathError{Op: "stat", Path: f.Name(), Err: fs.ErrClosed}
	}
	st, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	var d windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &d); err != nil {
		return Info{}, &fs.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return Info{
		Name: st.Name(), Size: st.Size(), Mode: st.Mode(), ModTime: st.ModTime(),
		Links: uint64(d.NumberOfLinks), Dev: uint64(d.VolumeSerialNumber), Ino: uint64(d.FileIndexHigh)<<32 | uint64(d.FileIndexLow),
	}, nil
}

func pathInfo(name string) (Info, error) {
	at, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return Info{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	h, err := windows.CreateFile(at, 0, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil, windows.OPEN_EXISTING,
		windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return Info{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(h), name)
	defer f.Close()
	i, err := fileInfo(f)
	i.Name = filepath.Base(name)
	return i, err
}

// Owner reports false: Windows has no such info.
func Owner(fs.FileInfo) (Info, bool) { return Info{}, false }

// Space returns the free space of a folder's volume for this user.
func Space(dir string) (Room, error) {
	at, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return Room{}, err
	}
	var r Room
	if err := windows.GetDiskFreeSpaceEx(at, &r.Free, nil, nil); err != nil {
		return Room{}, &fs.PathError{Op: "free space", Path: dir, Err: err}
	}
	return r, nil
}

// Writable reports whether a file or folder is not marked read-only. The access control list may
// still forbid a write.
func Writable(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.Mode().Perm()&0o200 != 0
}

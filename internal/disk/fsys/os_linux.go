package fsys

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// hasSyncAll is true: syncfs waits for the disk.
const hasSyncAll = true

func exchangeAt(afd int, a string, bfd int, b string) error {
	return unix.Renameat2(afd, a, bfd, b, unix.RENAME_EXCHANGE)
}

// RenameNew renames a file to a free name. It fails with fs.ErrExist if the name is taken, and with
// errors.ErrUnsupported where the file system has no such call.
func (o *osFS) RenameNew(from, to string) error {
	err := o.twoFolders(from, o, to, func(afd int, a string, bfd int, b string) error {
		return unix.Renameat2(afd, a, bfd, b, unix.RENAME_NOREPLACE)
	})
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	}
	return err
}

// syncAll flushes the whole file system the folder is on.
func syncAll(d *os.File) error {
	return os.NewSyscallError("syncfs", unix.Syncfs(int(d.Fd())))
}

// mountOf returns the number of the mount an open file is on, or that of its device on kernels older than 5.8.
func mountOf(f *os.File) (uint64, error) {
	var x unix.Statx_t
	if err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &x); err != nil {
		return 0, os.NewSyscallError("statx", err)
	}
	if x.Mask&unix.STATX_MNT_ID == 0 {
		return unix.Mkdev(x.Dev_major, x.Dev_minor), nil
	}
	return x.Mnt_id, nil
}

// Identify adds the file system's own id and the folder's birth time. The id is used on file systems that derive it from one of
// their own; others have none or one that changes. The birth time is used where it stays the same for as long as the folder
// exists: on an overlay it changes with the first write.
func (o *osFS) Identify() (Identity, error) {
	info, err := fileInfo(o.top)
	if err != nil {
		return Identity{}, err
	}
	info.Name = "."
	id := Identity{Info: info}
	fd := int(o.top.Fd())
	var on unix.Statfs_t
	if err := unix.Fstatfs(fd, &on); err != nil {
		return id, nil
	}
	switch uint32(on.Type) { // 32 bits wide, signed on some processors
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC:
		if on.Fsid.Val != [2]int32{} {
			id.System = fmt.Sprintf("%08x%08x", uint32(on.Fsid.Val[0]), uint32(on.Fsid.Val[1]))
		}
	case unix.TMPFS_MAGIC:
	default:
		return id, nil
	}
	var x unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &x); err == nil && x.Mask&unix.STATX_BTIME != 0 {
		id.Born = time.Unix(x.Btime.Sec, int64(x.Btime.Nsec)).UTC()
	}
	return id, nil
}

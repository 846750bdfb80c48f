package guard

import (
	"fmt"

	"golang.org/x/sys/unix"

	"tend/internal/disk/fsys"
)

// immutable is FS_IMMUTABLE_FL of the kernel's file flags.
const immutable = 0x10

// Locked reports whether a file has the immutable flag.
func Locked(name string) (bool, error) {
	f, err := fsys.OpenFile(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		return false, fmt.Errorf("read file flags: %w", err)
	}
	return flags&immutable != 0, nil
}

// Lock sets or clears the immutable flag of a file, where the system allows it.
func Lock(name string, on bool) error {
	f, err := fsys.OpenFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		return fmt.Errorf("read file flags: %w", err)
	}
	want := flags &^ immutable
	if on {
		want = flags | immutable
	}
	if want == flags {
		return nil
	}
	if err := unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, want); err != nil {
		return fmt.Errorf("set the immutable flag: %w", err)
	}
	return nil
}

// Package blklog finds out what a workload leaves behind when the power goes:
// it records every block write and flush that a real file system sends to its
// disk, then mounts the disk as it could have been at each moment of a crash
// and has the caller check what is there.
//
// The disk is a file in a FUSE file system held in memory by a helper process
// and attached to a loop device, with ext4 on top. A crash state is all that
// was written before the last flush plus all, some, or torn parts of what was
// written since. Each state is mounted for real, so the file system's own
// recovery runs before the check does.
//
// The helper is the test binary itself: TestMain must call [ServeIfChild]
// first. It is a process of its own for two reasons. A thread waiting for the
// disk cannot be killed, so if it shared a process with the disk, neither could
// ever end. And the helper outlives the test, however that ends (panic,
// timeout, kill -9), to unmount and remove all the test had in use.
//
// Needs Linux, root, /dev/fuse, /dev/loop-control and mkfs.ext4 (Debian package
// e2fsprogs); see [Available].
package blklog

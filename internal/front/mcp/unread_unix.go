//go:build unix

package mcp

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// isUnread reports whether the other end of a pipe or socket is closed.
func isUnread(out io.Writer) (is bool) {
	f, ok := out.(syscall.Conn)
	if !ok {
		return false
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	err = conn.Control(func(fd uintptr) {
		poll := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(poll, 0)
		is = err == nil && n > 0 && poll[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	})
	return is && err == nil
}

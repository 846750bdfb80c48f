//go:build !windows

package dial

import (
	"os/exec"
	"syscall"
)

// killGroup makes cancelling kill the program's process group: the program and what it started, unless that
// left the group.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

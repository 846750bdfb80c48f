//go:build !windows

package dial

import (
	"os/exec"
	"syscall"
)

// killGroup makes cancelling kill the program and everything it started.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

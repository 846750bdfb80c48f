package keeper

import (
	"errors"

	"golang.org/x/sys/windows"
)

// processExists reports whether a process exists.
func processExists(pid int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(h)
	var code uint32
	const stillActive = 259
	return windows.GetExitCodeProcess(h, &code) == nil && code == stillActive
}

// maxDescriptors returns a number of open files and connections that Windows allows any process.
func maxDescriptors() int { return 1 << 14 }

package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// takesANSI turns on the console's colour support, and reports whether it has any: consoles before Windows 10 do not,
// and get plain text.
func takesANSI(f *os.File) bool {
	var mode uint32
	h := windows.Handle(f.Fd())
	return windows.GetConsoleMode(h, &mode) == nil &&
		windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

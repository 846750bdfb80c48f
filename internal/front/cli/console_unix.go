//go:build !windows

package cli

import "os"

// takesANSI reports whether a terminal supports colours.
func takesANSI(*os.File) bool { return true }

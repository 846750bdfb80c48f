package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// hookInput reads the hook's input; at a terminal there is none.
func hookInput(a *app) []byte {
	if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(a.in, 64<<20))
	if err != nil {
		return nil
	}
	return data
}

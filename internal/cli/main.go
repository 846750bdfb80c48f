// Package cli is the command line: one file a command, flags in, report out.
//
// Rules of its output: results go to standard output and nothing else does;
// progress, warnings and errors go to standard error. An error says what went
// wrong in one line and, where there is something to do about it, `Try:` in the
// next. Colour only on a terminal. With --json there is one JSON value on
// standard output, and errors are JSON too.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Main runs tend and returns its exit code.
func Main(args []string, in io.Reader, out, errw io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	to := &output{Writer: out}
	a := &app{in: in, out: to, errw: errw}
	root := newRoot(a, args)
	root.SetIn(in)
	root.SetOut(to)
	root.SetErr(errw)
	err := root.ExecuteContext(ctx)
	a.json = a.json || err != nil && wantsJSON(args)
	if werr := to.err(); werr != nil {
		err = werr // worse than whatever was to be told
	}
	if err != nil {
		a.reportError(err)
	}
	return codeOf(err)
}

package cli

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"golang.org/x/term"
)

// output is standard output. It remembers that a write failed: a result that did
// not reach its reader, on a full disk for one, must not end as a success.
type output struct {
	io.Writer
	failed atomic.Pointer[error]
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// err is the first failure.
func (o *output) err() error {
	if e := o.failed.Load(); e != nil {
		return fmt.Errorf("write the result: %w", *e)
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	if h, ok := w.(*headed); ok {
		w = h.to
	}
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && takesANSI(f)
}

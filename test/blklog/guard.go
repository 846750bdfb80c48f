//go:build linux

package blklog

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// guard turns a panic of a callback, or its end by t.Fatal, into an error. The
// callback has a goroutine of its own, else t.Fatal would end the caller's.
func guard(f func() error) error {
	err := errors.New("ended without returning: report by an error, not by t.Fatal")
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		err = f()
	}()
	<-done
	return err
}

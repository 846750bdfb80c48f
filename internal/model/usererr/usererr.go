// Package usererr defines the error that use cases return to the command line and the other front ends: what failed,
// the exit code, and what the user can do about it.
package usererr

import (
	"errors"
	"fmt"
)

// The exit codes. Scripts depend on them.
const (
	CodeFine     = 0
	CodeFindings = 1
	CodeUsage    = 2
	CodeRefused  = 3
	CodeLocked   = 4
	CodeFailed   = 5
)

// Error is a failure with an exit code and a hint. Err is nil when everything has already been printed and only the
// exit code remains.
type Error struct {
	Code int
	Err  error
	Hint string
}

func (e *Error) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Usage marks an error as a mistake in the command line or the configuration.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: CodeUsage, Err: err}
}

// Usagef returns a usage or configuration error with a hint.
func Usagef(hint, format string, args ...any) error {
	return &Error{Code: CodeUsage, Err: fmt.Errorf(format, args...), Hint: hint}
}

// Refusef returns a refusal for safety reasons, with a hint.
func Refusef(hint, format string, args ...any) error {
	return &Error{Code: CodeRefused, Err: fmt.Errorf(format, args...), Hint: hint}
}

// Quiet returns an error that only sets the exit code, for when everything has already been printed.
func Quiet(code int) error {
	if code == CodeFine {
		return nil
	}
	return &Error{Code: code}
}

// HintOf returns the hint of an error, "" if it has none.
func HintOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

package tend

import (
	"errors"
	"strconv"

	"tend/internal/app/memory/toolerr"
)

// Error is a call that was refused or failed. Its text names no path of this machine and can be shown to a model.
type Error struct {
	// Code is stable: bad_path, not_found, exists, changed, bad_input, operators, secret, too_large, over_limit, unsafe,
	// locked, full, offline, read_only or failed.
	Code string
	Text string // what is wrong
	Hint string // what to do instead, "" if there is nothing to say

	cause error
}

func (e *Error) Error() string {
	if e.Hint != "" {
		return e.Text + " " + e.Hint
	}
	return e.Text
}

// Unwrap is the cause, which may name paths: for logs, not for the model.
func (e *Error) Unwrap() error { return e.cause }

// public is an error as this package shows it.
func public(err error) error {
	var e *toolerr.Error
	if errors.As(err, &e) {
		return &Error{Code: string(e.Code), Text: e.Text, Hint: e.Hint, cause: err}
	}
	return err
}

func location(file string, line int) string { return file + ":" + strconv.Itoa(line) }

// Package toolerr is the error an agent gets from a tool: a stable code, what
// is wrong and what to do instead. It names no path of this machine.
package toolerr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/state/ledger"
	"tend/internal/sync/store"
)

// Code is a cause that programs branch on. Codes are stable.
type Code string

// The codes.
const (
	BadPath   Code = "bad_path"   // the name is not one a tool may use
	NotFound  Code = "not_found"  // no such file, folder or action
	Exists    Code = "exists"     // the name is taken
	Changed   Code = "changed"    // the file is not at the version the caller named
	NoMatch   Code = "no_match"   // the text to be replaced is not in the file
	Ambiguous Code = "ambiguous"  // it is there more than once
	BadRange  Code = "bad_range"  // a line number beyond the file
	BadInput  Code = "bad_input"  // an argument that makes no sense
	Operators Code = "operators"  // the operator's text would change
	Secret    Code = "secret"     // the text looks like a credential
	TooLarge  Code = "too_large"  // a limit of the policy
	OverLimit Code = "over_limit" // the harness would cut it, and the policy says no
	Unsafe    Code = "unsafe"     // a link, device or hard-linked file
	OwnTool   Code = "own_tool"   // the harness would stop loading the file
	Locked    Code = "locked"     // another process is at work, for longer than lock.wait
	Full      Code = "full"       // no space left
	Offline   Code = "offline"    // the host the memory is on cannot be reached
	Failed    Code = "failed"     // the disk or the store failed
)

// Error is a call that was rejected: what is wrong, and what to do instead.
type Error struct {
	Code    Code
	Text    string
	Hint    string
	Version vault.Version // of the file as it is, where that helps

	cause error
}

func (e *Error) Error() string {
	s := "[" + string(e.Code) + "] " + e.Text
	if e.Hint != "" {
		s += " " + e.Hint
	}
	return s
}

// Unwrap returns the cause, for logs and for exit codes; not for the agent.
func (e *Error) Unwrap() error { return e.cause }

// Is lets callers branch on the core's sentinels, whatever the cause was.
func (e *Error) Is(target error) bool {
	switch e.Code {
	case NotFound:
		return target == vault.ErrAbsent
	case Changed, Exists:
		return target == vault.ErrChanged
	case BadPath, Operators, Secret, Unsafe, OverLimit, TooLarge, OwnTool:
		return target == vault.ErrRefused
	}
	return false
}

// New is an error of this code.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// Try adds what to do instead.
func (e *Error) Try(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Translate turns an error of the core into one for the agent.
func Translate(doing string, p vault.Path, err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	e = &Error{cause: err}
	what := doing
	if p != "" {
		what += " " + string(p)
	}
	var locked *fsys.LockedError
	var no syscall.Errno
	var path *fs.PathError
	var large *vault.TooLargeError
	var moved *ledger.MovedOnError
	var at *vault.PathError
	var own *job.Refusal
	switch {
	case errors.As(err, &own) && own.OwnTool:
		e.Code, e.Text = OwnTool, fmt.Sprintf("Could not %s: the harness would stop loading the file after a change from "+
			"outside; nothing was changed.", what)
		e.Hint = "Make this change with your own tool for editing files."
	case errors.As(err, &moved):
		e.Code, e.Text = Changed, fmt.Sprintf("Could not %s: %s has changed since action %s, in the same place; nothing was changed.",
			what, moved.Path, moved.Action)
		e.Hint = "Edit the file instead."
	case errors.As(err, &large):
		e.Code, e.Text, e.Hint = TooLarge, fmt.Sprintf("Could not %s: %v.", what, large), "Tell the operator."
	case errors.As(err, &at) && at.Path == "" && errors.Is(err, vault.ErrAbsent):
		e.Code, e.Text = Failed, fmt.Sprintf("Could not %s: the memory folder itself does not exist; nothing was changed.", what)
		e.Hint = "Tell the operator that the workspace was moved or deleted."
	case errors.Is(err, vault.ErrAbsent):
		e.Code, e.Text = NotFound, fmt.Sprintf("%s does not exist.", p)
	case errors.Is(err, vault.ErrChanged):
		e.Code, e.Text = Changed, fmt.Sprintf("Could not %s: others keep writing to it; nothing was changed.", what)
		e.Hint = "Try again."
	case errors.As(err, &locked), errors.Is(err, fsys.ErrLocked):
		e.Code, e.Text, e.Hint = Locked, fmt.Sprintf("Could not %s: another process is at work on this memory; nothing was changed.",
			what), "Try again in a moment."
	case errors.Is(err, store.ErrUnclear):
		e.Code, e.Text = Failed, fmt.Sprintf("Could not %s: the store's answer was lost, so it may have been done.", what)
		e.Hint = "Read the file before you try again."
	case errors.Is(err, store.ErrUnreachable):
		e.Code, e.Text, e.Hint = Failed, fmt.Sprintf("Could not %s: the store does not answer; nothing was changed.",
			what), "Try again in a moment."
	case errors.Is(err, fs.ErrClosed):
		e.Code, e.Text = Failed, fmt.Sprintf("Could not %s: this memory has been closed.", what)
	case errors.Is(err, fsys.ErrMount):
		e.Code, e.Text, e.Hint = Unsafe, fmt.Sprintf("Could not %s: it is on another mount than the memory folder.",
			what), "Tell the operator: workspace.mounts in the policy allows it."
	case errors.Is(err, vault.ErrRefused), errors.Is(err, syscall.ELOOP), errors.As(err, &path) && !errors.As(err, &no):
		// A path error without a number is not the kernel's: the way leads out.
		e.Code, e.Text = Unsafe, fmt.Sprintf("Could not %s: it is not a plain file inside the memory folder.", what)
	case errors.Is(err, vault.ErrFull), errors.Is(err, syscall.ENOSPC):
		e.Code, e.Text, e.Hint = Full, fmt.Sprintf("Could not %s: no space is left; nothing was changed.", what), "Tell the operator."
	case errors.Is(err, vault.ErrUnreachable):
		e.Code, e.Text, e.Hint = Offline, fmt.Sprintf("Could not %s: the host the memory is on cannot be reached.",
			what), "Try again in a moment; if it stays so, tell the operator."
	case errors.Is(err, ledger.ErrNoAction):
		e.Code, e.Text, e.Hint = NotFound, "There is no such action.", "memory_history lists them."
	case errors.Is(err, ledger.ErrNoText):
		e.Code, e.Text = NotFound, fmt.Sprintf("The text of %s at that moment is no longer kept.", p)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Code, e.Text = Failed, fmt.Sprintf("Could not %s: the call was cancelled.", what)
	case errors.Is(err, fs.ErrPermission):
		e.Code, e.Text, e.Hint = Failed, fmt.Sprintf("Could not %s: permission denied.", what), "Tell the operator: the file is there, "+
			"but this process may not use it."
	case errors.As(err, &no):
		e.Code, e.Text, e.Hint = Failed, fmt.Sprintf("Could not %s: %s.", what, no.Error()), "Tell the operator."
	default:
		e.Code, e.Text, e.Hint = Failed, fmt.Sprintf("Could not %s.", what), "Tell the operator; the log has the reason."
	}
	return e
}

// Quote quotes a name that came from outside: short, and with nothing in it
// that acts on a terminal.
func Quote(name string) string {
	const most = 80
	if len(name) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + "…"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range name {
		if r == '"' || unicode.IsControl(r) || !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) {
			r = utf8.RuneError
		}
		b.WriteRune(r)
	}
	b.WriteByte('"')
	return b.String()
}

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
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Main runs tend and returns its exit code.
func Main(args []string, in io.Reader, out, errw io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	to := &output{Writer: out}
	a := &app{in: in, out: to, errw: errw}
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(to)
	root.SetErr(errw)
	err := root.ExecuteContext(ctx)
	if werr := to.err(); werr != nil {
		err = werr // worse than whatever was to be told
	}
	if err != nil {
		a.reportError(err)
	}
	return codeOf(err)
}

const (
	groupMemory = "memory"
	groupGuard  = "guard"
	groupWrite  = "write"
	groupHouse  = "house"
	groupSetup  = "setup"
)

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "tend",
		Short: "Keep the memory of long-running LLM agents whole, small and true",
		Long: `Tend keeps the memory of long-running LLM agents whole, small and true.

The memory is plain markdown on disk. The agent owns its notes, the operator
owns the baseline, and Tend does the housekeeping between them without ever
losing a byte.

EXIT STATUS
  0 fine · 1 findings that want a person · 2 usage or configuration
  3 refused for safety · 4 locked · 5 failed (I/O, unreachable)`,
		Example: `  tend demo                 # see what it does, in a temporary folder
  tend init ~/agent         # adopt an agent's workspace
  tend status               # which agents need you, and why
  tend reset reviewer       # archive the notes, restore the baseline
  tend undo c4v8k2m9ft      # take any action back`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	a.addGlobalFlags(root.PersistentFlags())
	root.AddGroup(
		&cobra.Group{ID: groupHouse, Title: "Housekeeping:"},
		&cobra.Group{ID: groupGuard, Title: "The operator's baseline:"},
		&cobra.Group{ID: groupWrite, Title: "Writing:"},
		&cobra.Group{ID: groupMemory, Title: "Reading and history:"},
		&cobra.Group{ID: groupSetup, Title: "Setting up:"},
	)
	root.AddCommand(commands(a)...)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.GroupID == "" {
			c.GroupID = groupSetup
		}
	}
	root.SetHelpCommandGroupID(groupSetup)
	root.SetCompletionCommandGroupID(groupSetup)
	refuseArgs(root)
	return root
}

// refuseArgs makes arguments that a command does not take an error of usage, with
// the command that was probably meant.
func refuseArgs(cmd *cobra.Command) {
	if valid := cmd.Args; valid != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			err := valid(c, args)
			if err == nil {
				return nil
			}
			hint := "`" + c.CommandPath() + " --help`"
			if len(args) > 0 && c.HasSubCommands() {
				c.SuggestionsMinimumDistance = 2
				if near := c.SuggestionsFor(args[0]); len(near) > 0 {
					hint = "`" + c.CommandPath() + " " + near[0] + "`, or " + hint
				}
			}
			return &exitError{code: exitUsage, err: err, hint: hint}
		}
	}
	for _, c := range cmd.Commands() {
		refuseArgs(c)
	}
}

// exitError carries the exit code, and what to do next.
type exitError struct {
	code int
	err  error
	hint string
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// The exit codes.
const (
	exitFine     = 0
	exitFindings = 1
	exitUsage    = 2
	exitRefused  = 3
	exitLocked   = 4
	exitFailed   = 5
)

func usage(err error) error { return &exitError{code: exitUsage, err: err} }

func usagef(hint, text string) error {
	return &exitError{code: exitUsage, err: errors.New(text), hint: hint}
}

// quietly ends with a code when everything has been said already.
func quietly(code int) error {
	if code == exitFine {
		return nil
	}
	return &exitError{code: code}
}

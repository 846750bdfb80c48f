package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tend/internal/disk/fsys"
	"tend/internal/disk/remote"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/model/policy"
	"tend/internal/model/usererr"
	"tend/internal/state/ledger"
)

// codeOf maps causes to exit codes, in one place.
func codeOf(err error) int {
	var ee *usererr.Error
	var cfg *config.Error
	var unknown *config.UnknownAgentError
	var moved *ledger.MovedOnError
	var refusal *job.Refusal
	switch {
	case err == nil:
		return usererr.CodeFine
	case errors.As(err, &ee):
		return ee.Code
	case errors.As(err, &refusal) && refusal.Usage:
		return usererr.CodeUsage
	case errors.As(err, &cfg), errors.As(err, &unknown), errors.Is(err, fleet.ErrNoVault), errors.Is(err, ledger.ErrNoAction):
		return usererr.CodeUsage
	case errors.Is(err, fsys.ErrLocked):
		return usererr.CodeLocked
	case errors.Is(err, vault.ErrRefused), errors.As(err, &moved), errors.Is(err, remote.ErrHostKey), errors.Is(err, remote.ErrWeak),
		errors.Is(err, fsys.ErrPublic):
		return usererr.CodeRefused
	}
	return usererr.CodeFailed
}

// hintFor returns what to do about an error.
func hintFor(err error) string {
	var ee *usererr.Error
	var moved *ledger.MovedOnError
	var refusal *job.Refusal
	var state interface{ Hint() string } // a state folder of another configuration, or of a newer tend
	switch {
	case errors.As(err, &state):
		return state.Hint()
	case errors.As(err, &refusal):
		return refusal.Try
	case errors.As(err, &ee) && ee.Hint != "":
		return ee.Hint
	case errors.As(err, &moved) && moved.Merge:
		return "`tend restore " + string(moved.Path) + " --at " + moved.Action +
			"~` restores what was there before the action and keeps the present text; `tend show " + moved.Action + "` shows the action"
	case errors.As(err, &moved):
		return "`tend undo --merge " + moved.Action + "` keeps what changed since; `tend show " + moved.Action + "` shows the action"
	case errors.Is(err, fsys.ErrPublic):
		return "look whether someone changed it, then `chmod go-w` it"
	case errors.Is(err, fsys.ErrLocked):
		return "another tend is working on this agent; run the command again in a moment"
	case errors.Is(err, ledger.ErrNoAction):
		return "`tend log` lists the actions"
	case errors.Is(err, fsys.ErrMount):
		return "if that volume is the agent's own, give the agent the policy `workspace.mounts: follow`"
	case errors.Is(err, ledger.ErrDamaged):
		return "`tend doctor` checks the ledger; restore it from a backup, or remove the damaged line: its record is then lost"
	case errors.Is(err, ledger.ErrNoText):
		return "`tend log` shows the other actions on the file, `tend search --past` finds all text that is kept"
	case errors.Is(err, vault.ErrFull):
		return "free some space; nothing was changed"
	case errors.Is(err, remote.ErrWeak):
		return "only reading is safe there; nothing was changed"
	case errors.Is(err, syscall.EPERM):
		return "the file may be immutable or append-only (`lsattr` shows it); else run tend as the user who owns these files"
	case errors.Is(err, fs.ErrPermission):
		return "run tend as the user who owns these files"
	case errors.Is(err, vault.ErrChanged):
		return "the file changed while this was running; run the command again"
	}
	return ""
}

// flagError says which flag was meant, or what it accepts, in command-line terms.
func flagError(cmd *cobra.Command, err error) error {
	help := "`" + cmd.CommandPath() + " --help`"
	var unknown *pflag.NotExistError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		var names []string
		for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.InheritedFlags()} {
			set.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		}
		if near := policy.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			help = "--" + near + ", or " + help
		}
	case errors.As(err, &wrong):
		f := wrong.GetFlag()
		err = fmt.Errorf("--%s takes %s, not %q", f.Name, flagTakes(f), wrong.GetValue())
	}
	return &usererr.Error{Code: usererr.CodeUsage, Err: err, Hint: help}
}

func flagTakes(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64":
		return "a whole number"
	case "bool":
		return "true or false"
	case "time":
		return "a time such as 2026-11-15, 2026-11-15 22:00 or 2026-11-15T22:00:00Z"
	case "duration":
		return "a duration such as 90s, 15m or 24h"
	}
	return "another value"
}

// argsError says what a command accepts when it got too few or too many arguments.
func argsError(cmd *cobra.Command, err error, args []string) error {
	if cmd.HasSubCommands() {
		return err // it already names the unknown command
	}
	_, takes, _ := strings.Cut(cmd.Use, " ")
	switch {
	case takes == "":
		return fmt.Errorf("%s takes no arguments, not %q", cmd.CommandPath(), strings.Join(args, " "))
	case len(args) == 0:
		return fmt.Errorf("%s needs %s", cmd.CommandPath(), takes)
	}
	return fmt.Errorf("%s takes %s; these are %d arguments", cmd.CommandPath(), takes, len(args))
}

// wantsJSON looks for --json before anything is parsed, so that mistakes in the flags are reported in the format the
// caller reads.
func wantsJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

func oneIf(loss bool) error {
	if loss {
		return usererr.Quiet(usererr.CodeFindings)
	}
	return nil
}

// usage marks an error as a usage error, unless it already has a code.
func usage(err error) error {
	var f *usererr.Error
	if errors.As(err, &f) {
		return err
	}
	return usererr.Usage(err)
}

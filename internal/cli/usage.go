package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tend/internal/fault"
	"tend/internal/policy"
)

// flagError says which flag was meant, or what it takes, in words of the command line.
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
	return &fault.Error{Code: fault.CodeUsage, Err: err, Hint: help}
}

func flagTakes(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64":
		return "a whole number"
	case "bool":
		return "true or false"
	case "duration":
		return "a duration such as 90s, 15m or 24h"
	}
	return "another value"
}

// argsError says what a command takes when it was given too little or too much.
func argsError(cmd *cobra.Command, err error, args []string) error {
	if cmd.HasSubCommands() {
		return err // it names the command that is not known
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

// wantsJSON looks for --json before anything is parsed: a mistake in the flags is
// told the way the caller reads.
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

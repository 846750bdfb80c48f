// Package cli is the command line: flags in, report out. The help of a command is in the text file beside it.
//
// Results, and nothing else, go to standard output; progress, warnings and errors go to standard error. An error says
// what went wrong in one line and, if there is something to do about it, `Try:` in the next. Colours are used only on
// a terminal. With --json there is one JSON value on standard output, and errors are JSON too.
package cli

import (
	"context"
	"embed"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/model/usererr"
)

// group makes a command that only has subcommands.
func group(name string, below ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(below...)
	return cmd
}

// newRoot returns the command tree, ready to run args.
func newRoot(a *app, args []string) *cobra.Command {
	root := group("tend")
	root.Version, root.SilenceErrors, root.SilenceUsage = version, true, true
	root.PersistentPreRun = func(*cobra.Command, []string) { a.catchSignals() }
	root.SetVersionTemplate("tend {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetArgs(args)
	a.addGlobalFlags(root.PersistentFlags())
	for i := range groups {
		root.AddGroup(&groups[i])
	}
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
	for _, e := range contents() {
		root.AddCommand(e.command(a))
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	addHelp(root)
	fitHelp(root)
	acceptAgentFlag(a, root)
	refuseArgs(root)
	return root
}

// refuseArgs turns unexpected arguments into a usage error that suggests the command that was probably meant.
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
			return &usererr.Error{Code: usererr.CodeUsage, Err: argsError(c, err, args), Hint: hint}
		}
	}
	for _, c := range cmd.Commands() {
		refuseArgs(c)
	}
}

// patience is how long a command may go on after a signal.
const patience = 800 * time.Millisecond

// errCut: a command did not end by itself after a signal.
var errCut = &usererr.Error{
	Code: usererr.CodeFailed, Err: errors.New("interrupted"),
	Hint: "a change that had begun is finished or rolled back by the next command",
}

// runWithin runs a command, and leaves it behind when it goes on for too long after ctx ended: it may wait for its input, or
// compute. The program can end at any moment without harm.
func (a *app) runWithin(ctx context.Context, patience time.Duration, run func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	if a.patient.Load() {
		return <-done
	}
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return errCut
	}
}

// Main runs tend and returns its exit code.
func Main(args []string, in io.Reader, out, errw io.Writer) int {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	to := &output{Writer: out}
	a := &app{in: in, patient: new(atomic.Bool), printer: printer{out: to, errw: errw}, signals: sync.OnceFunc(func() {
		caught, _ := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(caught, stop)
	})}
	root := newRoot(a, args)
	root.SetIn(in)
	root.SetOut(to)
	root.SetErr(errw)
	err := a.runWithin(ctx, patience, root.ExecuteContext)
	a.json = a.json || err != nil && wantsJSON(args)
	if werr := to.err(); werr != nil {
		err = werr // worse than the result's own code
	}
	if err != nil {
		a.reportError(err)
	}
	return codeOf(err)
}

// helpPages are the help of the commands, a page each: cmd_NAME.txt beside cmd_NAME.go. A page has a part for the command
// and one for each subcommand, headed by its words. Only the help of jobs is elsewhere: in the rows of the job table.
//
//go:embed root.txt cmd_*.txt
var helpPages embed.FS

// helpPage returns the help page of a command of the root.
func helpPage(name string) string {
	text, _ := helpPages.ReadFile(name)
	return "\n" + string(text)
}

// addHelp gives the root and every command below it their help.
func addHelp(root *cobra.Command) {
	describeFrom(root, helpPage("root.txt"))
	for _, cmd := range root.Commands() {
		describeTree(cmd, helpPage("cmd_"+cmd.Name()+".txt"))
	}
}

func describeTree(cmd *cobra.Command, page string) {
	describeFrom(cmd, page)
	for _, c := range cmd.Commands() {
		describeTree(c, page)
	}
}

// describeFrom takes a command's summary, text and examples from a page. The command's annotations replace words in braces.
func describeFrom(cmd *cobra.Command, page string) {
	_, text, ok := strings.Cut(page, "\n# "+cmd.CommandPath()+"\n")
	if !ok {
		return
	}
	text, _, _ = strings.Cut(text, "\n\n# ")
	body, examples, _ := strings.Cut(text, "\n\nExamples:\n")
	cmd.Short, cmd.Long, _ = strings.Cut(body, "\n\n")
	cmd.Example = strings.TrimSuffix(examples, "\n")
	for name, value := range cmd.Annotations {
		cmd.Long = strings.Replace(cmd.Long, "{"+name+"}", value, 1)
	}
}

// Package cli is the command line: flags in, report out. The help of each command is in help.txt.
//
// Results, and nothing else, go to standard output; progress, warnings and errors go to standard error. An error says
// what went wrong in one line and, if there is something to do about it, `Try:` in the next. Colours are used only on
// a terminal. With --json there is one JSON value on standard output, and errors are JSON too.
package cli

import (
	"context"
	_ "embed"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"tend/internal/app/connect"
	"tend/internal/engine/job/audit"
	"tend/internal/model/fault"
)

// group makes a command that only has subcommands.
func group(name string, below ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(below...)
	return cmd
}

// newRoot returns the command tree, ready to run args. Every hook call pays for the start-up, so only commands named
// by a word of args are built; if those words turn out to be something else (help, completion, a typo), all are.
func newRoot(a *app, args []string) *cobra.Command {
	root := newBareRoot(a)
	root.SetArgs(args)
	add := func(list []entry, wanted func(entry) bool) bool {
		for _, e := range list {
			if wanted(e) {
				root.AddCommand(e.command(a))
			}
		}
		found, _, err := root.Find(args)
		return err == nil && found != root
	}
	named := func(e entry) bool { return slices.Contains(args, e.name) }
	if add(fixedCommands(), named) || add(jobCommands(), named) {
		root.CompletionOptions.DisableDefaultCmd = true
	} else {
		add(contents(), func(e entry) bool { return !named(e) })
		root.InitDefaultHelpCmd()
		root.InitDefaultCompletionCmd()
	}
	describe(root, "tend")
	acceptAgentFlag(a, root)
	refuseArgs(root)
	return root
}

// newBareRoot has the flags and groups of all commands, and no commands.
func newBareRoot(a *app) *cobra.Command {
	root := group("tend")
	root.Version, root.SilenceErrors, root.SilenceUsage = version, true, true
	root.PersistentPreRun = func(*cobra.Command, []string) { a.catchSignals() }
	root.SetVersionTemplate("tend {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	a.addGlobalFlags(root.PersistentFlags())
	for i := range groups {
		root.AddGroup(&groups[i])
	}
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
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
			return &fault.Error{Code: fault.CodeUsage, Err: argsError(c, err, args), Hint: hint}
		}
	}
	for _, c := range cmd.Commands() {
		refuseArgs(c)
	}
}

// Main runs tend and returns its exit code.
func Main(args []string, in io.Reader, out, errw io.Writer) int {
	growStack()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	to := &output{Writer: out}
	a := &app{in: in, printer: printer{out: to, errw: errw}, signals: sync.OnceFunc(func() {
		caught, _ := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(caught, stop)
	})}
	root := newRoot(a, args)
	root.SetIn(in)
	root.SetOut(to)
	root.SetErr(errw)
	err := root.ExecuteContext(ctx)
	a.json = a.json || err != nil && wantsJSON(args)
	if werr := to.err(); werr != nil {
		err = werr // worse than the result's own code
	}
	if err != nil {
		a.reportError(err)
	}
	return codeOf(err)
}

// growStack makes this goroutine's stack large enough for a whole command while it is almost empty. Otherwise it would
// be copied three times, the last time with all of cobra and a handler on it.
//
//go:noinline
func growStack() byte {
	var b [12 << 10]byte
	return b[os.Getpid()&1]
}

// helpText is the help of all commands, for --help and man pages. It is searched, not parsed: a start needs few of its parts.
//
//go:embed help.txt
var helpText string

// describe gives a command and its subcommands their help, which is found by the command's words.
func describe(cmd *cobra.Command, words string) {
	switch words { // older names
	case "tend adopt":
		words = "tend move"
	case "tend approve", "tend reject":
		words = "tend proposals " + cmd.Name()
	}
	if _, text, ok := strings.Cut(helpText, "\n# "+words+"\n"); ok {
		text, _, _ = strings.Cut(text, "\n\n# ")
		body, examples, _ := strings.Cut(text, "\n\nExamples:\n")
		cmd.Short, cmd.Long, _ = strings.Cut(body, "\n\n")
		cmd.Example = strings.TrimSuffix(examples, "\n")
		switch words {
		case "tend check":
			cmd.Long = strings.Replace(cmd.Long, "{topics}", strings.Join(audit.Topics(), ", "), 1)
		case "tend connect":
			cmd.Long = strings.Replace(cmd.Long, "{harnesses}", strings.Join(connect.Names(), ", "), 1)
		}
	}
	for _, c := range cmd.Commands() {
		describe(c, words+" "+c.Name())
	}
}

// Set by the release build, which excludes the repository's metadata to be reproducible.
var (
	version = "dev"
	commit  = ""
	date    = "" // of the commit
)

func newVersionCommand(a *app) *cobra.Command {
	return a.command("version", func(_ context.Context, _ []string) error {
		commit, date := commit, date
		if info, ok := debug.ReadBuildInfo(); ok && commit == "" {
			for _, s := range info.Settings {
				switch s.Key {
				case "vcs.revision":
					commit = s.Value
				case "vcs.time":
					date = s.Value
				}
			}
		}
		return a.emit(map[string]string{"version": version, "commit": commit, "date": date, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}, func() {
			a.printf("tend %s", version)
			if len(commit) > 12 {
				a.printf(" (%s)", commit[:12])
			}
			a.printf(" %s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
		})
	})
}

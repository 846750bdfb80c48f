package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tend/internal/disk/fsys"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/write"
	"tend/internal/engine/runner"
	"tend/internal/model/policy"
	"tend/internal/model/usererr"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// textFlags are the flags of commands that save a text.
type textFlags struct {
	writeFlags
	agent string
	stdin bool
	tags  []string
	allow []string
}

func (t *textFlags) add(a *app, cmd *cobra.Command) {
	t.writeFlags.add(cmd.Flags())
	cmd.Flags().BoolVar(&t.stdin, "stdin", false, "read the text from standard input")
	cmd.Flags().StringSliceVar(&t.allow, "allow-secret", nil,
		"write even though this `RULE` matches; only for the operator, at a terminal, and recorded")
	_ = cmd.RegisterFlagCompletionFunc("allow-secret", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return secretRules(), cobra.ShellCompDirectiveNoFileComp
	})
	a.agentFlag(cmd, &t.agent)
}

func (t *textFlags) addTags(a *app, cmd *cobra.Command) {
	cmd.Flags().StringSliceVarP(&t.tags, "tag", "t", nil, "`TAGS` of the entry, such as "+strings.Join(note.Tags(), ","))
	_ = cmd.RegisterFlagCompletionFunc("tag", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		ag, err := a.theAgent(t.agent)
		if err != nil {
			return note.Tags(), cobra.ShellCompDirectiveNoFileComp
		}
		return policy.TagsEntry.Of(ag.Policy), cobra.ShellCompDirectiveNoFileComp
	})
}

func secretRules() []string {
	var rules []string
	for _, r := range scan.Rules() {
		if r.Class == scan.Secret {
			rules = append(rules, r.Rule)
		}
	}
	return rules
}

// mostStdin is how much is read from standard input: more than any memory file may have.
const mostStdin = 32 << 20

// readRequest is what the flags and arguments ask to be written.
func (t *textFlags) readRequest(a *app, args []string) (write.Request, error) {
	w := write.Request{Text: strings.Join(args, " "), Tags: t.tags, Allow: t.allow}
	switch {
	case t.stdin && len(args) > 0:
		return w, usererr.Usagef("leave one of them out", "a text and --stdin")
	case t.stdin:
		text, err := io.ReadAll(io.LimitReader(a.in, mostStdin+1))
		if err != nil {
			return w, fmt.Errorf("read standard input: %w", err)
		}
		if len(text) > mostStdin {
			return w, usererr.Usagef("write a shorter text", "standard input has more than %d MiB", mostStdin>>20)
		}
		w.Text = string(text)
	}
	if len(t.allow) > 0 {
		return w, mayAllow(a, t.allow)
	}
	return w, nil
}

// mayAllow lets only the operator waive a rule: someone at a terminal who may write the configuration. An agent's
// commands have no terminal, and its tools no such parameter.
func mayAllow(a *app, rules []string) error {
	known := secretRules()
	for _, r := range rules {
		if !slices.Contains(known, r) {
			return usererr.Usagef("the error message names the rule", "%q is not a rule for secrets", r)
		}
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	in, ok := a.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) || !fsys.Writable(cfg.Path) {
		return &usererr.Error{Code: usererr.CodeRefused, Err: errors.New("--allow-secret is for the operator at a terminal"),
			Hint: "run it yourself in a terminal; or let policy `secrets: warn` in " + cfg.Path + " report secrets instead of refusing them",
		}
	}
	return nil
}

// command makes a command that keeps a text, given as words or on standard input.
func (t *textFlags) command(a *app, use string,
	do func(context.Context, *fleet.Agent, write.Request, runner.Options) (runner.Result, error)) *cobra.Command {
	cmd := a.command(use, func(ctx context.Context, args []string) error {
		w, err := t.readRequest(a, args)
		if err != nil {
			return err
		}
		return a.change(ctx, t.agent, t.writeFlags, func(ag *fleet.Agent, o runner.Options) (runner.Result, error) { return do(ctx, ag, w, o) })
	})
	cmd.Args = nil
	t.add(a, cmd)
	return cmd
}

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
	"tend/internal/disk/vault"
	"tend/internal/engine/act"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/write"
	"tend/internal/model/fault"
	"tend/internal/model/policy"
	"tend/internal/model/words"
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
	cmd.Flags().StringSliceVar(&t.allow, "allow-secret", nil, "write even though this `RULE` matches; only for the operator, at a terminal, and recorded")
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

// writing is what the flags and arguments ask to be written.
func (t *textFlags) writing(a *app, args []string) (write.Request, error) {
	w := write.Request{Text: strings.Join(args, " "), Tags: t.tags, Allow: t.allow}
	switch {
	case t.stdin && len(args) > 0:
		return w, fault.Usagef("leave one of them out", "a text and --stdin")
	case t.stdin:
		text, err := io.ReadAll(a.in)
		if err != nil {
			return w, fmt.Errorf("read standard input: %w", err)
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
			return fault.Usagef("the error message names the rule", "%q is not a rule for secrets", r)
		}
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	in, ok := a.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) || !fsys.Writable(cfg.Path) {
		return &fault.Error{Code: fault.CodeRefused, Err: errors.New("--allow-secret is for the operator at a terminal"),
			Hint: "run it yourself in a terminal; or let policy `secrets: warn` in " + cfg.Path + " report secrets instead of refusing them",
		}
	}
	return nil
}

// command makes a command that keeps a text, given as words or on standard input.
func (t *textFlags) command(a *app, use string, do func(context.Context, *fleet.Agent, write.Request, act.Options) (act.Result, error)) *cobra.Command {
	cmd := a.command(use, func(ctx context.Context, args []string) error {
		w, err := t.writing(a, args)
		if err != nil {
			return err
		}
		return a.change(ctx, t.agent, t.writeFlags, func(ag *fleet.Agent, o act.Options) (act.Result, error) { return do(ctx, ag, w, o) })
	})
	cmd.Args = nil
	t.add(a, cmd)
	return cmd
}

func newNoteCommand(a *app) *cobra.Command {
	var t textFlags
	cmd := t.command(a, "note TEXT", act.Note)
	t.addTags(a, cmd)
	return cmd
}

func newBufferCommand(a *app) *cobra.Command {
	return group("buffer", newBufferAdd(a), newBufferShow(a), newBufferClear(a))
}

func newBufferAdd(a *app) *cobra.Command {
	var t textFlags
	var task string
	cmd := t.command(a, "add TEXT", func(ctx context.Context, ag *fleet.Agent, w write.Request, o act.Options) (act.Result, error) {
		return act.BufferAdd(ctx, ag, w, task, o)
	})
	t.addTags(a, cmd)
	cmd.Flags().StringVar(&task, "task", "", "add it under the heading of this active `TASK`")
	return cmd
}

func newBufferShow(a *app) *cobra.Command {
	return a.reader("show", a.readOne, func(ctx context.Context, ag *fleet.Agent, _ []string) error {
		s, err := ag.Files.Buffer(ctx)
		if err != nil {
			return err
		}
		return a.emit(s, func() {
			if s.Empty {
				a.printf("%s is empty.\n", s.File)
				return
			}
			a.printf("%s", words.Safe(s.Text))
			if s.Stale {
				a.warnf("last active %s: `tend rotate` recovers it into today's log", ago(ag.Now(), *s.LastActive))
			}
			if s.MaxLines > 0 && s.Lines > s.MaxLines {
				a.warnf("%s", fmt.Sprintf("%d lines, the limit is %d", s.Lines, s.MaxLines))
			}
		})
	})
}

func newBufferClear(a *app) *cobra.Command {
	return a.writer("clear", func(ctx context.Context, ag *fleet.Agent, _ []string, o act.Options) (act.Result, error) {
		return act.BufferClear(ctx, ag, o)
	})
}

func newSessionCommand(a *app) *cobra.Command {
	return group("session", newSessionWrite(a), newSessionShow(a))
}

func newSessionWrite(a *app) *cobra.Command {
	return new(textFlags).command(a, "write TEXT", act.SessionWrite)
}

func newSessionShow(a *app) *cobra.Command {
	return a.reader("show", a.readOne, func(ctx context.Context, ag *fleet.Agent, _ []string) error {
		s, err := ag.Files.Session(ctx)
		if err != nil {
			return err
		}
		return a.emit(s, func() {
			if s.Text == "" {
				a.printf("%s does not exist yet.\n", s.File)
			}
			a.printf("%s", words.Safe(s.Text))
		})
	})
}

func newVerifyCommand(a *app) *cobra.Command {
	return a.writer("verify FILE…", func(ctx context.Context, ag *fleet.Agent, args []string, o act.Options) (r act.Result, err error) {
		files := make([]vault.Path, len(args))
		for i, arg := range args {
			if files[i], err = vault.ParsePath(arg); err != nil {
				return r, err
			}
		}
		return act.Verify(ctx, ag, files, o)
	})
}

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

	"tend/internal/act"
	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/fsys"
	"tend/internal/job"
	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/scan"
	"tend/internal/vault"
	"tend/internal/words"
)

// textFlags are those of commands that take a text to keep.
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
	cmd.Flags().StringSliceVar(&t.allow, "allow-secret", nil, "write although this `RULE` says it is a secret; only for the operator, at a terminal, and recorded")
	_ = cmd.RegisterFlagCompletionFunc("allow-secret", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return secretRules(), cobra.ShellCompDirectiveNoFileComp
	})
	a.agentFlag(cmd, &t.agent)
}

func (t *textFlags) addTags(a *app, cmd *cobra.Command) {
	cmd.Flags().StringSliceVarP(&t.tags, "tag", "t", nil, "`TAGS` the entry carries, such as "+strings.Join(note.Tags(), ","))
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
func (t *textFlags) writing(a *app, args []string) (job.Writing, error) {
	w := job.Writing{Text: strings.Join(args, " "), Tags: t.tags, Allow: t.allow}
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

// mayAllow lets only the operator waive a rule: somebody at a terminal who may write the
// configuration. An agent's commands have no terminal, and its tools no such parameter.
func mayAllow(a *app, rules []string) error {
	known := secretRules()
	for _, r := range rules {
		if !slices.Contains(known, r) {
			return fault.Usagef("the refusal names the rule", "%q is not a rule for secrets", r)
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

// write runs a command that keeps a text.
func (t *textFlags) write(cmd *cobra.Command, a *app, args []string, do func(context.Context, *fleet.Agent, job.Writing, act.Options) (act.Result, error)) error {
	w, err := t.writing(a, args)
	if err != nil {
		return err
	}
	return a.change(cmd.Context(), t.agent, t.writeFlags, func(ag *fleet.Agent, o act.Options) (act.Result, error) {
		return do(cmd.Context(), ag, w, o)
	})
}

func newNoteCommand(a *app) *cobra.Command {
	var t textFlags
	cmd := &cobra.Command{
		Use:  "note TEXT",
		RunE: func(cmd *cobra.Command, args []string) error { return t.write(cmd, a, args, act.Note) },
	}
	t.add(a, cmd)
	t.addTags(a, cmd)
	return cmd
}

func newBufferCommand(a *app) *cobra.Command {
	return group("buffer", newBufferAdd(a), newBufferShow(a), newBufferClear(a))
}

func newBufferAdd(a *app) *cobra.Command {
	var t textFlags
	var task string
	cmd := &cobra.Command{
		Use: "add TEXT",
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.write(cmd, a, args, func(ctx context.Context, ag *fleet.Agent, w job.Writing, o act.Options) (act.Result, error) {
				return act.BufferAdd(ctx, ag, w, task, o)
			})
		},
	}
	t.add(a, cmd)
	t.addTags(a, cmd)
	cmd.Flags().StringVar(&task, "task", "", "put it under the heading of this active `TASK`")
	return cmd
}

func newBufferShow(a *app) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use: "show", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withAgent(cmd.Context(), agent, fleet.Options{}, func(ag *fleet.Agent) error {
				s, err := ag.Files.Buffer(cmd.Context())
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
		},
	}
	a.agentFlag(cmd, &agent)
	return cmd
}

func newBufferClear(a *app) *cobra.Command {
	var agent string
	var w writeFlags
	cmd := &cobra.Command{
		Use:  "clear",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.change(cmd.Context(), agent, w, func(ag *fleet.Agent, o act.Options) (act.Result, error) {
				return act.BufferClear(cmd.Context(), ag, o)
			})
		},
	}
	w.add(cmd.Flags())
	a.agentFlag(cmd, &agent)
	return cmd
}

func newSessionCommand(a *app) *cobra.Command {
	return group("session", newSessionWrite(a), newSessionShow(a))
}

func newSessionWrite(a *app) *cobra.Command {
	var t textFlags
	cmd := &cobra.Command{
		Use:  "write TEXT",
		RunE: func(cmd *cobra.Command, args []string) error { return t.write(cmd, a, args, act.SessionWrite) },
	}
	t.add(a, cmd)
	return cmd
}

func newSessionShow(a *app) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use: "show", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withAgent(cmd.Context(), agent, fleet.Options{}, func(ag *fleet.Agent) error {
				s, err := ag.Files.Session(cmd.Context())
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
		},
	}
	a.agentFlag(cmd, &agent)
	return cmd
}

func newVerifyCommand(a *app) *cobra.Command {
	var agent string
	var w writeFlags
	cmd := &cobra.Command{
		Use:  "verify FILE…",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			files := make([]vault.Path, len(args))
			for i, arg := range args {
				p, err := vault.ParsePath(arg)
				if err != nil {
					return err
				}
				files[i] = p
			}
			return a.change(cmd.Context(), agent, w, func(ag *fleet.Agent, o act.Options) (act.Result, error) {
				return act.Verify(cmd.Context(), ag, files, o)
			})
		},
	}
	w.add(cmd.Flags())
	a.agentFlag(cmd, &agent)
	return cmd
}

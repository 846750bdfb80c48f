package cli

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/fault"
	"tend/internal/fsys"
	"tend/internal/token"
	"tend/internal/words"
)

func newTokenCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "token", Short: "Tokens by which clients of `tend up` say who they are",
		Long: `A token is for one agent, whose memory alone it reaches, or for the operator. It is
shown once, when it is made; what is kept is its digest.`,
		Example: `  tend token create reviewer
  tend token list
  tend token revoke 1f2e3d4c
  tend token login`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTokenCreate(a), newTokenList(a), newTokenRevoke(a), newTokenLogin(a))
	return cmd
}

func newTokenCreate(a *app) *cobra.Command {
	var t token.Token
	var operator bool
	var lasts time.Duration
	cmd := &cobra.Command{
		Use: "create [AGENT]", Short: "Make a token for an agent, or with --operator for yourself",
		Example: `  tend token create reviewer
  tend token create --operator --name dashboard
  tend token create reviewer --read-only --expires 720h`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(_ *cobra.Command, args []string) error {
			clock, err := a.clock()
			if err != nil {
				return err
			}
			switch {
			case operator && len(args) > 0:
				return fault.Usagef("name an agent or say --operator, not both", "--operator and an agent")
			case !operator:
				if t.Agent, err = a.theAgent(first(args)); err != nil {
					return err
				}
			}
			t.Made = clock().UTC().Truncate(time.Second)
			if lasts > 0 {
				at := t.Made.Add(lasts)
				t.Expires = &at
			}
			return a.withState(func(state fsys.FS) error {
				made, secret, err := token.Create(state, t)
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(map[string]any{"id": made.ID, "agent": made.Agent, "token": secret, "expires": made.Expires})
				}
				if !a.quiet {
					a.errorf("Token %s for %s. It is not shown again.\n", made.ID, whose(made))
				}
				a.printf("%s\n", secret)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&operator, "operator", false, "for the operator: all agents, jobs, findings")
	cmd.Flags().StringVar(&t.Name, "name", "", "what it is for")
	cmd.Flags().BoolVar(&t.ReadOnly, "read-only", false, "it may not write")
	cmd.Flags().DurationVar(&lasts, "expires", 0, "how long it is valid; 0 is until it is revoked")
	return cmd
}

func whose(t token.Token) string {
	if t.Operator() {
		return "the operator"
	}
	return t.Agent
}

func newTokenList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List tokens, not their secrets", Example: "  tend token list",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.readState(func(state fsys.FS) error {
				list, err := token.List(state)
				if err != nil {
					return err
				}
				for i := range list {
					list[i].Hash = ""
				}
				if a.json {
					return a.printJSON(orEmpty(list))
				}
				var rows [][]cell
				for _, t := range list {
					kind, until := "read and write", "until revoked"
					if t.ReadOnly {
						kind = "read only"
					}
					if t.Expires != nil {
						until = "until " + t.Expires.Format(words.Minute)
					}
					rows = append(rows, []cell{{t.ID, bold}, {whose(t), ""}, {kind, ""}, {t.Made.Format(time.DateOnly), dim}, {until, ""}, {t.Name, ""}})
				}
				if len(rows) == 0 {
					a.printf("No tokens. `tend token create` makes one.\n")
					return nil
				}
				a.table([]string{"id", "for", "may", "made", "valid", "name"}, rows)
				return nil
			})
		},
	}
}

func newTokenRevoke(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID…", Short: "Take tokens back, from the next request on", Example: "  tend token revoke 1f2e3d4c",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withState(func(state fsys.FS) error {
				gone := []token.Token{}
				for _, id := range args {
					t, err := token.Revoke(state, id)
					if errors.Is(err, token.ErrUnknown) {
						return fault.Usagef("`tend token list` shows them", "%s", err.Error())
					}
					if err != nil {
						return err
					}
					t.Hash = ""
					gone = append(gone, t)
					if !a.json && !a.quiet {
						a.printf("Token %s for %s is revoked.\n", t.ID, whose(t))
					}
				}
				if a.json {
					return a.printJSON(gone)
				}
				return nil
			})
		},
	}
}

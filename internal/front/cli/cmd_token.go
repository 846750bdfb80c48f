package cli

import (
	"context"
	"net"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/app/baseline"
	"tend/internal/app/replica"
	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/front/keeper"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/state/token"
	"tend/internal/sync/store/dial"
)

// readTokens returns the tokens of this machine, or of a store.
func readTokens(ctx context.Context, a *app, set config.Store, do func([]token.Token) error) error {
	if set.URL == "" {
		return a.readState(func(state fsys.FS) error {
			list, err := token.List(state)
			if err != nil {
				return err
			}
			return do(list)
		})
	}
	return inStore(ctx, a, set, func(s *dial.Connected) error {
		c, err := replica.ReadCommon(ctx, s)
		if err != nil {
			return err
		}
		list, err := c.TokenList()
		if err != nil {
			return err
		}
		return do(list)
	})
}

// withTokens lets do change tokens of this machine, or of a store. say prints the result afterwards.
func withTokens(ctx context.Context, a *app, set config.Store, agent string, do func([]token.Token) ([]token.Token, error),
	say func() error) error {
	if set.URL == "" {
		if err := a.withState(func(state fsys.FS) error { return token.Change(state, do) }); err != nil {
			return err
		}
		return say()
	}
	return inStore(ctx, a, set, func(s *dial.Connected) error {
		if agent != "" {
			c, err := replica.ReadCommon(ctx, s)
			if err != nil {
				return err
			}
			cfg, err := c.Parse("/")
			if err == nil {
				_, err = cfg.Agent(agent)
			}
			if err != nil {
				return usererr.Usage(err)
			}
		}
		entry, err := replica.ChangeTokens(ctx, s, who(), a.now(), do)
		if err != nil {
			return err
		}
		err = say()
		if !a.quiet && !a.json {
			a.printf("This is entry %d about the fleet: `tend up --store URL --fleet-at %d` refuses a store that hides it.\n", entry, entry)
		}
		return err
	})
}

func newTokenCommand(a *app) *cobra.Command {
	var s config.Store
	cmd := group("token", newTokenCreate(a, &s), newTokenList(a, &s), newTokenRevoke(a, &s), newTokenLogin(a))
	cmd.PersistentFlags().StringVar(&s.URL, "store", "", "`URL` of a store whose replicas the tokens are for")
	storeFlags(cmd.PersistentFlags(), &s)
	return cmd
}

func newTokenCreate(a *app, set *config.Store) *cobra.Command {
	var t token.Token
	var operator bool
	var lasts time.Duration
	cmd := a.command("create [AGENT]", func(ctx context.Context, args []string) error {
		switch {
		case operator && len(args) > 0:
			return usererr.Usagef("name an agent or use --operator, not both", "--operator and an agent")
		case !operator && set.URL != "":
			if t.Agent = firstArg(args); t.Agent == "" {
				return usererr.Usagef("name the agent, or use --operator", "no agent")
			}
		case !operator:
			ag, err := a.theAgent(firstArg(args))
			if err != nil {
				return err
			}
			t.Agent = ag.Name
		}
		t.Made = a.now().UTC().Truncate(time.Second)
		if lasts > 0 {
			at := t.Made.Add(lasts)
			t.Expires = &at
		}
		made, secret := token.Issue(t)
		return withTokens(ctx, a, *set, t.Agent, func(list []token.Token) ([]token.Token, error) {
			return append(list, made), nil
		}, func() error {
			return a.emit(map[string]any{"id": made.ID, "agent": made.Agent, "token": secret, "expires": made.Expires}, func() {
				if !a.quiet {
					a.errorf("Token %s for %s. It is not shown again.\n", made.ID, whose(made))
				}
				a.printf("%s\n", secret)
			})
		})
	})
	cmd.Flags().BoolVar(&operator, "operator", false, "create it for the operator: all agents, jobs, findings")
	cmd.Flags().StringVar(&t.Name, "name", "", "what it is for")
	cmd.Flags().BoolVar(&t.ReadOnly, "read-only", false, "the token may not write")
	cmd.Flags().DurationVar(&lasts, "expires", 0, "how long it is valid; 0 means until it is revoked")
	return cmd
}

func whose(t token.Token) string {
	if t.Operator() {
		return "the operator"
	}
	return t.Agent
}

func newTokenList(a *app, set *config.Store) *cobra.Command {
	return a.command("list", func(ctx context.Context, _ []string) error {
		return readTokens(ctx, a, *set, func(list []token.Token) error {
			for i := range list {
				list[i].Hash = ""
			}
			return a.emit(orEmpty(list), func() {
				var rows [][]cell
				for _, t := range list {
					kind, until := "read and write", "until revoked"
					if t.ReadOnly {
						kind = "read only"
					}
					if t.Expires != nil {
						until = "until " + t.Expires.Format(textfmt.Minute)
					}
					rows = append(rows, []cell{{t.ID, bold}, {whose(t), ""}, {kind, ""}, {t.Made.Format(time.DateOnly), dim}, {until, ""}, {t.Name, ""}})
				}
				if len(rows) == 0 {
					a.printf("No tokens. `tend token create` creates one.\n")
					return
				}
				a.table([]string{"id", "for", "may", "made", "valid", "name"}, rows)
			})
		})
	})
}

func newTokenRevoke(a *app, set *config.Store) *cobra.Command {
	return a.command("revoke ID…", func(ctx context.Context, args []string) error {
		var gone []token.Token
		return withTokens(ctx, a, *set, "", func(list []token.Token) ([]token.Token, error) {
			gone = []token.Token{}
			for _, id := range args {
				rest, t, err := token.Without(list, id)
				if err != nil {
					return nil, usererr.Usagef("`tend token list` shows them", "%s", err.Error())
				}
				list = rest
				t.Hash = ""
				gone = append(gone, t)
			}
			return list, nil
		}, func() error {
			return a.emit(gone, func() {
				for _, t := range gone {
					if !a.quiet {
						a.printf("Revoked token %s for %s.\n", t.ID, whose(t))
					}
				}
			})
		})
	})
}

func newTokenLogin(a *app) *cobra.Command {
	l := token.Login{Name: baseline.OperatorName()}
	cmd := a.command("login", func(_ context.Context, _ []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		return a.withState(func(state fsys.FS) error {
			addr := cfg.Keeper.Listen
			if life := keeper.ReadHeartbeat(state); life.State == keeper.Alive && life.Listen != "" {
				addr = life.Listen // the system, or --listen, may have chosen the port
			}
			switch _, port, _ := net.SplitHostPort(addr); {
			case addr == "":
				return usererr.Usagef("set keeper.listen in "+cfg.Path, "the keeper has no dashboard: keeper.listen is off")
			case port == "0":
				return usererr.Usagef("start it with `tend up`", "no keeper is running, and its port is chosen when it starts")
			}
			link, err := loginLink(state, cfg.Keeper, addr, l, a.now())
			if err != nil {
				return err
			}
			return a.emit(map[string]any{"link": link, "name": l.Name, "read_only": l.ReadOnly}, func() {
				a.printf("%s\n", link)
			})
		})
	})
	cmd.Flags().StringVar(&l.Name, "name", l.Name, "the name under which changes are recorded")
	cmd.Flags().BoolVar(&l.ReadOnly, "read-only", false, "allow no changes")
	return cmd
}

// loginLink returns a login link for the dashboard at an address.
func loginLink(state fsys.FS, k config.Keeper, addr string, l token.Login, now time.Time) (string, error) {
	l.Expires = now.Add(token.LoginValid)
	secret, err := token.CreateLogin(state, l)
	if err != nil {
		return "", err
	}
	return k.Dashboard(addr) + "login?once=" + secret, nil
}

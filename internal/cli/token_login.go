package cli

import (
	"net"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/baseline"
	"tend/internal/config"
	"tend/internal/fault"
	"tend/internal/fsys"
	"tend/internal/keeper"
	"tend/internal/token"
)

func newTokenLogin(a *app) *cobra.Command {
	l := token.Login{Name: baseline.OperatorName()}
	cmd := &cobra.Command{
		Use: "login", Short: "Make a link that opens the dashboard of `tend up`, once",
		Long: `Print a link that logs a browser in to the dashboard. It works once, within 15 minutes.
What is changed there is recorded under --name, which is your user name unless you say otherwise.`,
		Example: `  tend token login
  tend token login --read-only --name guest`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			clock, err := a.clock()
			if err != nil {
				return err
			}
			return a.withState(func(state fsys.FS) error {
				addr := cfg.Keeper.Listen
				if life := keeper.ReadHeartbeat(state); life.State == keeper.Alive && life.Listen != "" {
					addr = life.Listen // the port may have been picked by the system, or by --listen
				}
				switch _, port, _ := net.SplitHostPort(addr); {
				case addr == "":
					return fault.Usagef("set keeper.listen in "+cfg.Path, "the keeper serves no pages: keeper.listen is off")
				case port == "0":
					return fault.Usagef("start it with `tend up`", "no keeper runs, and its port is picked when it starts")
				}
				link, err := loginLink(state, cfg.Keeper, addr, l, clock())
				if err != nil {
					return err
				}
				return a.emit(map[string]any{"link": link, "name": l.Name, "read_only": l.ReadOnly}, func() {
					a.printf("%s\n", link)
				})
			})
		},
	}
	cmd.Flags().StringVar(&l.Name, "name", l.Name, "who is recorded as having changed something")
	cmd.Flags().BoolVar(&l.ReadOnly, "read-only", false, "for looking only")
	return cmd
}

// loginLink makes a login for the dashboard at an address.
func loginLink(state fsys.FS, k config.Keeper, addr string, l token.Login, now time.Time) (string, error) {
	l.Expires = now.Add(token.LoginValid)
	secret, err := token.CreateLogin(state, l)
	if err != nil {
		return "", err
	}
	return dashboard(k, addr) + "login?once=" + secret, nil
}

// dashboard is the address of the dashboard as a browser on this machine reaches it.
func dashboard(k config.Keeper, addr string) string {
	scheme := "http://"
	if k.TLSCert != "" {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return scheme + addr + "/"
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
		if len(k.Hosts) > 0 {
			host = k.Hosts[0]
		}
	}
	return scheme + net.JoinHostPort(host, port) + "/"
}

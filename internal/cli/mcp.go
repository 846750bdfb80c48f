package cli

import (
	"cmp"
	"context"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"tend/internal/connect"
	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/fsys"
	"tend/internal/mcp"
	"tend/internal/memory"
	"tend/internal/memory/refusal"
	"tend/internal/token"
)

type mcpFlags struct {
	noToken     bool
	http        string
	profile     string
	dialect     string
	readOnly    bool
	printConfig string
}

func newMCPCommand(a *app) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use: "mcp [AGENT]", Short: "Serve an agent's memory to its harness (MCP)",
		Long: `Serve the agent's memory over the Model Context Protocol, on standard input and
output, or with --http on a port of this machine: tools to read, write, search and
restore, every memory file as a resource that tells when it changes, and prompts made
from the policy. Standard error has one line for every call that was refused.

Paths stay inside the workspace, the operator's part of a file cannot be changed,
secrets are refused, and nothing that others wrote meanwhile is overwritten.

Dialects: tend has a tool for each thing to do; anthropic has the one tool "memory" that
Claude models know, with paths under /memories; openclaw has memory_search and memory_get.

Profiles: full has every tool, agent leaves out moving and deleting, reader has only what
cannot write.`,
		Example: `  tend mcp reviewer
  tend mcp reviewer --read-only
  tend mcp reviewer --dialect anthropic
  tend mcp reviewer --http 127.0.0.1:7434
  tend mcp reviewer --print-config claude-code > .mcp.json`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if f.printConfig != "" {
				return a.printMCPConfig(f, first(args))
			}
			return a.serveMCP(cmd.Context(), f, first(args))
		},
	}
	cmd.Flags().StringVar(&f.http, "http", "", "serve over HTTP on this `ADDRESS` of this machine, such as 127.0.0.1:7434")
	cmd.Flags().BoolVar(&f.noToken, "no-token", false, "with --http, serve every user of this machine without a token")
	cmd.Flags().StringVar(&f.profile, "profile", string(mcp.Full), "which tools: "+listed(mcp.Profiles()))
	cmd.Flags().StringVar(&f.dialect, "dialect", string(mcp.Tend), "whose tools: "+listed(mcp.Dialects()))
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "only tools that cannot write")
	cmd.Flags().StringVar(&f.printConfig, "print-config", "", "print what to put into the settings of this `HARNESS`: "+strings.Join(connect.EntryHarnesses(), ", "))
	for name, list := range map[string][]string{"profile": plain(mcp.Profiles()), "dialect": plain(mcp.Dialects()), "print-config": connect.EntryHarnesses()} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

func (f mcpFlags) check() error {
	switch {
	case !slices.Contains(plain(mcp.Profiles()), f.profile):
		return fault.Usagef("use "+listed(mcp.Profiles()), "there is no profile %q", f.profile)
	case !slices.Contains(plain(mcp.Dialects()), f.dialect):
		return fault.Usagef("use "+listed(mcp.Dialects()), "there is no dialect %q", f.dialect)
	case f.http != "" && !mcp.Loopback(f.http):
		return &fault.Error{Code: fault.CodeRefused, Err: fmt.Errorf("refusing to listen on %s: other machines can reach it", f.http),
			Hint: "use 127.0.0.1:PORT; `tend up` serves other machines, with tokens and TLS",
		}
	}
	return nil
}

func listed[T ~string](list []T) string { return strings.Join(plain(list), ", ") }

func plain[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}

func (a *app) serveMCP(ctx context.Context, f mcpFlags, name string) error {
	// Not now: setting it stops the world, and a harness is waiting for the first answer.
	defer time.AfterFunc(time.Second, collectOften).Stop()
	log := slog.New(slog.NewTextHandler(a.errw, nil))
	return a.withAgent(ctx, name, fleet.Options{Write: !f.readOnly}, func(ag *fleet.Agent) error {
		r := &reopening{agent: ag, open: func(ag *fleet.Agent) *memory.Service {
			return memory.New(ag, memory.Options{Log: log, Refused: func(call string, e *refusal.Error) {
				log.Warn("refused", "agent", ag.Name, "call", call, "code", string(e.Code), "why", e.Text)
			}})
		}}
		defer r.close()
		m := r.now(ctx)
		server := func(readOnly bool) (*sdk.Server, error) {
			return mcp.New(ctx, m, mcp.Options{
				Version: version, Profile: mcp.Profile(f.profile), Dialect: mcp.Dialect(f.dialect),
				ReadOnly: readOnly, NoTools: !ag.MemoryTools, Memory: func() *memory.Service { return r.now(ctx) },
			})
		}
		s, err := server(f.readOnly)
		if err != nil {
			return fault.Usage(err)
		}
		if f.http != "" {
			reader, err := server(true)
			if err != nil {
				return fault.Usage(err)
			}
			return a.listenMCP(ctx, f, ag.Name, s, reader)
		}
		return mcp.ServeStdio(ctx, s, a.in, a.out)
	})
}

// collectOften keeps the process small: it runs beside every session, and waits most of the time. The collector runs when the
// heap has grown by 30 %, or by 5 MB if that is more: a share of a small heap is used up by a few calls. It sets this again
// after each collection.
func collectOften() {
	// The heap's next goal says what was live at its last collection. (Package runtime/metrics would cost every start 0.05 ms.)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	live := m.NextGC * 100 / (100 + uint64(cmp.Or(gcPercent.Load(), 100)))
	if percent := max(30, int(5<<20*100/max(live, 2<<20))); percent != int(gcPercent.Swap(int64(percent))) {
		debug.SetGCPercent(percent)
	}
	type cycle struct{ _ *cycle } // with a pointer, so that it is not packed together with other objects
	runtime.AddCleanup(&cycle{}, func(struct{}) { collectOften() }, struct{}{})
}

// gcPercent is what collectOften set last, 0 before.
var gcPercent atomic.Int64

// listenMCP serves over HTTP until the command is told to stop. Every user of this machine can reach it, so it asks for a
// token: one that `tend token create` made, or the one of this run.
func (a *app) listenMCP(ctx context.Context, f mcpFlags, agent string, s, reader *sdk.Server) error {
	memory := mcp.Handler(func(*http.Request) *sdk.Server { return s })
	if f.noToken {
		return a.serveHTTP(ctx, f.http, "", memory)
	}
	return a.withState(func(state fsys.FS) error {
		stored := token.NewChecker(state, time.Now)
		mine := token.NewSecret()
		read := mcp.Handler(func(*http.Request) *sdk.Server { return reader })
		return a.serveHTTP(ctx, f.http, mine, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			secret, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			t, known := stored.Check(secret)
			switch {
			case subtle.ConstantTimeCompare([]byte(secret), []byte(mine)) == 1, known && !t.ReadOnly && (t.Operator() || t.Agent == agent):
				memory.ServeHTTP(w, r)
			case known && (t.Operator() || t.Agent == agent):
				read.ServeHTTP(w, r)
			default:
				w.Header().Set("WWW-Authenticate", `Bearer realm="tend"`)
				http.Error(w, "a bearer token is needed: `tend token create`", http.StatusUnauthorized)
			}
		}))
	})
}

func (a *app) serveHTTP(ctx context.Context, addr, secret string, memory http.Handler) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if !a.quiet {
		a.errorf("Serving on http://%s/mcp\n", l.Addr())
		if secret != "" {
			a.errorf("Authorization: Bearer %s (for this run; `tend token create` makes one that lasts)\n", secret)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", memory)
	srv := mcp.NewHTTPServer(mux)
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if srv.Shutdown(grace) != nil {
		srv.Close() // a subscriber's stream has no end of its own
	}
	return nil
}

func (a *app) printMCPConfig(f mcpFlags, agent string) error {
	ag, err := a.theAgent(agent)
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	e := connect.ServerEntry{Name: ag.Name + "-memory", Command: exe, Args: []string{"--config", a.cfg.Path, "mcp", ag.Name}}
	if f.http != "" {
		e = connect.ServerEntry{Name: e.Name, URL: "http://" + f.http + "/mcp"}
	} else {
		if f.readOnly {
			e.Args = append(e.Args, "--read-only")
		}
		if f.profile != "full" {
			e.Args = append(e.Args, "--profile", f.profile)
		}
		if f.dialect != "tend" {
			e.Args = append(e.Args, "--dialect", f.dialect)
		}
	}
	text, where, err := connect.Entry(f.printConfig, e)
	if err != nil {
		return fault.Usagef("use one of "+strings.Join(connect.EntryHarnesses(), ", "), "no harness %q is known", f.printConfig)
	}
	if !a.quiet && !a.json {
		a.errorf("For %s; `tend connect` writes it for you.\n", where)
	}
	_, err = a.out.Write([]byte(text))
	return err
}

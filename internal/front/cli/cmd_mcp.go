package cli

import (
	"context"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"tend/internal/app/memory"
	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/front/mcp"
	"tend/internal/model/usererr"
	"tend/internal/state/token"
	"tend/internal/text/session"
	"tend/internal/text/transcript"
)

type mcpFlags struct {
	noToken    bool
	http       string
	profile    string
	dialect    string
	plugin     string
	readOnly   bool
	structured bool
}

func newMCPCommand(a *app) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:  "mcp [AGENT]",
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			name, err := firstArg(args), error(nil)
			if f.plugin != "" {
				h := session.Hook(f.plugin)
				name, err = a.pluginAgent(h, name, transcript.HookInput{Cwd: pluginFolder(h)})
			}
			switch {
			case isNoMemory(err):
				return mcp.ServeStdio(cmd.Context(), mcp.Absent(version, err.Error()), a.in, a.out, a.catchSignals)
			case err != nil:
				return err
			}
			return serveMCP(cmd.Context(), a, f, name)
		},
	}
	// Signals are caught from the first answer or change on, see serveMCP.
	cmd.PersistentPreRun = func(*cobra.Command, []string) {}
	cmd.Flags().StringVar(&f.http, "http", "", "serve over HTTP on this `ADDRESS` of this machine, such as 127.0.0.1:7434")
	cmd.Flags().BoolVar(&f.noToken, "no-token", false, "with --http, let every user of this machine in without a token")
	cmd.Flags().BoolVar(&f.structured, "structured", false, "answer with structured content, too; some harnesses show a model only that")
	cmd.Flags().StringVar(&f.profile, "profile", string(mcp.Core), "which tools: "+listed(mcp.Profiles()))
	cmd.Flags().StringVar(&f.dialect, "dialect", string(mcp.Tend), "whose tools: "+listed(mcp.Dialects()))
	pluginFlag(cmd, &f.plugin)
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "only tools that cannot write")
	for name, list := range map[string][]string{"profile": plain(mcp.Profiles()), "dialect": plain(mcp.Dialects())} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

func (f mcpFlags) check() error {
	switch {
	case !slices.Contains(plain(mcp.Profiles()), f.profile):
		return usererr.Usagef("use "+listed(mcp.Profiles()), "there is no profile %q", f.profile)
	case !slices.Contains(plain(mcp.Dialects()), f.dialect):
		return usererr.Usagef("use "+listed(mcp.Dialects()), "there is no dialect %q", f.dialect)
	case f.plugin != "" && f.http != "":
		return usererr.Usagef("leave one out", "a plugin starts the server on its own streams, not with --http")
	case f.plugin != "" && !slices.Contains(session.Hooks(), session.Hook(f.plugin)):
		return usererr.Usagef("use "+listed(session.Hooks()), "there is no harness %q", f.plugin)
	case f.http != "" && !config.Loopback(f.http):
		return &usererr.Error{Code: usererr.CodeRefused, Err: fmt.Errorf("refusing to listen on %s: other machines can reach it", f.http),
			Hint: "use 127.0.0.1:PORT; `tend up` serves other machines, with tokens and TLS",
		}
	}
	return nil
}

func serveMCP(ctx context.Context, a *app, f mcpFlags, name string) error {
	log := slog.New(slog.NewTextHandler(a.errw, nil))
	return a.withAgent(ctx, name, fleet.Options{Write: !f.readOnly}, func(ag *fleet.Agent) error {
		r := &reopening{agent: ag, open: func(ag *fleet.Agent) *memory.Service {
			return memory.New(ag, memory.Options{Log: log, Refused: func(call string, e *toolerr.Error) {
				log.Warn("refused", "agent", ag.Name, "call", call, "code", string(e.Code), "why", e.Text)
			}})
		}}
		defer r.close()
		m := r.now(ctx)
		server := func(readOnly bool) (*sdk.Server, error) {
			return mcp.New(m, mcp.Options{
				Version: version, Profile: mcp.Profile(f.profile), Dialect: mcp.Dialect(f.dialect),
				ReadOnly: readOnly, Structured: f.structured, NoTools: !ag.MemoryTools, Memory: func() *memory.Service { return r.now(ctx) },
				Changing: a.catchSignals,
			})
		}
		s, err := server(f.readOnly)
		if err != nil {
			return usererr.Usage(err)
		}
		onReady := a.catchSignals // it starts a thread, and a harness waits for the first answer
		if f.http != "" {
			onReady()
			reader, err := server(true)
			if err != nil {
				return usererr.Usage(err)
			}
			return listenMCP(ctx, a, f, ag.Name, s, reader)
		}
		return mcp.ServeStdio(ctx, s, a.in, a.out, onReady)
	})
}

// listenMCP serves over HTTP until the command is stopped. Every user of this machine can reach it, so it requires a
// token: one made by `tend token create`, or the one of this run.
func listenMCP(ctx context.Context, a *app, f mcpFlags, agent string, s, reader *sdk.Server) error {
	memory := mcp.Handler(func(*http.Request) *sdk.Server { return s })
	if f.noToken {
		return serveHTTP(ctx, &a.printer, f.http, "", memory)
	}
	return a.withState(func(state fsys.FS) error {
		stored := token.NewChecker(state, time.Now)
		mine := token.NewSecret()
		read := mcp.Handler(func(*http.Request) *sdk.Server { return reader })
		return serveHTTP(ctx, &a.printer, f.http, mine, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			secret, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			t, known := stored.Check(secret)
			switch {
			case subtle.ConstantTimeCompare([]byte(secret), []byte(mine)) == 1, known && !t.ReadOnly && (t.Operator() || t.Agent == agent):
				memory.ServeHTTP(w, r)
			case known && (t.Operator() || t.Agent == agent):
				read.ServeHTTP(w, r)
			default:
				w.Header().Set("WWW-Authenticate", `Bearer realm="tend"`)
				http.Error(w, "a bearer token is required: `tend token create`", http.StatusUnauthorized)
			}
		}))
	})
}

func serveHTTP(ctx context.Context, pr *printer, addr, secret string, memory http.Handler) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if !pr.quiet {
		pr.errorf("Serving on http://%s/mcp\n", l.Addr())
		if secret != "" {
			pr.errorf("Authorization: Bearer %s (for this run; `tend token create` makes one that lasts)\n", secret)
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
		srv.Close() // a subscriber's stream does not end by itself
	}
	return nil
}

// reopening is an agent's memory in a process that outlives the workspace: when the operator has recreated the
// folder, it is reopened, so that the harness need not be restarted.
type reopening struct {
	agent *fleet.Agent // the current memory; the first one belongs to the caller
	open  func(*fleet.Agent) *memory.Service

	mu     sync.Mutex
	memory *memory.Service
	opened []func() // closes what was opened; calls may be using it until the end
}

// now returns the memory to use. If the folder may not be opened, for example because the operator has not confirmed
// the new one, the old memory stays in use and reports that the folder is gone.
func (r *reopening) now(ctx context.Context) *memory.Service {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.memory != nil {
		again, err := r.agent.Reopen(ctx)
		if err != nil || again == nil {
			return r.memory
		}
		r.agent = again
		r.opened = append(r.opened, func() { _ = again.Close() })
	}
	r.memory = r.open(r.agent)
	return r.memory
}

func (r *reopening) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.opened) - 1; i >= 0; i-- {
		r.opened[i]()
	}
}

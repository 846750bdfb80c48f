package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"tend/internal/fleet"
	"tend/internal/mcp"
	"tend/internal/memory"
)

type mcpFlags struct {
	http     string
	profile  string
	dialect  string
	readOnly bool
}

func newMCPCommand(a *app) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use: "mcp [AGENT]", GroupID: groupMemory, Short: "Serve an agent's memory to its harness (MCP)",
		Long: `Serve the agent's memory over the Model Context Protocol, on standard input and
output. Standard error has one line for every call that was refused.`,
		Example: `  tend mcp reviewer
  tend mcp reviewer --read-only`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error { return runMCP(cmd.Context(), a, f, first(args)) },
	}
	cmd.Flags().StringVar(&f.profile, "profile", string(mcp.Full), "which tools: "+words(mcp.Profiles()))
	cmd.Flags().StringVar(&f.dialect, "dialect", string(mcp.Tend), "whose tools: "+words(mcp.Dialects()))
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "only tools that cannot write")
	return cmd
}

func words[T ~string](list []T) string { return strings.Join(plain(list), ", ") }

func runMCP(ctx context.Context, a *app, f mcpFlags, name string) error {
	log := slog.New(slog.NewTextHandler(a.errw, nil))
	return a.withAgent(ctx, name, fleet.Options{Write: !f.readOnly}, func(ag *fleet.Agent) error {
		m := memory.New(ag, memory.Options{Log: log, Refused: func(call string, e *memory.Error) {
			log.Warn("refused", "agent", ag.Name, "call", call, "code", string(e.Code), "why", e.Text)
		}})
		defer m.Close()
		s, err := mcp.New(m, mcp.Options{
			Version: version, Profile: mcp.Profile(f.profile), Dialect: mcp.Dialect(f.dialect),
			ReadOnly: f.readOnly, NoTools: !ag.MemoryTools,
		})
		if err != nil {
			return usage(err)
		}
		err = s.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(a.in), Writer: keepOpen{a.out}})
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return nil // the harness has gone
		}
		if err != nil {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
}

// keepOpen is a stream that is not ours to close.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

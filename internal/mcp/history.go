package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/memory"
)

// addHistory registers memory_history: with a way to restore for those who may
// write, without it, and said to be read-only, for those who may not.
func (h *handlers) addHistory(s *sdk.Server, p Profile) {
	if h.readOnly {
		add(h, s, p, tool{"memory_history", "What changed, newest first.", reads, Reader},
			func(ctx context.Context, m *memory.Service, in historyIn) (*sdk.CallToolResult, error) {
				return history(ctx, m, in)
			})
		return
	}
	add(h, s, p, tool{"memory_history", "What changed, newest first; can restore a file.", changes, Agent},
		func(ctx context.Context, m *memory.Service, in restoreIn) (*sdk.CallToolResult, error) {
			if in.Restore {
				return saved(m.Restore(ctx, memory.RestoreRequest{Path: in.Filename, ID: in.ID, If: in.IfVersion}))
			}
			return history(ctx, m, historyIn{Filename: in.Filename, ID: in.ID})
		})
}

func history(ctx context.Context, m *memory.Service, in historyIn) (*sdk.CallToolResult, error) {
	list, err := m.History(ctx, memory.HistoryRequest{Path: in.Filename, ID: in.ID})
	if err != nil {
		return nil, err
	}
	return text(events(list)), nil
}

package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/memory"
)

// addHistory registers the tools that show and restore earlier versions.
func (h *handlers) addHistory(s *sdk.Server, p Profile) {
	add(h, s, p, tool{"memory_history", "Show past changes to memory, newest first, or one of them. Changes nothing.", reads, Reader}, history)
	add(h, s, p, tool{"memory_restore", "Restore a memory file to what it was before the change id, which memory_history lists. Replaces its present text.", changes, Agent},
		func(ctx context.Context, m *memory.Service, in restoreIn) (*sdk.CallToolResult, error) {
			return saved(m.History.Restore(ctx, memory.RestoreRequest{Path: in.Filename, ID: in.ID, If: in.IfVersion}))
		})
}

func history(ctx context.Context, m *memory.Service, in historyIn) (*sdk.CallToolResult, error) {
	list, err := m.History.List(ctx, memory.HistoryRequest{Path: in.Filename, ID: in.ID})
	if err != nil {
		return nil, err
	}
	return text(events(list)), nil
}

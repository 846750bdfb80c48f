package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
)

// addReview registers the two tools with which the agent curates its own memory.
func (h *handlers) addReview(s *sdk.Server) {
	add(h, s, tool{"memory_review", "Get your memory page and unread log to curate.", reads},
		func(ctx context.Context, m *memory.Service, in memory.ReviewRequest) (*sdk.CallToolResult, error) {
			r, ok, err := m.Reader.Review(ctx, in)
			if err != nil {
				return nil, err
			}
			if !ok {
				return withData("Nothing is unread, and the page fits.", "review", reviewData{}), nil
			}
			return withData(r.Text()+"\nAnswer by calling memory_decide with request and operations.\n", "review", reviewData{&r}), nil
		})
	add(h, s, tool{"memory_decide", "Answer memory_review; each operation is checked.", changes},
		func(ctx context.Context, m *memory.Service, in memory.DecideRequest) (*sdk.CallToolResult, error) {
			d, err := m.Writer.Decide(ctx, in)
			if err != nil {
				return nil, err
			}
			return withData(d.String(), "decided", d), nil
		})
}

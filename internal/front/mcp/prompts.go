package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/text/session"
)

// addPrompts registers the work an agent can be asked to do for its memory.
func (h *handlers) addPrompts(s *sdk.Server) {
	for _, p := range session.Prompts() {
		s.AddPrompt(&sdk.Prompt{Name: p.Name, Title: p.Title, Description: p.About},
			func(ctx context.Context, _ *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				res := &sdk.GetPromptResult{Description: p.About}
				say := func(text string) {
					res.Messages = append(res.Messages, &sdk.PromptMessage{Role: "user", Content: &sdk.TextContent{Text: text}})
				}
				if p.Loaded {
					c, err := h.memory().Session.Context(ctx, session.Options{})
					if err != nil {
						return nil, err
					}
					say(c.Text)
				}
				say(h.memory().Session.Prompt(p))
				return res, nil
			})
	}
}

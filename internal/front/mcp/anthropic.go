package mcp

import (
	"context"
	"encoding/json"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory/anthropic"
)

// anthropicSchema is written by hand: the API's own tool sends none, and this
// is what its models expect.
const anthropicSchema = `{
	"type": "object",
	"properties": {
		"command": {"type": "string", "enum": ["view", "create", "str_replace", "insert", "delete", "rename"]},
		"path": {"type": "string", "description": "under /memories; not for rename"},
		"view_range": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2, "description": "view: first and last line, -1 for the end"},
		"file_text": {"type": "string", "description": "create"},
		"old_str": {"type": "string", "description": "str_replace"},
		"new_str": {"type": "string", "description": "str_replace"},
		"insert_line": {"type": "integer", "description": "insert: after this line, 0 for the top"},
		"insert_text": {"type": "string", "description": "insert"},
		"old_path": {"type": "string", "description": "rename"},
		"new_path": {"type": "string", "description": "rename"}
	},
	"required": ["command"]
}`

// addAnthropic registers the one tool of Anthropic's dialect.
func (h *handlers) addAnthropic(s *sdk.Server) {
	kind := changes
	about := "View, create, edit, delete and rename memory files under /memories."
	if h.readOnly {
		kind, about = reads, "View memory files under /memories."
	}
	schema := func(bool) json.RawMessage { return json.RawMessage(anthropicSchema) }
	h.offer(s, tool{anthropic.Name, about, kind}, schema,
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			c, err := anthropic.Parse(req.Params.Arguments)
			if err == nil && h.readOnly && c.Writes() {
				err = errors.New("this memory is read-only: only view is allowed")
			}
			var out string
			if err == nil {
				out, err = anthropic.Run(ctx, h.memoryFor(req), c)
			}
			if err != nil {
				return failed(err), nil
			}
			return text(out), nil
		})
}

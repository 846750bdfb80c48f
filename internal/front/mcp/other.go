package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory/toolerr"
)

// otherTool calls the tools that are not listed.
const otherTool = "memory_other"

type otherIn struct {
	Tool      string                     `json:"tool,omitempty"`
	Arguments map[string]json.RawMessage `json:"arguments,omitempty"`
}

// addOther registers the tool that calls those that are not listed, or says how.
func (h *handlers) addOther(s *sdk.Server) {
	var names []string
	for _, name := range edits {
		if t, ok := h.tools[name]; ok {
			names = append(names, t.signature())
		}
	}
	for _, name := range h.names {
		if !slices.Contains(core, name) {
			names = append(names, strings.TrimPrefix(name, "memory_"))
		}
	}
	kind := changes
	if h.readOnly {
		kind = reads
	}
	args := arguments[otherIn]()
	about := "Call another tool of memory: " + strings.Join(names, ", ") + ". Without arguments: what each does and takes."
	h.offer(s, tool{otherTool, about, kind}, func(short bool) json.RawMessage { return schemaOf(args, short) },
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			in, err := decode[otherIn](otherTool, args, req.Params.Arguments)
			if err != nil {
				return failed(err), nil
			}
			if in.Tool == "" {
				return text(h.others()), nil
			}
			t, ok := h.tools["memory_"+strings.TrimPrefix(in.Tool, "memory_")]
			if !ok || t.name == otherTool {
				return failed(toolerr.New(toolerr.BadInput, "There is no tool %.60q.", in.Tool).Try(otherTool + " without arguments lists them.")), nil
			}
			call := *req
			params := *req.Params
			params.Name, call.Params = t.name, &params
			if params.Arguments, err = json.Marshal(in.Arguments); err != nil {
				return nil, err
			}
			return t.call(ctx, &call)
		})
}

// others says what the tools that are not listed do and take.
func (h *handlers) others() string {
	var b strings.Builder
	for _, name := range h.names {
		if name == otherTool || slices.Contains(core, name) && !slices.Contains(edits, name) {
			continue
		}
		t := h.tools[name]
		fmt.Fprintf(&b, "%s: %s %s\n", name, t.about, t.schema(false))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// signature is a tool's name with the arguments it cannot do without.
func (o offered) signature() string {
	var needs struct{ Required []string }
	_ = json.Unmarshal(o.schema(true), &needs) // it is our own
	return strings.TrimPrefix(o.name, "memory_") + "(" + strings.Join(needs.Required, ", ") + ")"
}

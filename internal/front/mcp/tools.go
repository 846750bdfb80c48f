package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
	"tend/internal/app/memory/toolerr"
)

// kind says what a tool does to files, for its annotations.
type kind int

const (
	reads      kind = iota
	adds            // existing text stays
	changes         // may remove text from a file
	idempotent      // as changes, and idempotent
)

// tool is what a client learns of a tool, besides its arguments.
type tool struct {
	name, about string
	kind        kind
}

// core are the tools listed in every session. The others are called through memory_other: their schemas would cost every
// session more than they are used. edits are listed only for clients without tools for files and hooks of their own.
var (
	core  = []string{"memory_search", "memory_read", "memory_note", "memory_write", "memory_replace", "memory_checkpoint"}
	edits = core[3:]
	// upfront are those that Claude Code shall show its model at once. 2.1.328 hides the tools of servers behind a search
	// for tools, and what a model does not see it hardly uses.
	upfront = []string{"memory_search", "memory_note"}
)

// harnesses are clients with tools for files and hooks of their own, by the names they give themselves. They make tools of a
// server's resources, too.
var harnesses = []string{"claude-code", "codex-mcp-client", "gemini-cli-mcp-client", "opencode"}

func (h *handlers) offers(t tool) bool {
	if h.readOnly {
		return t.kind == reads
	}
	return h.profile != Agent || t.name != "memory_move" && t.name != "memory_delete"
}

// lists reports whether the list of tools has a tool.
func (h *handlers) lists(name string) bool {
	_, other := h.tools[otherTool]
	return !other || name == otherTool || slices.Contains(core, name)
}

func (t tool) describe() *sdk.Tool {
	no := false
	a := &sdk.ToolAnnotations{OpenWorldHint: &no}
	switch t.kind {
	case reads:
		a.ReadOnlyHint = true
	case adds:
		a.DestructiveHint = &no
	case idempotent:
		a.IdempotentHint = true
	}
	d := &sdk.Tool{Name: t.name, Description: t.about, Annotations: a}
	if slices.Contains(upfront, t.name) {
		d.Meta = sdk.Meta{"anthropic/alwaysLoad": true}
	}
	return d
}

// add binds a tool to a method of the memory.
func add[In any](h *handlers, s *sdk.Server, t tool,
	run func(context.Context, *memory.Service, In) (*sdk.CallToolResult, error)) {
	if !h.offers(t) {
		return
	}
	args := sync.OnceValue(arguments[In])
	h.offer(s, t, func(short bool) json.RawMessage { return schemaOf(args(), short) },
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			in, err := decode[In](t.name, args(), req.Params.Arguments)
			if err != nil {
				return failed(err), nil
			}
			res, err := run(ctx, h.memoryFor(req), in)
			if err != nil {
				res = failed(err)
			}
			if h.structured && !res.IsError { // a schema holds for answers only
				for _, data := range res.Meta {
					res.StructuredContent = data
				}
			}
			return res, nil
		})
}

// offer adds a tool to the server.
func (h *handlers) offer(s *sdk.Server, t tool, schema func(short bool) json.RawMessage, run sdk.ToolHandler) {
	call := run
	if t.kind != reads && h.changing != nil {
		call = func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			h.changing()
			return run(ctx, req)
		}
	}
	h.names = append(h.names, t.name)
	h.tools[t.name] = offered{t, call, schema, func() {
		d := t.describe()
		d.InputSchema = schema(h.profile == Core)
		if h.structured {
			d.OutputSchema = outputSchema(t.name)
		}
		s.AddTool(d, call)
	}}
}

// offered is a tool. The SDK reads each schema twice when a tool is registered, which would delay every session start.
// So tools are called without the SDK, and registered with it only when a client asks for the list.
type offered struct {
	tool
	call     sdk.ToolHandler
	schema   func(short bool) json.RawMessage
	register func()
}

// onDemand calls tools, and registers them for the list.
func (h *handlers) onDemand(next sdk.MethodHandler) sdk.MethodHandler {
	register := sync.OnceFunc(func() {
		for name, t := range h.tools {
			if h.lists(name) {
				t.register()
			}
		}
	})
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if method == "tools/list" {
			register()
		}
		if call, ok := req.(*sdk.CallToolRequest); ok && call.Params != nil {
			if t, ok := h.tools[call.Params.Name]; ok {
				return t.call(ctx, call)
			}
		}
		res, err := next(ctx, method, req)
		if list, ok := res.(*sdk.ListToolsResult); ok && h.profile == Core && isHarness(req) {
			short := *list
			short.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *sdk.Tool) bool { return slices.Contains(edits, t.Name) })
			return &short, err
		}
		return res, err
	}
}

// isHarness reports whether a request is from one of the harnesses.
func isHarness(req sdk.Request) bool {
	from, ok := req.(interface{ ClientInfo() *sdk.Implementation })
	return ok && from.ClientInfo() != nil && slices.Contains(harnesses, from.ClientInfo().Name)
}

// memoryFor returns the memory for one call. Its changes are recorded as the agent's, with the client program's name.
func (h *handlers) memoryFor(req *sdk.CallToolRequest) *memory.Service {
	m := h.memory()
	who := "agent:" + m.Agent()
	if c := req.ClientInfo(); c != nil && c.Name != "" {
		who += " via " + word(c.Name)
	}
	return m.As(who)
}

// word sanitizes a client's name for the record.
func word(s string) string {
	out := make([]rune, 0, 40)
	for _, r := range s {
		if len(out) == cap(out) {
			break
		}
		if r < 0x21 || r > 0x7e {
			r = '_'
		}
		out = append(out, r)
	}
	return string(out)
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// withData returns an answer as text for the model and as data for programs. The data is not structured content unless the
// operator asks for that: Claude Code and Codex show the model structured content instead of the text.
func withData(s, kind string, data any) *sdk.CallToolResult {
	res := text(s)
	res.Meta = sdk.Meta{"tend/" + kind: data}
	return res
}

// failed turns an error into a tool result: marked as an error, in words the model can act on, and
// with a code for programs.
func failed(err error) *sdk.CallToolResult {
	res := text(err.Error())
	res.IsError = true
	var e *toolerr.Error
	if errors.As(err, &e) {
		meta := map[string]any{"code": string(e.Code)}
		if e.Version != "" {
			meta["version"] = e.Version.Short()
		}
		res.Meta = sdk.Meta{"tend/error": meta}
	}
	return res
}

// saved returns a receipt as text and as data.
func saved(r memory.Receipt, err error) (*sdk.CallToolResult, error) {
	if err != nil {
		return nil, err
	}
	return withData(r.String(), "receipt", r), nil
}

// writes binds a tool to a method that changes files.
func writes[In any](h *handlers, s *sdk.Server, t tool, run func(*memory.Writer, context.Context, In) (memory.Receipt, error)) {
	add(h, s, t, func(ctx context.Context, m *memory.Service, in In) (*sdk.CallToolResult, error) {
		return saved(run(m.Writer, ctx, in))
	})
}

// addTools registers the tools of Tend's own dialect.
func (h *handlers) addTools(s *sdk.Server) {
	add(h, s, tool{"memory_read", "Read a memory file, or lines of it, and its version.", reads},
		func(ctx context.Context, m *memory.Service, in memory.ReadRequest) (*sdk.CallToolResult, error) {
			return readText(m.Reader.Read(ctx, in))
		})
	add(h, s, tool{"memory_list", "List memory files, a page at a time.", reads},
		func(ctx context.Context, m *memory.Service, in memory.ListRequest) (*sdk.CallToolResult, error) {
			page, err := m.Reader.List(ctx, in)
			return listing(in.After, page, err)
		})
	writes(h, s, tool{"memory_write", "Create a memory file, or overwrite all of it; memory_replace keeps the rest.", idempotent},
		(*memory.Writer).Write)
	writes(h, s, tool{"memory_replace", "Change one passage of a memory file; it must occur exactly once.", changes},
		(*memory.Writer).Replace)
	writes(h, s, tool{"memory_insert", "Insert lines after a line of a memory file; 0 is the top.", adds}, (*memory.Writer).Insert)
	writes(h, s, tool{"memory_append", "Add lines at the end of a memory file, or create it.", adds}, (*memory.Writer).Append)
	m := h.memory()
	if m.HasLog() {
		writes(h, s, tool{"memory_note", "Remember one thing: add an entry to today's memory log. " + tagsHelp(m), adds},
			(*memory.Writer).Note)
	}
	add(h, s, tool{"memory_checkpoint", checkpointHelp(m), adds},
		func(ctx context.Context, m *memory.Service, in memory.CheckpointRequest) (*sdk.CallToolResult, error) {
			return checkpoint(m.Writer.Checkpoint(ctx, in))
		})
	add(h, s, tool{"memory_propose",
		"Ask the operator to change what you may not: identity, rules, the part of memory above the line. Changes nothing by itself.", adds},
		func(ctx context.Context, m *memory.Service, in memory.ProposeRequest) (*sdk.CallToolResult, error) {
			r, err := m.Writer.Propose(ctx, in)
			if err != nil {
				return nil, err
			}
			return withData(r.String(), "proposal", r), nil
		})
	h.addReview(s)
	h.addSearch(s)
	add(h, s, tool{"memory_history", "Show past changes to memory, newest first, or one of them. Changes nothing.", reads},
		func(ctx context.Context, m *memory.Service, in memory.HistoryRequest) (*sdk.CallToolResult, error) {
			list, err := m.History.List(ctx, in)
			if err != nil {
				return nil, err
			}
			return withData(events(list), "history", historyData{list}), nil
		})
	add(h, s, tool{"memory_lost",
		"Show what the last rewrite of memory by others lost: lines that stand nowhere else now. Changes nothing.", reads},
		func(ctx context.Context, m *memory.Service, in memory.LostRequest) (*sdk.CallToolResult, error) {
			loss, err := m.History.Lost(ctx, in)
			if err != nil {
				return nil, err
			}
			return withData(lost(loss), "lost", loss), nil
		})
	add(h, s, tool{"memory_restore",
		"Restore a memory file to what it was before the change id, which memory_history lists. Replaces its present text.", changes},
		func(ctx context.Context, m *memory.Service, in memory.RestoreRequest) (*sdk.CallToolResult, error) {
			return saved(m.History.Restore(ctx, in))
		})
	writes(h, s, tool{"memory_move", "Rename a memory file or folder; the new name must be free.", changes}, (*memory.Writer).Move)
	writes(h, s, tool{"memory_delete", "Delete a memory file or folder; it is moved to the trash.", idempotent},
		(*memory.Writer).Delete)
}

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/memory"
	"tend/internal/memory/refusal"
)

// kind says what a tool does to files, for its annotations.
type kind int

const (
	reads   kind = iota
	adds         // existing text stays
	changes      // may remove text from a file
	settles      // as changes, and idempotent
)

// tool registers one tool if the profile has it.
type tool struct {
	name, about string
	kind        kind
	from        Profile // the smallest profile that has it
}

func (h *handlers) offers(t tool, p Profile) bool {
	if h.readOnly {
		return t.kind == reads
	}
	return p == Full || t.from != Full
}

func (t tool) describe() *sdk.Tool {
	no := false
	a := &sdk.ToolAnnotations{OpenWorldHint: &no}
	switch t.kind {
	case reads:
		a.ReadOnlyHint = true
	case adds:
		a.DestructiveHint = &no
	case settles:
		a.IdempotentHint = true
	}
	return &sdk.Tool{Name: t.name, Description: t.about, Annotations: a}
}

// add binds a tool to a method of the memory.
func add[In any](h *handlers, s *sdk.Server, p Profile, t tool, run func(context.Context, *memory.Service, In) (*sdk.CallToolResult, error)) {
	if !h.offers(t, p) {
		return
	}
	args := sync.OnceValue(arguments[In])
	h.offer(s, t, func() json.RawMessage { return schemaOf(args()) }, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		in, err := decode[In](t.name, args(), req.Params.Arguments)
		if err != nil {
			return failed(err), nil
		}
		res, err := run(ctx, h.memoryFor(req), in)
		if err != nil {
			return failed(err), nil
		}
		return res, nil
	})
}

// offer adds a tool to the server.
func (h *handlers) offer(s *sdk.Server, t tool, schema func() json.RawMessage, run sdk.ToolHandler) {
	call := run
	if t.kind != reads && h.changing != nil {
		call = func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			h.changing()
			return run(ctx, req)
		}
	}
	h.tools[t.name] = offered{call, func() {
		d := t.describe()
		d.InputSchema = schema()
		s.AddTool(d, call)
	}}
}

// offered is a tool. The SDK reads each schema twice when a tool is registered, which would delay every session start.
// So tools are called without the SDK, and registered with it only when a client asks for the list.
type offered struct {
	call     sdk.ToolHandler
	register func()
}

// onDemand calls tools, and registers them for the list.
func (h *handlers) onDemand(next sdk.MethodHandler) sdk.MethodHandler {
	register := sync.OnceFunc(func() {
		for _, t := range h.tools {
			t.register()
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
		return next(ctx, method, req)
	}
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

// failed turns an error into a tool result: marked as an error, in words the model can act on, and
// with a code for programs.
func failed(err error) *sdk.CallToolResult {
	res := text(err.Error())
	res.IsError = true
	var e *refusal.Error
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
	res := text(r.String())
	res.Meta = sdk.Meta{"tend/receipt": r}
	return res, nil
}

type (
	readIn struct {
		Filename string `json:"filename"`
		From     int    `json:"from,omitempty" jsonschema:"first line, from 1"`
		To       int    `json:"to,omitempty" jsonschema:"last line"`
	}
	writeIn struct {
		Filename  string `json:"filename"`
		Content   string `json:"content"`
		IfVersion string `json:"if_version,omitempty" jsonschema:"refuse unless the file has this version; none: unless the file is new"`
	}
	replaceIn struct {
		Filename  string `json:"filename"`
		OldStr    string `json:"old_str"`
		NewStr    string `json:"new_str"`
		IfVersion string `json:"if_version,omitempty"`
	}
	insertIn struct {
		Filename  string `json:"filename"`
		Line      int    `json:"line"`
		Text      string `json:"text"`
		IfVersion string `json:"if_version,omitempty"`
	}
	appendIn struct {
		Filename  string `json:"filename"`
		Text      string `json:"text"`
		IfVersion string `json:"if_version,omitempty"`
	}
	noteIn struct {
		Text      string   `json:"text"`
		Tags      []string `json:"tags,omitempty"`
		IfVersion string   `json:"if_version,omitempty"`
	}
	listIn struct {
		Folder string `json:"folder,omitempty"`
		After  string `json:"after,omitempty" jsonschema:"from the page before"`
	}
	checkpointIn struct {
		Text   string   `json:"text" jsonschema:"the unsaved text"`
		Used   int      `json:"used,omitempty" jsonschema:"tokens, if known"`
		Window int      `json:"window,omitempty"`
		Tags   []string `json:"tags,omitempty"`
	}
	historyIn struct {
		Filename string `json:"filename,omitempty"`
		ID       string `json:"id,omitempty" jsonschema:"show this change"`
	}
	restoreIn struct {
		Filename  string `json:"filename"`
		ID        string `json:"id"`
		IfVersion string `json:"if_version,omitempty"`
	}
	moveIn struct {
		From      string `json:"from"`
		To        string `json:"to"`
		IfVersion string `json:"if_version,omitempty"`
	}
	proposeIn struct {
		Text     string `json:"text"`
		Why      string `json:"why,omitempty"`
		Filename string `json:"filename,omitempty"`
	}
	deleteIn struct {
		Filename  string `json:"filename"`
		IfVersion string `json:"if_version,omitempty"`
	}
)

// addTools registers the tools of Tend's own dialect.
func (h *handlers) addTools(s *sdk.Server, p Profile) {
	add(h, s, p, tool{"memory_read", "Read a memory file, or lines of it, and its version. Names are relative to the memory's root.", reads, Reader},
		func(ctx context.Context, m *memory.Service, in readIn) (*sdk.CallToolResult, error) {
			return readText(m.Reader.Read(ctx, memory.ReadRequest{Path: in.Filename, From: in.From, To: in.To}))
		})
	add(h, s, p, tool{"memory_list", "List memory files, a page at a time.", reads, Reader},
		func(ctx context.Context, m *memory.Service, in listIn) (*sdk.CallToolResult, error) {
			page, err := m.Reader.List(ctx, memory.ListRequest{Folder: in.Folder, After: in.After})
			return listing(in.After, page, err)
		})
	add(h, s, p, tool{"memory_write", "Create a memory file, or overwrite all of it. To keep what is there use memory_append or memory_replace.", settles, Agent},
		func(ctx context.Context, m *memory.Service, in writeIn) (*sdk.CallToolResult, error) {
			return saved(m.Writer.Write(ctx, memory.WriteRequest{Path: in.Filename, Text: in.Content, If: in.IfVersion}))
		})
	add(h, s, p, tool{"memory_replace", "Change one passage of a memory file; it must occur exactly once.", changes, Agent},
		func(ctx context.Context, m *memory.Service, in replaceIn) (*sdk.CallToolResult, error) {
			return saved(m.Writer.Replace(ctx, memory.ReplaceRequest{Path: in.Filename, Old: in.OldStr, New: in.NewStr, If: in.IfVersion}))
		})
	add(h, s, p, tool{"memory_insert", "Insert lines after a line of a memory file; 0 is the top.", adds, Agent},
		func(ctx context.Context, m *memory.Service, in insertIn) (*sdk.CallToolResult, error) {
			return saved(m.Writer.Insert(ctx, memory.InsertRequest{Path: in.Filename, Line: in.Line, Text: in.Text, If: in.IfVersion}))
		})
	add(h, s, p, tool{"memory_append", "Add lines at the end of a memory file, or create it.", adds, Agent},
		func(ctx context.Context, m *memory.Service, in appendIn) (*sdk.CallToolResult, error) {
			return saved(m.Writer.Append(ctx, memory.AppendRequest{Path: in.Filename, Text: in.Text, If: in.IfVersion}))
		})
	m := h.memory()
	if m.HasLog() {
		h.addNote(s, p, m)
	}
	add(h, s, p, tool{"memory_checkpoint", checkpointHelp(m), adds, Agent},
		func(ctx context.Context, m *memory.Service, in checkpointIn) (*sdk.CallToolResult, error) {
			return checkpoint(m.Writer.Checkpoint(ctx, memory.CheckpointRequest{Used: in.Used, Window: in.Window, Text: in.Text, Tags: in.Tags}))
		})
	add(h, s, p, tool{"memory_propose", "Ask the operator to change what you may not: identity, rules, the part of memory above the line. Changes nothing by itself.", adds, Agent},
		func(ctx context.Context, m *memory.Service, in proposeIn) (*sdk.CallToolResult, error) {
			r, err := m.Writer.Propose(ctx, memory.ProposeRequest{Path: in.Filename, Text: in.Text, Why: in.Why})
			if err != nil {
				return nil, err
			}
			return text(r.String()), nil
		})
	h.addSearch(s, p)
	h.addHistory(s, p)
	add(h, s, p, tool{"memory_move", "Rename a memory file or folder; the new name must be free.", changes, Full},
		func(ctx context.Context, m *memory.Service, in moveIn) (*sdk.CallToolResult, error) {
			return saved(m.Writer.Move(ctx, memory.MoveRequest{From: in.From, To: in.To, If: in.IfVersion}))
		})
	add(h, s, p, tool{"memory_delete", "Delete a memory file or folder; it is moved to the trash.", settles, Full},
		func(ctx context.Context, m *memory.Service, in deleteIn) (*sdk.CallToolResult, error) {
			return saved(m.Writer.Delete(ctx, memory.DeleteRequest{Path: in.Filename, If: in.IfVersion}))
		})
}

// addNote registers memory_note, for layouts that keep a daily log.
func (h *handlers) addNote(s *sdk.Server, p Profile, m *memory.Service) {
	add(h, s, p, tool{"memory_note", "Remember one thing: add an entry to today's memory log. " + tagsHelp(m), adds, Agent},
		func(ctx context.Context, m *memory.Service, in noteIn) (*sdk.CallToolResult, error) {
			return saved(m.Writer.Note(ctx, memory.NoteRequest{Text: in.Text, Tags: in.Tags, If: in.IfVersion}))
		})
}

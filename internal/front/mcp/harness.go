package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
	"tend/internal/app/memory/toolerr"
	"tend/internal/text/tasks"
)

// The tools of mastersof-ai's harness 0.1.4, with its names, arguments and wording. Unlike there, concurrent writes,
// folders and a broken tasks.json lose nothing, and errors are marked as errors.

type (
	shReadIn struct {
		Filename string `json:"filename"`
		From     int    `json:"from,omitempty" jsonschema:"first line, to continue a long file"`
	}
	shWriteIn struct {
		Filename string `json:"filename"`
		Content  string `json:"content"`
	}
	shReplaceIn struct {
		Filename string `json:"filename"`
		OldStr   string `json:"old_str"`
		NewStr   string `json:"new_str"`
	}
	shInsertIn struct {
		Filename string `json:"filename"`
		Line     int    `json:"line" jsonschema:"after this line; 0 is the beginning"`
		Text     string `json:"text"`
	}
	shTasksIn struct {
		All bool `json:"all,omitempty" jsonschema:"include done and dropped ones"`
	}
	shTaskIn struct {
		Text string `json:"text"`
	}
	shCloseIn struct {
		ID     int    `json:"id"`
		Status string `json:"status" enum:"done,dropped"`
	}
	shProposeIn struct {
		Section  string `json:"section"`
		Reason   string `json:"reason"`
		Proposal string `json:"proposal"`
	}
)

// shFailed words an error as the harness does, where it has words for it.
func shFailed(file string, err error) error {
	var e *toolerr.Error
	if !errors.As(err, &e) {
		return err
	}
	said := *e
	switch e.Code {
	case toolerr.NotFound:
		said.Text, said.Hint = fmt.Sprintf("Memory file '%s' not found.", file), ""
	case toolerr.NoMatch:
		said.Text = fmt.Sprintf("String not found in '%s'.", file)
	}
	return &said
}

// addHarness registers the harness's tools for memory, tasks and the agent's identity.
func (h *handlers) addHarness(s *sdk.Server) {
	add(h, s, tool{"memory_read",
		"Read a file of your persistent memory, such as CONTEXT.md: what earlier sessions decided and learned.", reads},
		func(ctx context.Context, m *memory.Service, in shReadIn) (*sdk.CallToolResult, error) {
			t, err := m.Reader.Read(ctx, memory.ReadRequest{Path: in.Filename, From: in.From})
			if err != nil {
				return nil, shFailed(in.Filename, err)
			}
			if utf8.RuneCountInString(t.Text) > pageChars {
				return readText(t, nil)
			}
			return text(t.Text), nil
		})
	add(h, s, tool{"memory_list", "List the files at the top of your persistent memory.", reads},
		func(ctx context.Context, m *memory.Service, _ struct{}) (*sdk.CallToolResult, error) {
			names, ok, err := m.Reader.Names(ctx)
			switch {
			case err != nil:
				return nil, err
			case !ok:
				return text("Memory directory not found."), nil
			case len(names) == 0:
				return text("No memory files yet."), nil
			}
			return text(strings.Join(names, "\n")), nil
		})
	add(h, s, tool{"memory_write", "Create or overwrite a whole file of your persistent memory.", idempotent},
		func(ctx context.Context, m *memory.Service, in shWriteIn) (*sdk.CallToolResult, error) {
			r, err := m.Writer.Write(ctx, memory.WriteRequest{Path: in.Filename, Text: in.Content})
			return said(in.Filename, r, err, "Memory file '%s' written successfully.", in.Filename)
		})
	add(h, s, tool{"memory_replace", "Change one passage of a memory file; old_str must occur exactly once.", changes},
		func(ctx context.Context, m *memory.Service, in shReplaceIn) (*sdk.CallToolResult, error) {
			r, err := m.Writer.Replace(ctx, memory.ReplaceRequest{Path: in.Filename, Old: in.OldStr, New: in.NewStr})
			return said(in.Filename, r, err, "Replaced in '%s'.", in.Filename)
		})
	add(h, s, tool{"memory_insert", "Insert text after a line of a memory file.", adds},
		func(ctx context.Context, m *memory.Service, in shInsertIn) (*sdk.CallToolResult, error) {
			r, err := m.Writer.Insert(ctx, memory.InsertRequest{Path: in.Filename, Line: in.Line, Text: in.Text})
			return said(in.Filename, r, err, "Inserted at line %d in '%s'.", in.Line, in.Filename)
		})
	if h.memory().HasTasks() {
		h.addTasks(s)
	}
	add(h, s, tool{"prompt_read", "Read your own identity file.", reads},
		func(ctx context.Context, m *memory.Service, _ struct{}) (*sdk.CallToolResult, error) {
			t, err := m.Reader.Identity(ctx)
			if err != nil {
				return nil, err
			}
			return text(t), nil
		})
	add(h, s, tool{"prompt_propose", "Propose a change to your own identity, for the operator to decide. Changes nothing by itself.",
		adds},
		func(ctx context.Context, m *memory.Service, in shProposeIn) (*sdk.CallToolResult, error) {
			r, err := m.Writer.Propose(ctx, memory.ProposeRequest{Text: in.Section + ": " + in.Proposal, Why: in.Reason})
			if err != nil {
				return nil, err
			}
			return text("Prompt proposal recorded for review. " + r.String()), nil
		})
}

// said words a receipt as the harness does, followed by any warnings.
func said(file string, r memory.Receipt, err error, format string, args ...any) (*sdk.CallToolResult, error) {
	if err != nil {
		return nil, shFailed(file, err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, format, args...)
	if r.Cut != nil {
		out.WriteString("\nWarning: " + r.Cut.String())
	}
	for _, w := range r.Warnings {
		out.WriteString("\nWarning: " + w)
	}
	return withData(out.String(), "receipt", r), nil
}

// addTasks registers the tools for memory/tasks.json.
func (h *handlers) addTasks(s *sdk.Server) {
	add(h, s, tool{"task_list", "List open tasks, which persist across sessions.", reads},
		func(ctx context.Context, m *memory.Service, in shTasksIn) (*sdk.CallToolResult, error) {
			list, err := m.Tasks.List(ctx)
			if err != nil {
				return nil, err
			}
			var lines []string
			for _, t := range list.Tasks {
				if in.All || t.Status == tasks.Open {
					lines = append(lines, t.String())
				}
			}
			switch {
			case len(lines) > 0:
				return text(strings.Join(lines, "\n")), nil
			case in.All:
				return text("No tasks."), nil
			}
			return text("No open tasks."), nil
		})
	add(h, s, tool{"task_add", "Add a task; the answer has its id.", adds},
		func(ctx context.Context, m *memory.Service, in shTaskIn) (*sdk.CallToolResult, error) {
			t, err := m.Tasks.Add(ctx, in.Text)
			if err != nil {
				return nil, err
			}
			return text(fmt.Sprintf("Added #%d: %s", t.ID, in.Text)), nil
		})
	add(h, s, tool{"task_close", "Mark a task as done or dropped.", changes},
		func(ctx context.Context, m *memory.Service, in shCloseIn) (*sdk.CallToolResult, error) {
			if _, err := m.Tasks.Close(ctx, in.ID, tasks.Status(in.Status)); err != nil {
				return nil, err
			}
			return text(fmt.Sprintf("#%d marked %s.", in.ID, in.Status)), nil
		})
}

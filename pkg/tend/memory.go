package tend

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"tend/internal/app/memory"
	"tend/internal/app/memory/anthropic"
	"tend/internal/model/policy"
	"tend/internal/text/search"
	"tend/internal/text/session"
)

// The names under which Anthropic's memory tool is announced to the API.
const (
	ToolType = anthropic.Type // "memory_20250818"
	ToolName = anthropic.Name // "memory"
)

// Run answers one call of Anthropic's memory tool: the text for the tool_result block, and whether it is an error.
// input is that of the tool_use block. The tool's paths begin with /memories, which is the folder.
func (m *Memory) Run(ctx context.Context, input []byte) (text string, isError bool) {
	c, err := anthropic.Parse(input)
	if err == nil && m.readOnly && c.Writes() {
		err = errors.New("this memory is read-only: only view is allowed")
	}
	if err == nil {
		text, err = anthropic.Run(ctx, m.service, c)
	}
	if err != nil {
		return err.Error(), true
	}
	return text, false
}

// SearchOptions narrow or widen a search.
type SearchOptions struct {
	Limit int  // at most so many hits; 0 is 10
	Past  bool // also search displaced and deleted text
	// Current asks "what is X now": the only hit is the newest wording of the best line, and Found.Replaced has what that line
	// said before. Limit and Past have no effect.
	Current bool
}

// Hit is an entry that was found.
type Hit struct {
	File      string // relative to the folder, or the name of a kept text
	Line      int    // first line of the entry
	EndLine   int
	Text      string    // the entry, or the part of it that matches best
	Date      time.Time // of the entry or its file; zero if neither has one
	Score     float64
	Newer     string // where a newer statement replaced this one ("file:line"), "" if it still holds
	NewerDate string // YYYY-MM-DD, "" if unknown
}

// Found is the answer to a search.
type Found struct {
	Hits []Hit // best first
	// Replaced has, of a search with Current, what the hit's line said before, newest first: Newer and NewerDate say what
	// replaced it and when.
	Replaced []Hit
	// NotSearched names the files that could not be read. If it is empty, no hits means that there is nothing.
	NotSearched []string
}

// Search finds entries by their words. A query may be a question; it may also have "a phrase", pre*, +must, -not, tag:,
// after:, before: and file:.
func (m *Memory) Search(ctx context.Context, query string, o SearchOptions) (Found, error) {
	var out Found
	var f memory.Found
	var err error
	if o.Current {
		var r memory.Recalled
		if r, err = m.service.Finder.Recall(ctx, memory.SearchRequest{Query: query}); r.Now != nil {
			out.Hits, out.Replaced = hits(*r.Now), wordings(r)
		}
		f = r.Found
	} else {
		f, err = m.service.Finder.Search(ctx, memory.SearchRequest{Query: query, Limit: o.Limit, Past: o.Past})
		out.Hits = hits(f.Hits...)
	}
	if err != nil {
		return Found{}, public(err)
	}
	for _, p := range f.Problems {
		out.NotSearched = append(out.NotSearched, p.Path+": "+p.Reason)
	}
	return out, nil
}

func hits(list ...search.Hit) []Hit {
	var out []Hit
	for _, h := range list {
		hit := Hit{File: h.Path, Line: h.Line, EndLine: h.EndLine, Text: h.Snippet.Text, Date: h.Date, Score: h.Score}
		if h.Superseded != nil {
			hit.Newer, hit.NewerDate = location(h.Superseded.By.Path, h.Superseded.By.Line), h.Superseded.By.Date
		}
		out = append(out, hit)
	}
	return out
}

// wordings are what the line of the current statement said before.
func wordings(r memory.Recalled) []Hit {
	var out []Hit
	newer := location(r.Now.Path, r.Now.Line)
	for _, w := range r.Replaced {
		hit := Hit{File: string(w.File), Line: w.Line, EndLine: w.Line, Text: w.Text, Newer: newer, NewerDate: w.Until.Format(time.DateOnly)}
		if w.Ref != "" {
			hit.File = w.Ref
		}
		out = append(out, hit)
	}
	return out
}

// Context is the text for the start of a session: the memory that is loaded every time and the newest of the log, notes
// marked as data. What does not fit into maxTokens is left out by whole entries, and the text says so; 0 is 4,000, a
// negative number is no limit. The same memory on the same day gives the same bytes, and what changes most comes last, so
// that prompt caches work.
func (m *Memory) Context(ctx context.Context, maxTokens int) (string, error) {
	maxTokens = cmp.Or(maxTokens, 4000)
	c, err := m.service.Session.Context(ctx, session.Options{Budget: maxTokens, Unit: policy.UnitTokens, Bare: true})
	if err != nil {
		return "", public(err)
	}
	return c.Text, nil
}

// Change is one recorded change.
type Change struct {
	ID      string // for Undo; "" if nothing had to change
	At      time.Time
	Author  string
	Kind    string // what made it, such as memory_note or undo
	Summary string
	Files   []string
}

// Note adds an entry to today's log. An entry that the log has already is not added again.
func (m *Memory) Note(ctx context.Context, text string, tags ...string) (Change, error) {
	if err := m.writable(); err != nil {
		return Change{}, err
	}
	r, err := m.service.Writer.Note(ctx, memory.NoteRequest{Text: text, Tags: tags})
	if err != nil {
		return Change{}, public(err)
	}
	said, _, _ := strings.Cut(r.String(), ". version ")
	return m.change("memory_note", r.Action, said, string(r.Path)), nil
}

// Checkpoint saves what a session must not lose before its context is compacted, where the next Context shows it.
func (m *Memory) Checkpoint(ctx context.Context, text string) (Change, error) {
	if err := m.writable(); err != nil {
		return Change{}, err
	}
	c, err := m.service.Writer.Checkpoint(ctx, memory.CheckpointRequest{Text: text})
	if err != nil {
		return Change{}, public(err)
	}
	return m.change("checkpoint", c.Action, c.Did, c.Saved...), nil
}

// History lists changes, newest first: of one file, or of all if file is "". At most limit; 0 is 20.
func (m *Memory) History(ctx context.Context, file string, limit int) ([]Change, error) {
	list, err := m.service.History.List(ctx, memory.HistoryRequest{Path: file, Limit: limit})
	if err != nil {
		return nil, public(err)
	}
	out := make([]Change, len(list))
	for i, e := range list {
		out[i] = changeOf(e)
	}
	return out, nil
}

// Undo reverts a change, no matter who made it. What was written since is kept; if it cannot be, the error has the code
// "changed" and nothing happens. The undo is a change itself and can be undone.
func (m *Memory) Undo(ctx context.Context, id string) (Change, error) {
	if err := m.writable(); err != nil {
		return Change{}, err
	}
	e, err := m.service.History.Undo(ctx, id)
	if err != nil {
		return Change{}, public(err)
	}
	return changeOf(e), nil
}

func (m *Memory) writable() error {
	if m.readOnly {
		return &Error{Code: "read_only", Text: "This memory was opened read-only."}
	}
	return nil
}

// change is the record of what was just done.
func (m *Memory) change(kind, id, summary string, files ...string) Change {
	return Change{ID: id, At: m.service.Now(), Author: m.who, Kind: kind, Summary: summary, Files: files}
}

func changeOf(e memory.Event) Change {
	c := Change{ID: e.ID, At: e.At, Author: e.Who, Kind: e.Job, Summary: e.Summary}
	for _, f := range e.Files {
		c.Files = append(c.Files, string(f.Path))
	}
	return c
}

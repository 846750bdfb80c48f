package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
	"tend/internal/app/memory/toolerr"
	"tend/internal/text/note"
)

// The dialect is that of OpenClaw 2026.9.6, with its limits.
const (
	searchResults = 6 // the default
	getLines      = 120
	getChars      = 12_000 // UTF-16 units
)

type (
	clawSearchIn struct {
		Query      string  `json:"query"`
		MaxResults int     `json:"maxResults,omitempty" min:"1"`
		MinScore   float64 `json:"minScore,omitempty" jsonschema:"0 to 1, of the best"`
		Corpus     string  `json:"corpus,omitempty" enum:"memory,wiki,all,sessions"`
	}
	clawGetIn struct {
		Path   string `json:"path"`
		From   int    `json:"from,omitempty" min:"1" jsonschema:"first line"`
		Lines  int    `json:"lines,omitempty" min:"1"`
		Corpus string `json:"corpus,omitempty" enum:"memory,wiki,all"`
	}
)

// clawHit is a result as OpenClaw's tools give it.
type clawHit struct {
	Path      string  `json:"path"`
	StartLine int     `json:"startLine"`
	EndLine   int     `json:"endLine"`
	Score     float64 `json:"score"` // of the best hit
	Snippet   string  `json:"snippet"`
	Source    string  `json:"source"`
	Corpus    string  `json:"corpus"`
	Citation  string  `json:"citation"`
}

// clawCorpus is the outcome for one requested corpus.
type clawCorpus struct {
	Corpus  string `json:"corpus"`
	Outcome string `json:"outcome"` // ok, unavailable, not-registered
	Error   string `json:"error,omitempty"`
}

// clawAnswer is the result of memory_search. As in OpenClaw, a failure is an
// answer that reports it, not an error.
type clawAnswer struct {
	Results     []clawHit    `json:"results"`
	Disabled    bool         `json:"disabled,omitempty"`
	Unavailable bool         `json:"unavailable,omitempty"`
	Citations   string       `json:"citations,omitempty"`
	Corpora     []clawCorpus `json:"corpora,omitempty"`
	Error       string       `json:"error,omitempty"`
	Warning     string       `json:"warning,omitempty"`
	Action      string       `json:"action,omitempty"`
}

// clawText is the result of memory_get.
type clawText struct {
	Status    string       `json:"status,omitempty"` // ok, not_found, error
	Text      string       `json:"text"`
	Path      string       `json:"path"`
	From      int          `json:"from,omitempty"`
	Lines     *int         `json:"lines,omitempty"`
	Truncated bool         `json:"truncated,omitempty"`
	NextFrom  int          `json:"nextFrom,omitempty"`
	Code      string       `json:"code,omitempty"`
	Error     string       `json:"error,omitempty"`
	Corpora   []clawCorpus `json:"corpora,omitempty"`
	Warning   string       `json:"warning,omitempty"`
}

// Tend has no wiki.
var noWiki = clawCorpus{Corpus: "wiki", Outcome: "not-registered"}

const noWikiWarning = "Wiki corpus is not registered; results do not cover that requested corpus."

// addOpenClaw registers OpenClaw's two memory tools.
func (h *handlers) addOpenClaw(s *sdk.Server) {
	add(h, s, tool{"memory_search",
		"Search memory before answering about prior work, decisions, dates, people, preferences or todos. Report a warning, disabled or " +
			"unavailable to the user.", reads},
		func(ctx context.Context, m *memory.Service, in clawSearchIn) (*sdk.CallToolResult, error) {
			if strings.TrimSpace(in.Query) == "" { // a bad call, not a failed search
				return nil, &toolerr.Error{Code: toolerr.BadInput, Text: "memory_search needs query."}
			}
			return asJSON(clawSearch(ctx, m, in))
		})
	add(h, s, tool{"memory_get",
		"Read lines of a memory file, 120 by default; the answer says where to continue. status: ok, not_found, or error if the read failed.",
		reads},
		func(ctx context.Context, m *memory.Service, in clawGetIn) (*sdk.CallToolResult, error) {
			return asJSON(clawGet(ctx, m, in))
		})
}

func asJSON(v any) (*sdk.CallToolResult, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	return text(string(data)), nil
}

func clawSearch(ctx context.Context, m *memory.Service, in clawSearchIn) clawAnswer {
	a := clawAnswer{Results: []clawHit{}}
	switch in.Corpus {
	case "sessions":
		a.Disabled, a.Unavailable = true, true
		a.Error = "Session transcript search is not enabled."
		a.Warning, a.Action = "Session transcript search is unavailable for this agent.", "Search again with corpus memory."
		return a
	case "wiki":
		a.Citations, a.Corpora, a.Warning = "auto", []clawCorpus{noWiki}, noWikiWarning
		return a
	}
	f, err := m.Finder.Search(ctx,
		memory.SearchRequest{Query: in.Query, Limit: cmp.Or(in.MaxResults, searchResults), Past: in.Corpus == "all"})
	if err != nil {
		a.Disabled, a.Unavailable, a.Error = true, true, err.Error()
		a.Warning, a.Action = "Memory could not be searched: an empty answer does not mean "+
			"an empty memory.", "Tell the user, or read the files with memory_get."
		return a
	}
	a.Citations = "auto"
	if in.Corpus == "all" {
		a.Corpora = []clawCorpus{{Corpus: "memory", Outcome: "ok"}, noWiki}
	}
	for _, h := range f.Hits {
		score := 1.0
		if best := f.Hits[0].Score; best > 0 {
			score = h.Score / best
		}
		if score < in.MinScore {
			break
		}
		cite := fmt.Sprintf("%s#L%d", h.Path, h.Line)
		if h.EndLine != h.Line {
			cite += fmt.Sprintf("-L%d", h.EndLine)
		}
		text := strings.TrimRight(h.Snippet.Text, " \t\r\n") + "\n\nSource: " + cite
		a.Results = append(a.Results, clawHit{h.Path, h.Line, h.EndLine, score, text, "memory", "memory", cite})
	}
	var not []string
	for _, p := range f.Problems {
		not = append(not, p.Path+" ("+p.Reason+")")
	}
	if len(not) > 0 {
		a.Warning = "Not searched: " + strings.Join(not, ", ")
	}
	return a
}

func clawGet(ctx context.Context, m *memory.Service, in clawGetIn) clawText {
	if in.Corpus == "wiki" {
		return clawText{Path: in.Path, Corpora: []clawCorpus{noWiki}, Warning: noWikiWarning}
	}
	out := clawRead(ctx, m, in)
	if in.Corpus == "all" {
		is := clawCorpus{Corpus: "memory", Outcome: "ok"}
		if out.Status == "error" {
			is.Outcome, is.Error = "unavailable", out.Error
			out.Warning = "Memory corpus unavailable: " + out.Error
		}
		out.Corpora = []clawCorpus{is, noWiki}
	}
	return out
}

func clawRead(ctx context.Context, m *memory.Service, in clawGetIn) clawText {
	path, from, n := strings.TrimSpace(in.Path), max(in.From, 1), in.Lines
	if n <= 0 {
		n = getLines
	}
	t, err := m.Reader.Read(ctx, memory.ReadRequest{Path: path, From: from, To: from + n - 1})
	out := clawText{Status: "ok", Path: path, From: from, Lines: new(int)}
	var e *toolerr.Error
	switch {
	case err == nil:
	case errors.As(err, &e) && e.Code == toolerr.BadRange:
		return out // past the end
	case errors.As(err, &e) && e.Code == toolerr.NotFound:
		return clawText{Status: "not_found", Path: path}
	default:
		code := "MEMORY_READ_FAILED"
		if e != nil && (e.Code == toolerr.BadPath || e.Code == toolerr.Unsafe) {
			code = "MEMORY_PATH_NOT_ALLOWED"
		}
		return clawText{Status: "error", Path: path, Code: code, Error: err.Error()}
	}
	var whole bool
	out.Text, *out.Lines, whole = clawExcerpt(strings.TrimSuffix(t.Text, "\n"))
	if t.Text == "" {
		*out.Lines = 0
	}
	switch next := from + *out.Lines; {
	case !whole:
		out.Truncated = true
		out.Text += "\n\n[More content available. Requested excerpt exceeded the default maxChars budget. If you need the full raw line, " +
			"use read on the source file.]"
	case next <= t.Lines:
		out.Truncated, out.NextFrom = true, next
		if out.Text != "" {
			out.Text += fmt.Sprintf("\n\n[More content available. Use from=%d to continue.]", next)
		}
	}
	return out
}

// clawExcerpt cuts a text to as many lines as fit; a first line that is too long is cut too.
func clawExcerpt(text string) (cut string, lines int, whole bool) {
	used, end := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		size := note.UTF16([]byte(line))
		if lines == 0 && size > getChars {
			return cutUTF16(line, getChars), 1, false
		}
		if lines > 0 {
			size++
		}
		if used += size; used > getChars {
			break
		}
		if end += len(line); lines > 0 {
			end++
		}
		lines++
	}
	return text[:end], lines, true
}

// cutUTF16 returns the start of a text, at most n UTF-16 units, without splitting a character.
func cutUTF16(s string, n int) string {
	for i, r := range s {
		if n -= utf16.RuneLen(r); n < 0 {
			return s[:i]
		}
	}
	return s
}

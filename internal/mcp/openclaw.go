package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/memory"
)

// OpenClaw's own limits for memory_get.
const (
	getLines = 120
	getChars = 12_000
)

type (
	clawSearchIn struct {
		Query      string  `json:"query"`
		MaxResults int     `json:"maxResults,omitempty"`
		MinScore   float64 `json:"minScore,omitempty" jsonschema:"0 to 1, of the best"`
		Corpus     string  `json:"corpus,omitempty" jsonschema:"memory, sessions, wiki or all"`
	}
	clawGetIn struct {
		Path  string `json:"path"`
		From  int    `json:"from,omitempty" jsonschema:"first line, from 1"`
		Lines int    `json:"lines,omitempty"`
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
}

// clawAnswer is what memory_search gives. A failure is no error but an answer
// that says so, as there.
type clawAnswer struct {
	Results     []clawHit `json:"results"`
	Disabled    bool      `json:"disabled,omitempty"`
	Unavailable bool      `json:"unavailable,omitempty"`
	Error       string    `json:"error,omitempty"`
	Warning     string    `json:"warning,omitempty"`
	Action      string    `json:"action,omitempty"`
}

// clawText is what memory_get gives.
type clawText struct {
	Text      string `json:"text"`
	Path      string `json:"path"`
	From      int    `json:"from,omitempty"`
	Lines     int    `json:"lines,omitempty"`
	Total     int    `json:"totalLines,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
	NextFrom  int    `json:"nextFrom,omitempty"`
}

// addOpenClaw registers OpenClaw's two memory tools.
func (h *handlers) addOpenClaw(s *sdk.Server) {
	add(h, s, Full, tool{"memory_search", "Search memory before answering about prior work, decisions, dates, people or preferences.", reads, Reader},
		func(ctx context.Context, m *memory.Service, in clawSearchIn) (*sdk.CallToolResult, error) {
			return asJSON(clawSearch(ctx, m, in))
		})
	add(h, s, Full, tool{"memory_get", "Read lines of a memory file.", reads, Reader},
		func(ctx context.Context, m *memory.Service, in clawGetIn) (*sdk.CallToolResult, error) {
			t, err := clawGet(ctx, m, in)
			if err != nil {
				return nil, err
			}
			return asJSON(t)
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
	if in.Corpus == "sessions" || in.Corpus == "wiki" {
		a.Disabled, a.Unavailable = true, true
		a.Error = "there is no corpus " + in.Corpus + " here"
		a.Warning, a.Action = "Only memory files can be searched.", "Search again with corpus memory."
		return a
	}
	f, err := m.Search(ctx, memory.SearchRequest{Query: in.Query, Limit: in.MaxResults, Past: in.Corpus == "all"})
	if err != nil {
		a.Disabled, a.Unavailable, a.Error = true, true, err.Error()
		a.Warning, a.Action = "Memory could not be searched: do not take the empty answer for an empty memory.", "Tell the user, or read the files with memory_get."
		return a
	}
	for _, h := range f.Hits {
		score := 1.0
		if best := f.Hits[0].Score; best > 0 {
			score = h.Score / best
		}
		if score < in.MinScore {
			break
		}
		a.Results = append(a.Results, clawHit{h.Path, h.Line, h.EndLine, score, h.Snippet.Text, "memory"})
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

func clawGet(ctx context.Context, m *memory.Service, in clawGetIn) (clawText, error) {
	from, n := max(in.From, 1), in.Lines
	if n <= 0 {
		n = getLines
	}
	t, err := m.Read(ctx, memory.ReadRequest{Path: in.Path, From: from, To: from + n - 1})
	var e *memory.Error
	if errors.As(err, &e) && (e.Code == memory.NotFound || e.Code == memory.BadRange) {
		return clawText{Path: in.Path}, nil
	}
	if err != nil {
		return clawText{}, err
	}
	out := clawText{Text: t.Text, Path: in.Path, From: t.From, Lines: t.To - t.From + 1, Total: t.Lines}
	if utf8.RuneCountInString(out.Text) > getChars {
		out.Text, out.Lines = wholeLines(out.Text, getChars)
	}
	if last := out.From + out.Lines - 1; last < t.Lines {
		out.Truncated, out.NextFrom = true, last+1
	}
	return out, nil
}

// wholeLines cuts a text to as many whole lines as have at most n characters;
// a first line that is longer is cut itself.
func wholeLines(s string, n int) (string, int) {
	used, lines, end := 0, 0, 0
	for line := range strings.Lines(s) {
		if used += utf8.RuneCountInString(line); used > n {
			break
		}
		lines++
		end += len(line)
	}
	if lines > 0 {
		return s[:end], lines
	}
	for i := range s {
		if n == 0 {
			return s[:i], 1
		}
		n--
	}
	return s, 1
}

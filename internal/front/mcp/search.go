package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
	"tend/internal/engine/past"
	"tend/internal/text/search"
	"tend/internal/text/session"
)

type searchIn struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"`
	Past  bool   `json:"past,omitempty" jsonschema:"include archives and history"`
	// Current asks for the statement that is true now.
	Current bool `json:"current,omitempty" jsonschema:"only what is true now, and what it replaced"`
}

func (h *handlers) addSearch(s *sdk.Server) {
	add(h, s, tool{"memory_search", `Search memory; do so before you answer about the past. Also: "phrase", pre*, +must, -not, tag:, tier:, after:, file:.`, reads},
		func(ctx context.Context, m *memory.Service, in searchIn) (*sdk.CallToolResult, error) {
			fit := memory.Fit{Tokens: answerTokens, Listed: placeTokens}
			if in.Current {
				r, err := m.Finder.Recall(ctx, memory.SearchRequest{Query: in.Query, Fit: fit})
				if err != nil {
					return nil, err
				}
				return answer(bounded(recalled(r)), r.Found, r.Replaced), nil
			}
			if in.Limit > 0 { // the caller decides how much it wants
				fit = memory.Fit{}
			}
			f, err := m.Finder.Search(ctx, memory.SearchRequest{Query: in.Query, Limit: in.Limit, Past: in.Past, Fit: fit})
			if err != nil {
				return nil, err
			}
			return answer(bounded(found(f)), f, nil), nil
		})
}

// answerTokens bounds an answer whose caller did not say how many hits it wants, by the estimate that is up to 40 % above what
// models count. What does not fit is listed by its place, with the last placeTokens of it.
const answerTokens, placeTokens = 500, 60

// hitLocation is a hit for programs.
type hitLocation struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	End     int    `json:"end"`
	Tier    string `json:"tier"`
	Date    string `json:"date,omitempty"`
	Current bool   `json:"current"` // no newer entry replaced it
	Text    string `json:"text"`    // its beginning if it is long; memory_read returns it whole
}

// answer returns an answer as text for the model and as places for programs.
func answer(s string, f memory.Found, before []past.Wording) *sdk.CallToolResult {
	data := searchData{Hits: make([]hitLocation, 0, len(f.Hits)), Missing: f.Missing, Notes: f.Notes}
	for _, h := range f.Hits {
		data.Hits = append(data.Hits,
			hitLocation{h.Path, h.Line, h.EndLine, string(h.Tier), date(h), h.Superseded == nil, h.Snippet.Text})
	}
	for _, w := range before {
		data.Replaced = append(data.Replaced, replaced{string(w.File), w.Line, w.Until.Format(time.DateOnly), w.Text})
	}
	return withData(s, "hits", data)
}

// bounded cuts an answer that would fill a context; the best hits come first.
func bounded(s string) string {
	if utf8.RuneCountInString(s) <= pageChars {
		return s
	}
	s, _ = wholeLines(s, pageChars)
	return strings.TrimSuffix(s, "\n") + "\n[The rest is left out: search for fewer words, or with a limit.]"
}

// found formats an answer: passages by file and section, the places of those that do not fit, and what was not searched.
func found(f memory.Found) string {
	var b strings.Builder
	if len(f.Hits) == 0 {
		fmt.Fprintf(&b, "Nothing found in %d files.\n", f.Files)
	}
	for i, file := range grouped(f.Shown, func(p memory.Passage) string { return p.Path }) {
		if i > 0 {
			b.WriteByte('\n')
		}
		head := fileLine(file[0].Hit)
		for _, section := range grouped(file, under) {
			// The headings stand beside one passage and above several.
			title, above := under(section[0]), ""
			if len(section) > 1 && title != "" {
				title, above = "", title+"\n"
			}
			for _, p := range section {
				b.WriteString(head + above + passage(p, title))
				head, above = "", ""
			}
		}
	}
	if len(f.Rest) > 0 {
		b.WriteString("\n" + places(f.Rest, placeTokens) + "\n")
	}
	writeLimits(&b, f)
	return strings.TrimSuffix(b.String(), "\n")
}

// places lists the places that fit, and how many do not.
func places(rest []memory.Passage, budget int) string {
	var all []string
	for _, p := range rest {
		all = append(all, fmt.Sprintf("%s:%d", p.Path, p.Line))
	}
	for n := len(all); ; n-- {
		s := "Also: " + strings.Join(all[:n], ", ")
		if n < len(all) {
			s += fmt.Sprintf(", %d others", len(all)-n)
		}
		if n <= 1 || session.EstimateTokens(s) <= budget {
			return s
		}
	}
}

// grouped groups passages, in the order of the best of each group.
func grouped(all []memory.Passage, by func(memory.Passage) string) [][]memory.Passage {
	var out [][]memory.Passage
	at := map[string]int{}
	for _, p := range all {
		i, ok := at[by(p)]
		if !ok {
			i = len(out)
			at[by(p)] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], p)
	}
	return out
}

// under returns the headings of a passage without the file's title.
func under(p memory.Passage) string {
	if len(p.Headings) < 2 {
		return ""
	}
	return strings.Join(p.Headings[1:], " > ")
}

// fileLine names the file of hits.
func fileLine(h search.Hit) string {
	s := h.Path
	if h.Past() {
		s += " [past: " + string(h.Tier) + "]"
	}
	if d := date(h); d != "" && !strings.Contains(h.Path, d) {
		s += " " + d
	}
	return s + "\n"
}

func date(h search.Hit) string {
	if h.Date.IsZero() {
		return ""
	}
	return h.Date.Format(time.DateOnly)
}

// passage returns a passage below its file: the line, the headings, whether it is still true, and its text.
func passage(p memory.Passage, title string) string {
	head := strings.TrimSuffix(fmt.Sprintf("%d %s", p.From, title), " ")
	if p.Columns != "" {
		head += " " + p.Columns
	}
	if s := p.Superseded; s != nil {
		head += strings.TrimSuffix(fmt.Sprintf(" outdated by %s:%d %s", s.By.Path, s.By.Line, s.By.Date), " ")
	}
	body := strings.TrimRight(p.Text, " \t\r\n")
	if !strings.Contains(body, "\n") {
		return head + ": " + body + "\n"
	}
	var b strings.Builder
	b.WriteString(head + ":\n")
	writeIndented(&b, body)
	return b.String()
}

// writeLimits lists what an answer does not cover.
func writeLimits(b *strings.Builder, f memory.Found) {
	if len(f.Missing) > 0 && len(f.Hits) > 0 { // otherwise a note says so
		fmt.Fprintf(b, "\nIn no file: %s\n", strings.Join(f.Missing, ", "))
	}
	for _, n := range f.Notes {
		b.WriteString("\nNote: " + n + "\n")
	}
	for _, p := range f.Problems {
		fmt.Fprintf(b, "\nNot searched: %s (%s)\n", p.Path, p.Reason)
	}
}

func writeIndented(b *strings.Builder, text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		b.WriteString("  " + strings.TrimRight(line, "\r\n") + "\n")
	}
}

// recalled formats what is true now and what it replaced.
func recalled(r memory.Recalled) string {
	if r.Now == nil {
		return found(r.Found)
	}
	var b strings.Builder
	p := memory.Passage{Hit: *r.Now, From: r.Now.Line, To: r.Now.EndLine, Text: r.Now.Snippet.Text}
	b.WriteString("Now: " + fileLine(p.Hit) + passage(p, under(p)))
	for _, w := range r.Replaced {
		where := w.Ref
		if w.Line > 0 {
			where = fmt.Sprintf("%s:%d", w.File, w.Line)
		}
		fmt.Fprintf(&b, "\nReplaced: %s until %s\n", where, w.Until.Format(time.DateOnly))
		writeIndented(&b, w.Text)
	}
	writeLimits(&b, r.Found)
	return strings.TrimSuffix(b.String(), "\n")
}

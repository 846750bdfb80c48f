package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
	"tend/internal/text/recall"
)

type searchIn struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"`
	Past  bool   `json:"past,omitempty" jsonschema:"include archives and history"`
	// Current asks for the statement that is true now.
	Current bool `json:"current,omitempty" jsonschema:"only what is true now, and what it replaced"`
}

func (h *handlers) addSearch(s *sdk.Server, p Profile) {
	add(h, s, p, tool{"memory_search", `Search memory, best first. Also: "phrase", pre*, +must, -not, tag:, tier:, after:, file:.`, reads, Reader},
		func(ctx context.Context, m *memory.Service, in searchIn) (*sdk.CallToolResult, error) {
			if in.Current {
				r, err := m.Finder.Recall(ctx, in.Query)
				if err != nil {
					return nil, err
				}
				return text(bounded(recalled(r))), nil
			}
			f, err := m.Finder.Search(ctx, memory.SearchRequest{Query: in.Query, Limit: in.Limit, Past: in.Past})
			if err != nil {
				return nil, err
			}
			return text(bounded(found(f))), nil
		})
}

// bounded cuts an answer that would fill a context; the best hits come first.
func bounded(s string) string {
	if utf8.RuneCountInString(s) <= pageChars {
		return s
	}
	s, _ = wholeLines(s, pageChars)
	return strings.TrimSuffix(s, "\n") + "\n[The rest is left out: search for fewer words, or with a limit.]"
}

// found formats an answer: hits with their places, and what was not searched.
func found(f memory.Found) string {
	var b strings.Builder
	if len(f.Hits) == 0 {
		fmt.Fprintf(&b, "Nothing found in %d files.\n", f.Files)
	}
	for i, h := range f.Hits {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeHit(&b, h)
	}
	writeLimits(&b, f)
	return strings.TrimSuffix(b.String(), "\n")
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

// writeHit writes a hit: its place, whether it is still true, and its text.
func writeHit(b *strings.Builder, h recall.Hit) {
	b.WriteString(place(h))
	if h.Superseded != nil {
		fmt.Fprintf(b, " superseded by %s:%d %s", h.Superseded.By.Path, h.Superseded.By.Line, h.Superseded.By.Date)
	}
	b.WriteByte('\n')
	for line := range strings.Lines(strings.TrimRight(h.Snippet.Text, "\n")) {
		b.WriteString("  " + strings.TrimRight(line, "\r\n") + "\n")
	}
}

// recalled formats what is true now and what it replaced.
func recalled(r memory.Recalled) string {
	if r.Now == nil {
		return found(r.Found)
	}
	var b strings.Builder
	b.WriteString("Now: ")
	writeHit(&b, *r.Now)
	for _, h := range r.Replaced {
		b.WriteString("\nReplaced: ")
		writeHit(&b, h)
	}
	writeLimits(&b, r.Found)
	return strings.TrimSuffix(b.String(), "\n")
}

// place returns a hit's file, line and headings.
func place(h recall.Hit) string {
	s := fmt.Sprintf("%s:%d [%s]", h.Path, h.Line, h.Tier)
	if !h.Date.IsZero() {
		s += " " + h.Date.Format(time.DateOnly)
	}
	if len(h.Headings) > 0 {
		s += " " + strings.Join(h.Headings, " > ")
	}
	return s
}

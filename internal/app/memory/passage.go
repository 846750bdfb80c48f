package memory

import (
	"context"
	"slices"
	"strings"

	"tend/internal/text/search"
	"tend/internal/text/session"
)

// Passage is what an answer shows of one section: hits with the lines between them and, of the best hit, lines around it. An
// entry alone often is a fragment of what was written.
type Passage struct {
	search.Hit        // the best one in it: its Line and EndLine are those of the entry that was found
	From, To   int    // first and last line of the passage, which contains that entry
	Text       string // these lines; of a hit that is too long the part with the words
}

const (
	// closeLines is how far apart two hits of one section may be to be shown together: the difference of their line numbers,
	// one more than the lines between them.
	closeLines = 3
	// maxWholeBytes is how long a passage may be that is shown whole; of a longer hit the part with the words is shown.
	maxWholeBytes = 1200
	// aroundTokens is how large the best hit's passage may get by the lines around it.
	aroundTokens = 120
)

// passages joins hits that stand close together and adds what stands around the best one, which is the first.
func (f *Finder) passages(ctx context.Context, hits []search.Hit) []Passage {
	texts := map[string][]string{}
	lines := func(path string) []string {
		all, ok := texts[path]
		if !ok {
			if text, err := f.textOf(ctx, path); err == nil { // else the answer has the snippet that the search cut
				all = strings.SplitAfter(text, "\n")
			}
			texts[path] = all
		}
		return all
	}
	var out []Passage
	for _, h := range hits {
		near := slices.IndexFunc(out, func(p Passage) bool { return p.joins(h, lines(h.Path)) })
		if near < 0 {
			out = append(out, Passage{Hit: h, From: h.Line, To: h.EndLine, Text: h.Snippet.Text})
			continue
		}
		p := &out[near]
		p.From, p.To = min(p.From, h.Line), max(p.To, h.EndLine)
	}
	for i := range out {
		if p := &out[i]; p.hasMore() {
			p.Text = p.in(lines(p.Path))
		}
	}
	if len(out) == 0 {
		return nil
	}
	return widenBest(out, lines(out[0].Path))
}

// widenBest adds what stands around the first passage, and removes the passages that it then contains.
func widenBest(all []Passage, lines []string) []Passage {
	best := &all[0]
	if best.Line < 1 || best.To > len(lines) {
		return all // the file has changed since it was searched
	}
	best.widen(lines)
	if text := best.in(lines); len(text) <= maxWholeBytes || best.hasMore() {
		best.Text = text
	}
	return slices.DeleteFunc(all, func(p Passage) bool {
		return p.Path == best.Path && p.From >= best.From && p.To <= best.To && p.Line != best.Line && p.Superseded == nil
	})
}

// hasMore reports whether a passage has lines besides those of its hit.
func (p *Passage) hasMore() bool { return p.From < p.Line || p.To > p.EndLine }

// in returns the passage's lines in its file.
func (p *Passage) in(lines []string) string { return strings.Join(lines[p.From-1:p.To], "") }

// joins reports whether a hit is to be shown in this passage.
func (p *Passage) joins(h search.Hit, lines []string) bool {
	if p.Path != h.Path || !slices.Equal(p.Headings, h.Headings) || p.Superseded != nil || h.Superseded != nil {
		return false
	}
	from, to := min(p.From, h.Line), max(p.To, h.EndLine)
	gap := (to - from) - (p.To - p.From) - (h.EndLine - h.Line) // below 0 if they overlap
	if gap > closeLines || from < 1 || to > len(lines) {
		return false
	}
	return len(strings.Join(lines[from-1:to], "")) <= maxWholeBytes
}

// widen adds the lines below and above in turn, as far as the section and the space go.
func (p *Passage) widen(lines []string) {
	left := aroundTokens - session.EstimateTokens(p.in(lines))
	take := func(n int) bool {
		if n < 1 || n > len(lines) || strings.HasPrefix(lines[n-1], "#") || strings.HasPrefix(lines[n-1], "---") {
			return false
		}
		left -= session.EstimateTokens(lines[n-1])
		return left >= 0
	}
	from, to := p.From, p.To
	for below, above := true, true; below || above; {
		if below = below && take(to+1); below {
			if to++; strings.TrimSpace(lines[to-1]) != "" {
				p.To = to
			}
		}
		if above = above && take(from-1); above {
			if from--; strings.TrimSpace(lines[from-1]) != "" {
				p.From = from
			}
		}
	}
}

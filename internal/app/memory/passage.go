package memory

import (
	"context"
	"slices"
	"strings"

	"tend/internal/text/search"
	"tend/internal/text/session"
)

// Passage is what an answer shows of one section: lines with hits, what stands between them and, of the best, what stands around.
// An entry alone often is a fragment of what was written.
type Passage struct {
	search.Hit        // the best one in it
	From, To   int    // its lines
	Text       string // these lines; of a hit that is too long the part with the words
}

const (
	// closeLines is how many lines of one section two hits may be apart to be shown together.
	closeLines = 3
	// mostWhole is how many bytes are shown whole; of a longer hit only the part with the words.
	mostWhole = 1200
	// aroundTokens bounds the best hit's passage, if the hit itself is not longer.
	aroundTokens = 120
)

// passages joins hits that stand close together and adds what stands around the best one.
func (f *Finder) passages(ctx context.Context, hits []search.Hit) []Passage {
	texts := map[string][]string{}
	lines := func(path string) []string {
		all, ok := texts[path]
		if !ok {
			text, _ := f.textOf(ctx, path) // a file that cannot be read now has the snippets that were cut when it could
			all = strings.SplitAfter(text, "\n")
			texts[path] = all
		}
		return all
	}
	var out []Passage
	for _, h := range hits {
		near := slices.IndexFunc(out, func(p Passage) bool { return p.joins(h, lines(h.Path)) })
		if near < 0 {
			out = append(out, Passage{h, h.Line, h.EndLine, ""})
			continue
		}
		p := &out[near]
		p.From, p.To = min(p.From, h.Line), max(p.To, h.EndLine)
	}
	for i := 0; i < len(out); i++ {
		p := &out[i]
		all := lines(p.Path)
		if p.Text = p.Snippet.Text; p.Line < 1 || p.To > len(all) { // it changed since it was found
			p.From, p.To = p.Line, p.EndLine
			continue
		}
		if i == 0 {
			p.widen(all)
			out = slices.DeleteFunc(out, func(o Passage) bool { // what is in it now
				return o.Path == p.Path && o.From >= p.From && o.To <= p.To && o.Line != p.Line && o.Superseded == nil
			})
		}
		if whole := strings.Join(all[p.From-1:p.To], ""); i == 0 && len(whole) <= mostWhole || p.From < p.Line || p.To > p.EndLine {
			p.Text = whole
		}
	}
	return out
}

// joins reports whether a hit belongs to a passage.
func (p *Passage) joins(h search.Hit, lines []string) bool {
	if p.Path != h.Path || !slices.Equal(p.Headings, h.Headings) || p.Superseded != nil || h.Superseded != nil {
		return false
	}
	from, to := min(p.From, h.Line), max(p.To, h.EndLine)
	if to-from > p.To-p.From+h.EndLine-h.Line+closeLines || from < 1 || to > len(lines) {
		return false
	}
	return len(strings.Join(lines[from-1:to], "")) <= mostWhole
}

// widen adds the lines below and above in turn, as far as the section and the space go.
func (p *Passage) widen(lines []string) {
	left := aroundTokens - session.EstimateTokens(strings.Join(lines[p.From-1:p.To], ""))
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

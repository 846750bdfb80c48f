package memory

import (
	"context"
	"slices"
	"strings"

	"tend/internal/text/search"
	"tend/internal/text/session"
)

// Passage is what an answer shows of one section: hits with the lines between them and lines around them. An entry alone often
// is a fragment of what was written.
type Passage struct {
	search.Hit        // the best one in it: its Line and EndLine are those of the entry that was found
	From, To   int    // first and last line of the passage, which contains that entry
	Text       string // these lines; of a hit that is too long the part with the words
	Columns    string // the header of the table whose row the passage begins with
}

// Fit bounds what an answer shows, in tokens. Without a bound it shows every hit.
type Fit struct {
	Tokens int
	Listed int // what of it is kept to list the hits that do not fit
}

const (
	// closeLines is how far apart two hits of one section may be to be shown together: the difference of their line numbers,
	// one more than the lines between them.
	closeLines = 3
	// maxWholeBytes is how long a passage may be that is shown whole; of a longer hit the part with the words is shown.
	maxWholeBytes = 1200
	// aroundTokens is how large the best hit's passage may get by the lines around it, before others are shown.
	aroundTokens = 120
)

// passages joins hits that stand close together and takes them in their order as far as they fit. What is left of the bound
// goes to the lines around them, a line for each in turn. The other hits are the rest.
func (f *Finder) passages(ctx context.Context, hits []search.Hit, fit Fit) (shown, rest []Passage) {
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
	all := joined(hits, lines)
	if len(all) == 0 {
		return nil, nil
	}
	best, around := &all[0], aroundTokens
	if fit.Tokens > 0 {
		half := fit.Tokens/2 - session.EstimateTokens(best.Text)
		best.complete(lines(best.Path), &half)
		around = min(around, fit.Tokens)
	}
	around -= session.EstimateTokens(best.Text)
	for best.widen(lines(best.Path), nil, &around) {
	}
	all = slices.DeleteFunc(all, func(p Passage) bool { return p.Line != best.Line && p.Superseded == nil && best.contains(p) })
	if fit.Tokens == 0 {
		return all, nil
	}
	shown, rest, left := fitting(all, fit.Tokens)
	if len(rest) > 0 {
		shown, rest, left = fitting(all, fit.Tokens-fit.Listed)
	}
	for grew := true; grew; {
		grew = false
		for i := range shown {
			grew = shown[i].widen(lines(shown[i].Path), shown, &left) || grew
		}
	}
	return shown, rest
}

// joined makes passages of hits.
func joined(hits []search.Hit, lines func(path string) []string) []Passage {
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
		p := &out[i]
		if p.hasMore() {
			p.Text = p.in(lines(p.Path))
		}
		p.Columns = columns(lines(p.Path), p.From)
	}
	return out
}

// fitting takes passages, the best first, as far as they fit. Of one that is too long there may be room for its best hit.
func fitting(all []Passage, room int) (shown, rest []Passage, left int) {
	named := map[string]bool{}
	for i, p := range all {
		cost := p.tokens(named)
		if cost > room && p.hasMore() && i > 0 {
			p.From, p.To, p.Text = p.Line, p.EndLine, p.Snippet.Text
			cost = p.tokens(named)
		}
		if cost > room && i > 0 {
			rest = append(rest, p)
			continue
		}
		room -= cost
		named[p.Path], named[p.section()] = true, true
		shown = append(shown, p)
	}
	return shown, rest, room
}

// tokens is what a passage costs in an answer that has named some files and sections already.
func (p *Passage) tokens(named map[string]bool) int {
	n := session.EstimateTokens(p.Text) + session.EstimateTokens(p.Columns) + 3 // its line number
	if !named[p.Path] {
		n += session.EstimateTokens(p.Path) + 2
	}
	if !named[p.section()] && len(p.Headings) > 1 {
		n += session.EstimateTokens(strings.Join(p.Headings[1:], " > "))
	}
	return n
}

func (p *Passage) section() string { return p.Path + "\x00" + strings.Join(p.Headings, "\x00") }

// contains reports whether a passage has all lines of another one.
func (p *Passage) contains(q Passage) bool {
	return p.Path == q.Path && q.From >= p.From && q.To <= p.To
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

// widen adds what is cut of a hit, or the nearest line below and above, as far as the section, the other passages and the room
// allow. It reports whether it added something.
func (p *Passage) widen(lines []string, others []Passage, room *int) bool {
	switch {
	case p.Superseded != nil || p.Line < 1 || p.To > len(lines): // it is outdated, or the file has changed since it was searched
		return false
	case p.isCut(lines):
		return p.complete(lines, room)
	}
	before := *p
	if to := next(lines, p.To, 1); to > 0 && !within(others, p.Path, to) {
		p.take(lines, p.From, to, room)
	}
	if from := next(lines, p.From, -1); from > 0 && !within(others, p.Path, from) {
		p.take(lines, from, p.To, room)
	}
	return p.From < before.From || p.To > before.To
}

// complete shows all of a hit that is cut, if there is room.
func (p *Passage) complete(lines []string, room *int) bool {
	return p.isCut(lines) && len(p.in(lines)) <= maxWholeBytes && p.take(lines, p.From, p.To, room)
}

// isCut reports whether the search shows only a part of the hit.
func (p *Passage) isCut(lines []string) bool {
	return p.Line >= 1 && p.To <= len(lines) && strings.TrimRight(p.Text, blanks) != strings.TrimRight(p.in(lines), blanks)
}

const blanks = " \t\r\n"

// take makes a passage of these lines if there is room for them.
func (p *Passage) take(lines []string, from, to int, room *int) bool {
	more := *p
	more.From, more.To, more.Columns = from, to, columns(lines, from)
	more.Text = more.in(lines)
	cost := session.EstimateTokens(more.Text+more.Columns) - session.EstimateTokens(p.Text+p.Columns)
	if cost > *room {
		return false
	}
	*room -= cost
	*p = more
	return true
}

// next returns the next line with text below or above one, 0 where the section ends.
func next(lines []string, at, step int) int {
	for at += step; at >= 1 && at <= len(lines); at += step {
		line := lines[at-1]
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "---") {
			return 0
		}
		if strings.TrimSpace(line) != "" {
			return at
		}
	}
	return 0
}

// within reports whether a passage has a line of a file.
func within(all []Passage, path string, line int) bool {
	return slices.ContainsFunc(all, func(p Passage) bool { return p.Path == path && line >= p.From && line <= p.To })
}

// columns returns the header of the table whose row a line is, "" if it is none or the header itself.
func columns(lines []string, at int) string {
	row := func(n int) bool {
		return n >= 1 && n <= len(lines) && strings.HasPrefix(strings.TrimSpace(lines[n-1]), "|")
	}
	first := at
	for row(first) {
		first--
	}
	if first++; first >= at || !strings.Contains(lines[first], "--") { // the second line is the rule below the header
		return ""
	}
	return strings.TrimSpace(lines[first-1])
}

package curator

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tend/internal/text/note"
)

const (
	maxSources = 5
	maxRunes   = 500
	// shared is the least share of a pick's words that its sources must have.
	shared = 0.6
)

// Rejection is a pick that was rejected.
type Rejection struct {
	Pick Pick
	Why  string
}

// Check compares picks with the request: each must cite entries of the request, and say nothing they do not say. What
// remains is still only a proposal.
func Check(r Request, picks []Pick) (good []Pick, bad []Rejection) {
	texts := make(map[string]string, len(r.Entries))
	for _, e := range r.Entries {
		texts[e.ID] = e.Text
	}
	for _, p := range picks {
		p.Text = strings.TrimSpace(p.Text)
		why := check(r, texts, p)
		if why == "" && len(good) >= r.Max {
			why = fmt.Sprintf("more than the %d that were asked for", r.Max)
		}
		if why != "" {
			bad = append(bad, Rejection{p, why})
			continue
		}
		good = append(good, p)
	}
	return good, bad
}

func check(r Request, texts map[string]string, p Pick) string {
	switch {
	case p.Text == "" || !utf8.ValidString(p.Text):
		return "it has no text"
	case utf8.RuneCountInString(p.Text) > maxRunes:
		return fmt.Sprintf("its text is longer than %d characters", maxRunes)
	case strings.ContainsFunc(p.Text, unicode.IsControl):
		return "its text is not one line"
	case !slices.Contains(r.Tags, p.Tag):
		return fmt.Sprintf("%q is not a tag", p.Tag)
	case len(p.Sources) == 0:
		return "it cites no entry"
	case len(p.Sources) > maxSources:
		return fmt.Sprintf("it cites more than %d entries", maxSources)
	}
	var from []string
	for i, id := range p.Sources {
		text, ok := texts[id]
		if !ok {
			return fmt.Sprintf("it cites %q, which is not one of the entries", short(id))
		}
		if slices.Contains(p.Sources[:i], id) {
			return "it cites an entry twice"
		}
		from = append(from, text)
	}
	return holds(p.Text, strings.Join(from, "\n"))
}

// holds returns what a text claims that its sources do not: a number or address they lack, a negation added or
// dropped, or mostly other words.
func holds(text, sources string) string {
	mine, theirs := strings.Fields(note.Normal(text)), strings.Fields(note.Normal(sources))
	known, stems := map[string]bool{}, map[string]bool{}
	for _, w := range theirs {
		known[w] = true
		stems[stem(w)] = true
	}
	words, common := 0, 0
	for _, w := range mine {
		if strings.ContainsFunc(w, unicode.IsDigit) && !known[w] {
			return fmt.Sprintf("%q is in none of its sources", w)
		}
		if utf8.RuneCountInString(w) < 4 {
			continue
		}
		words++
		if stems[stem(w)] {
			common++
		}
	}
	if negates(mine) != negates(theirs) {
		return "a negation was added or dropped"
	}
	if words > 0 && float64(common) < shared*float64(words) {
		return "its words are mostly not those of its sources"
	}
	return ""
}

// stem is the part of a word that endings do not change.
func stem(w string) string {
	r := []rune(w)
	return string(r[:min(len(r), 5)])
}

func negates(words []string) bool {
	for _, w := range words {
		switch w {
		case "not", "no", "never", "none", "without", "cannot", "t", "stop", "avoid", "nicht", "kein", "keine", "nie", "ohne":
			return true
		}
	}
	return false
}

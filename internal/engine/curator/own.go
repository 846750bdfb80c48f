package curator

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"tend/internal/text/referee"
)

// longestOwn is how many characters the model's own words may have beyond what they replace.
const longestOwn = 600

// rewrite: the model's words take the place of lines.
func (c *checker) rewrite(d *Decision) {
	d.Own, d.Passage = true, d.Text
	c.targets(d)
	c.cites(d, false)
	if d.Verdict == Rejected {
		return
	}
	var was []string
	for _, t := range d.Targets {
		was = append(was, t.Text)
		if t.Whole() || t.Kind == blockItem {
			d.propose("line %d is a heading, or part of a table or code", t.From)
		}
	}
	for _, s := range d.Sources {
		was = append(was, s.Text)
	}
	c.own(d, was)
	for _, t := range d.Targets {
		d.covers(t.Text)
	}
}

// covers turns own words that leave something of a line out into a proposal.
func (d *Decision) covers(line string) {
	if word, missing := referee.Unsaid(line, d.Text); missing {
		d.propose("it leaves out %s", word)
	}
	if signs(line) != signs(d.Text) || referee.Limits(line) > 0 && stops(line) != stops(d.Text) {
		d.propose("it has other signs than its source")
	}
}

// stops lists the marks between the words of a text. "No, deploy on Fridays" and "No deploy on Fridays" differ by one.
func stops(text string) string {
	var b strings.Builder
	for _, r := range strings.TrimRight(norm.NFKC.String(text), " \t\n.。") {
		if strings.ContainsRune(",;:.。、()\"«»“”「」", r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// half of a line's words in the model's own say that they come from it.
const half = 0.5

// add: the model's words go onto the page, or are proposed for another file.
func (c *checker) add(d *Decision) {
	d.Own, d.Passage = true, d.Text
	c.cites(d, true)
	if d.Verdict == Rejected {
		return
	}
	var was []string
	for _, s := range d.Sources {
		was = append(was, s.Text, s.Subject)
	}
	c.own(d, was)
	for _, text := range was {
		for line := range strings.Lines(text) {
			if Shared(line, d.Text) >= half {
				d.covers(line)
			}
		}
	}
	if d.Op == Propose {
		if !memoryFile(d.File) {
			d.reject("%q is no file of memory", d.File)
		}
		d.propose("it is for %s", d.File)
		return
	}
	d.Under = c.heading(d)
}

// own checks the model's words against the lines that they come from.
func (c *checker) own(d *Decision, sources []string) {
	size := utf8.RuneCountInString(strings.Join(sources, "\n"))
	switch {
	case d.Text == "" || !utf8.ValidString(d.Text):
		d.reject("it has no text")
		return
	case utf8.RuneCountInString(d.Text) > max(longestOwn, size):
		d.reject("its text is longer than what it comes from")
		return
	case strings.ContainsFunc(d.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }):
		d.reject("its text has characters that nobody sees")
		return
	}
	if problems := referee.OwnWords(d.Text, sources...); len(problems) > 0 {
		d.propose("%s", problems[0])
	}
}

package scan

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote returns text as a finding, a log or a page may show it: secrets are masked first, in the whole text, then it is put on
// one line of at most max characters, with an ellipsis where it was cut, and without characters that a terminal would act on
// or not show. A value that can only be an issued token is masked even where its label is missing.
func Quote(text string, max int) string {
	shown := visible(maskBare(Mask([]byte(text))))
	if max <= 0 || utf8.RuneCountInString(shown) <= max {
		return shown
	}
	n := 0
	for i := range shown {
		if n == max-1 {
			return strings.TrimRight(shown[:i], " ") + "…"
		}
		n++
	}
	return shown
}

// maskBare masks every value that can only be an issued token.
func maskBare(b []byte) []byte {
	var out []byte
	from := 0
	for i := 0; i < len(b); {
		if !tokenChars[b[i]] {
			i++
			continue
		}
		lo := i
		for i < len(b) && tokenChars[b[i]] {
			i++
		}
		if i-lo >= 24 && i-lo <= longestJudged && strikinglyRandom(b[lo:i]) {
			out = append(append(out, b[from:lo]...), Masked...)
			from = i
		}
	}
	return append(out, b[from:]...)
}

// around is how many bytes of the line an excerpt shows on either side of a hit.
const around = 40

// An explainer turns spots into hits. It knows all secrets of the text, so that no excerpt shows one.
type explainer struct {
	text    []byte
	secrets *censor
	at      int // the last hit's offset, from which lines are counted
	line    int
}

// lineOf counts lines as editors do: every line feed ends one. Calls must come in order of f.lo.
func (x *explainer) lineOf(f spot) int {
	x.line += bytes.Count(x.text[x.at:f.lo], []byte{'\n'})
	x.at = f.lo
	return x.line
}

// hit explains f, whose line is the last one counted.
func (x *explainer) hit(f spot) Hit {
	r := f.rule
	what := r.What
	if f.rank == unreadable {
		why, _ := notText(x.text)
		what = strings.TrimSuffix(what, ".") + ": " + why + "."
	}
	return Hit{r.Rule, r.Class, r.Severity, f.lo, f.hi, x.line, what, r.Remedy, x.excerpt(f.lo, f.hi)}
}

// excerpt returns the part of the line around a hit, without line breaks, secrets and
// invisible characters.
func (x *explainer) excerpt(lo, hi int) string {
	hi = min(hi, lo+3*around)
	from, to := max(lo-around, 0), min(hi+around, len(x.text))
	if i := bytes.LastIndexByte(x.text[from:lo], '\n'); i >= 0 {
		from += i + 1
	}
	if i := bytes.IndexByte(x.text[hi:to], '\n'); i >= 0 {
		to = hi + i
	}
	for from > 0 && from < lo && !utf8.RuneStart(x.text[from]) {
		from++
	}
	for to < len(x.text) && to > hi && !utf8.RuneStart(x.text[to]) {
		to--
	}
	shown := visible(x.secrets.within(from, to))
	if from > 0 && x.text[from-1] != '\n' {
		shown = "…" + shown
	}
	if to < len(x.text) && x.text[to] != '\n' && x.text[to] != '\r' {
		shown += "…"
	}
	return shown
}

// visible puts b on one line and writes out characters that a terminal would act on or not show.
func visible(b []byte) string {
	var out strings.Builder
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&out, "<%02X>", b[i])
		case r == '\t' || r == '\n' || r == '\r':
			out.WriteByte(' ')
		case !unicode.IsGraphic(r), isZeroWidth(r), isSelector(r) && r != 0xfe0f:
			fmt.Fprintf(&out, "<U+%04X>", r)
		default:
			out.Write(b[i : i+n])
		}
		i += n
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

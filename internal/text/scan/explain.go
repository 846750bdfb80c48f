package scan

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// around is how many bytes of the line an excerpt shows on either side of a hit.
const around = 40

// An explainer turns findings into hits. It knows all secrets of the text, so that no
// excerpt shows one.
type explainer struct {
	text    []byte
	secrets *censor
	at      int // the last hit's offset, from which lines are counted
	line    int
}

func newExplainer(b []byte, found []found) *explainer {
	return &explainer{text: b, secrets: newCensor(b, found), line: 1}
}

// hit explains f; calls must come in order of f.lo.
func (x *explainer) hit(f found) Hit {
	x.line = lineAt(x.text, x.at, x.line, f.lo)
	x.at = f.lo
	r := f.rule
	return Hit{r.Rule, r.Class, r.Severity, f.lo, f.hi, x.line, r.What, r.Remedy, x.excerpt(f.lo, f.hi)}
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

// visible escapes characters that a terminal would act on or not show.
func visible(b []byte) string {
	var out strings.Builder
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&out, "<%02X>", b[i])
		case r == '\t' || r == '\n' || r == '\r' && i+1 < len(b) && b[i+1] == '\n':
			out.WriteByte(' ')
		case r == '\r' && i+1 == len(b):
		case unicode.IsControl(r) || !unicode.IsGraphic(r) || isZeroWidth(r) || isTag(r) || r == 0x2028 || r == 0x2029 || isSelector(r) && r != 0xfe0f:
			fmt.Fprintf(&out, "<U+%04X>", r)
		default:
			out.Write(b[i : i+n])
		}
		i += n
	}
	return strings.TrimSpace(out.String())
}

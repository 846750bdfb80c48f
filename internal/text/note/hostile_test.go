package note

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// everything calls what reads a text.
func everything(text []byte) int {
	d := Syntax{Lines: true}.Parse(text)
	n := 0
	for _, e := range d.Entries(1) {
		n += len(e.Text()) + int(e.Until()) + len(e.Friction())
		e.Meta("x")
	}
	for _, b := range d.Blocks(1) {
		n += len(b.Label)
	}
	d.Remove(d.Entries(1))
	d.Append("- a")
	PutBack(Parse(bytes.ToUpper(text)), d, []Span{{0, len(text)}})
	for _, s := range d.Sections[:min(len(d.Sections), 1)] {
		half := d.Syntax.Parse(append(bytes.Clone(text[:s.Body]), text[s.Body+(s.End-s.Body)/2:]...))
		PutBack(half, d, Missing(half, d, Span{s.Start, s.End}))
	}
	Split(text, []byte("a\n---\n"), "")
	Without(text, []string{"a"})
	ParseBuffer(text, time.UTC)
	FindLine(text, "")
	return n + int(SortOf("a.md", text)) + len(d.Closures())
}

// shapes are texts on which careless readers recurse or take the square of their length.
var shapes = map[string]func(n int) string{
	"times":               func(n int) string { return strings.Repeat("09:00 ", n/6) },
	"dates":               func(n int) string { return strings.Repeat("2026-11-15 ", n/11) },
	"written dates":       func(n int) string { return strings.Repeat("Mar 28, 2026 ", n/13) },
	"dates as entries":    func(n int) string { return strings.Repeat("2026-11-15\n", n/11) },
	"until":               func(n int) string { return strings.Repeat("(until ", n/7) },
	"until with a date":   func(n int) string { return strings.Repeat("(until 2026-11-15) ", n/19) },
	"tasks":               func(n int) string { return strings.Repeat("- [ ] a\n", n/8) },
	"nested tasks":        func(n int) string { return "- [ ] a\n" + strings.Repeat("  - [ ] a\n", n/10) },
	"brackets":            func(n int) string { return strings.Repeat("[a] ", n/4) },
	"tags":                func(n int) string { return strings.Repeat("[lesson] ", n/9) },
	"hashtags":            func(n int) string { return strings.Repeat("#lesson ", n/8) },
	"emoji":               func(n int) string { return strings.Repeat("🧠 ", n/5) },
	"stars":               func(n int) string { return strings.Repeat("*", n) },
	"star runs":           func(n int) string { return strings.Repeat("** ", n/3) },
	"colons":              func(n int) string { return strings.Repeat("a: ", n/3) },
	"label lines":         func(n int) string { return strings.Repeat("Label:\n", n/7) },
	"bold lines":          func(n int) string { return strings.Repeat("**a**\n\n", n/7) },
	"open comments":       func(n int) string { return strings.Repeat("<!-- ", n/5) },
	"comment lines":       func(n int) string { return strings.Repeat("<!--\n", n/10) + "--> " + strings.Repeat("x", n/2) },
	"closed comments":     func(n int) string { return strings.Repeat("<!-- a: b --> ", n/14) },
	"fences":              func(n int) string { return strings.Repeat("```\n", n/4) },
	"open fences":         func(n int) string { return strings.Repeat("```a\n", n/5) },
	"fences of two kinds": func(n int) string { return strings.Repeat("~~~~a\n```\n", n/10) },
	"quotes":              func(n int) string { return strings.Repeat("> ", n/2) },
	"headings":            func(n int) string { return strings.Repeat("# 3月28日\n", n/12) },
	"deep headings":       func(n int) string { return strings.Repeat("# a\n## b\n### c\n", n/16) },
	"closures":            func(n int) string { return strings.Repeat("Updated: x\nDecisions: y\n", n/24) },
	"tables":              func(n int) string { return strings.Repeat("| a |\n", n/6) },
	"table after bullet":  func(n int) string { return strings.Repeat("- a:\n| a |\n", n/11) },
	"blank lines":         func(n int) string { return strings.Repeat("\n", n) },
	"bullets and blanks":  func(n int) string { return strings.Repeat("- a\n\n", n/5) },
	"dreams":              func(n int) string { return strings.Repeat(dreamMark+"a:start -->\n", n/36) },
	"different lines": func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "x%d\n", i)
		}
		return b.String()
	},
	"turns":             func(n int) string { return strings.Repeat("user: a\nassistant: b\n", n/21) },
	"separators":        func(n int) string { return strings.Repeat("---\n", n/4) },
	"front matter":      func(n int) string { return "---\n" + strings.Repeat("a: b\n", n/5) },
	"spaces":            func(n int) string { return strings.Repeat(" ", n) + "a" },
	"digits":            func(n int) string { return strings.Repeat("1", n) },
	"letters":           func(n int) string { return strings.Repeat("a", n) },
	"NUL":               func(n int) string { return strings.Repeat("\x00", n) },
	"broken characters": func(n int) string { return strings.Repeat("\xf0", n) },
}

// A quadratic reader takes 64 times as long for 8 times the text: the limit is far from that and from noise.
func TestReadersAreLinear(t *testing.T) {
	took := func(text []byte) time.Duration {
		best := time.Hour
		for range 2 {
			start := time.Now()
			everything(text)
			best = min(best, time.Since(start))
		}
		return best
	}
	for name, shape := range shapes {
		small, large := took([]byte(shape(16<<10))), took([]byte(shape(128<<10)))
		if large > 32*small && large > time.Second {
			t.Errorf("%s: 16 KB take %v, 128 KB take %v", name, small, large)
		}
	}
}

func TestLongLineOfTimesDoesNotRecurse(t *testing.T) {
	everything(bytes.Repeat([]byte("09:00 "), 8<<20/6))
}

func TestManyFencesTakeBoundedMemory(t *testing.T) {
	text := bytes.Repeat([]byte("```\n```\n"), 30<<20/8)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := Parse(text)
	d.Blocks(0)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 10*uint64(len(text)) {
		t.Errorf("%d MB of fences took %d MB", len(text)>>20, used>>20)
	}
}

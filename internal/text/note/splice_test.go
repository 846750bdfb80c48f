package note

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const closing = "Updated: 2026-11-15\nDecisions: none\nSignal: none\nOpen: none\n"

func TestAppend(t *testing.T) {
	tests := []struct{ name, text, add, want string }{
		{"empty", "", "- a", "- a\n"},
		{"only blank lines", "\n\n", "- a", "- a\n\n\n"},
		{"to a list", "- a\n", "- b\n", "- a\n- b\n"},
		{"to a list before blank lines", "- a\n\n\n", "- b", "- a\n- b\n\n\n"},
		{"under a heading", "# T\n", "- a", "# T\n- a\n"},
		{"paragraph under a heading", "# T\n", "words", "# T\n\nwords\n"},
		{"list behind a paragraph", "words\n", "- a", "words\n\n- a\n"},
		{"no final newline", "- a", "- b", "- a\n- b"},
		{"no final newline, paragraph", "a", "b", "a\n\nb"},
		{"CRLF", "- a\r\n", "- b\n- c\n", "- a\r\n- b\r\n- c\r\n"},
		{"CRLF without final newline", "- a\r\n- b", "- c", "- a\r\n- b\r\n- c"},
		{"CRLF into LF", "- a\n", "- b\r\n- c", "- a\n- b\n- c\n"},
		{"before the closure", "- a\n\n" + closing, "- b", "- a\n- b\n\n" + closing},
		{"before a closure with blank lines behind", "- a\n\n" + closing + "\n\n", "- b", "- a\n- b\n\n" + closing + "\n\n"},
		{"before a closure that follows at once", "- a\n" + closing, "- b", "- a\n- b\n" + closing},
		{"before a closure that is all", closing, "- a", "- a\n\n" + closing},
		{"a closure in the middle is text", closing + "\n- a\n", "- b", closing + "\n- a\n- b\n"},
		{"nothing", "- a\n", "\n", "- a\n"},
		{"CJK", "- 記憶\n", "- 整理 🧠", "- 記憶\n- 整理 🧠\n"},
		{"a rule is no list", "- a\n", "- - -", "- a\n\n- - -\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := apply(t, tt.text, Parse([]byte(tt.text)).Append(tt.add)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAppendASection(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "## D\n- a\n"},
		{"behind a list", "# T\n- x\n", "# T\n- x\n\n## D\n- a\n"},
		{"no final newline", "# T\n- x", "# T\n- x\n\n## D\n- a"},
		{"CRLF", "x\r\n", "x\r\n\r\n## D\r\n- a\r\n"},
		{"before the closure", "x\n\n" + closing, "x\n\n## D\n- a\n\n" + closing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := apply(t, tt.text, Parse([]byte(tt.text)).Append("## D\n- a\n")); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAppendTo(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"list", "## A\n- x\n\n## B\n", "## A\n- x\n- new\n\n## B\n"},
		{"empty section", "## A\n## B\n", "## A\n- new\n## B\n"},
		{"with a subsection", "## A\n- x\n### C\n- y\n## B\n", "## A\n- x\n### C\n- y\n- new\n## B\n"},
		{"last", "## B\n\n## A\n- x", "## B\n\n## A\n- x\n- new"},
		{"before the closure", "## A\n- x\n\n" + closing, "## A\n- x\n- new\n\n" + closing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Parse([]byte(tt.text))
			s, ok := d.Section("A")
			if !ok {
				t.Fatal("no section")
			}
			if got := apply(t, tt.text, d.AppendTo(s, "- new")); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAppendDelimited(t *testing.T) {
	for text, want := range map[string]string{
		"": "new", "a": "a\n§\nnew", "a\n§\nb\n": "a\n§\nb\n§\nnew\n", "a\r\n§\r\nb": "a\r\n§\r\nb\r\n§\r\nnew", "\n": "new\n",
	} {
		d := Syntax{Style: Delimited}.Parse([]byte(text))
		if got := apply(t, text, d.Append(" new\n")); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestClosure(t *testing.T) {
	text := "- a\n" + closing + "\n- b\n\n**Updated:** 2026-11-16\nDecisions: x, y\nSignal:\nOpen: 記憶?\n \n\n"
	d := Parse([]byte(text))
	cs := d.Closures()
	if len(cs) != 2 {
		t.Fatalf("closures: got %d, want 2", len(cs))
	}
	if cs[0].AtEnd || !cs[1].AtEnd || cs[0].Line != 2 || cs[1].Line != 9 {
		t.Errorf("got %+v", cs)
	}
	c, ok := d.Closure()
	want := Closure{Updated: day(t, "2026-11-16"), Decisions: "x, y", Open: "記憶?", Line: 9, Start: cs[1].Start, End: cs[1].End, AtEnd: true}
	if diff := cmp.Diff(want, c); !ok || diff != "" {
		t.Errorf("closure (-want +got):\n%s", diff)
	}
	if got := c.String(); got != "Updated: 2026-11-16\nDecisions: x, y\nSignal: none\nOpen: 記憶?\n" {
		t.Errorf("String: got %q", got)
	}
	if _, ok := Parse([]byte(closing + "more\n")).Closure(); ok {
		t.Error("a closure with text behind it does not end the document")
	}
	if c, ok := Parse([]byte("Updated: soon\nDecisions:\nSignal:\nOpen:")).Closure(); !ok || c.Updated != 0 {
		t.Errorf("no date: got %+v, %v", c, ok)
	}
}

func TestSetClosure(t *testing.T) {
	c := Closure{Updated: day(t, "2026-11-16"), Signal: "a\nb"}
	block := "Updated: 2026-11-16\nDecisions: none\nSignal: a b\nOpen: none\n"
	for text, want := range map[string]string{
		"":                       block,
		"- a\n":                  "- a\n\n" + block,
		"- a\n\n" + closing:      "- a\n\n" + block,
		closing + "\n":           block + "\n",
		closing[:len(closing)-1]: block[:len(block)-1],
		"- a":                    "- a\n\n" + block[:len(block)-1],
	} {
		if got := apply(t, text, Parse([]byte(text)).SetClosure(c)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

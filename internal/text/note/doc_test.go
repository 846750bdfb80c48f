package note

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var kindNames = map[Kind]string{
	Blank: "blank", FrontMatterBlock: "front", Heading: "heading", HeaderLine: "header", SeparatorLine: "separator",
	Rule: "rule", Code: "code", Table: "table", Comment: "comment", Bullet: "bullet", Paragraph: "paragraph",
	ClosureBlock: "closure", Delimiter: "delimiter",
}

// outline formats each block as "line kind text" and fails if the blocks do not add up to the text.
func outline(t *testing.T, d *Doc) []string {
	t.Helper()
	var out []string
	var all strings.Builder
	for _, b := range d.Parts {
		out = append(out, kindNames[b.Kind]+" "+string(d.Raw(b)))
		all.Write(d.Raw(b))
		if want := LineAt(d.Text, b.Start); b.Line != want {
			t.Errorf("line of %q: got %d, want %d", d.Raw(b), b.Line, want)
		}
	}
	if all.String() != string(d.Text) {
		t.Errorf("blocks: got %q, want %q", all.String(), d.Text)
	}
	return out
}

func TestParse(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"blank lines are one block", "\n \n\t\r\n", []string{"blank \n \n\t\r\n"}},
		{"no final newline", "# T\na", []string{"heading # T\n", "paragraph a"}},
		{"front matter", "---\na: 1\n---\nx\n", []string{"front ---\na: 1\n---\n", "paragraph x\n"}},
		{"front matter behind a BOM", utf8BOM + "---\na: 1\n---\n", []string{"front " + utf8BOM + "---\na: 1\n---\n"}},
		{"heading levels", "# a\n###### b\n####### c\n#d\n", []string{"heading # a\n", "heading ###### b\n", "paragraph ####### c\n#d\n"}},
		{"header lines", "# T\n#tags: a\n> last_verified: 2026-01-01\nlast_updated: x\ntext\n", []string{
			"heading # T\n", "header #tags: a\n", "header > last_verified: 2026-01-01\n", "header last_updated: x\n", "paragraph text\n"}},
		{"header lines of a buffer", "# Working Buffer\ncreated: x\nlast_active: y\n\n- a\n", []string{
			"heading # Working Buffer\n", "header created: x\n", "header last_active: y\n", "blank \n", "bullet - a\n"}},
		{"created is a word further down", "# T\n- a\n\ncreated: x\n",
			[]string{"heading # T\n", "bullet - a\n", "blank \n", "paragraph created: x\n"}},
		{"header line between prose", "a\n**Last updated:** 2026-01-01\nb\n",
			[]string{"paragraph a\n", "header **Last updated:** 2026-01-01\n", "paragraph b\n"}},
		{"bullets", "- a\n* b\n+ c\n• d\n1. e\n2) f\n",
			[]string{"bullet - a\n", "bullet * b\n", "bullet + c\n", "bullet • d\n", "bullet 1. e\n", "bullet 2) f\n"}},
		{"nested bullets", "- a\n  - b\n\t- c\n- d\n", []string{"bullet - a\n  - b\n\t- c\n", "bullet - d\n"}},
		{"one column is not nested", "- a\n - b\n", []string{"bullet - a\n", "bullet  - b\n"}},
		{"continuation lines", "- a\n  more\nlazy\n- b\n", []string{"bullet - a\n  more\nlazy\n", "bullet - b\n"}},
		{"indented text after a blank line", "- a\n\n  more\n\nnew\n", []string{"bullet - a\n\n  more\n", "blank \n", "paragraph new\n"}},
		{"blank lines between bullets", "- a\n\n- b\n", []string{"bullet - a\n", "blank \n", "bullet - b\n"}},
		{"fence in a bullet", "- a\n  ```\n\n# no\n  ```\n- b\n", []string{"bullet - a\n  ```\n\n# no\n  ```\n", "bullet - b\n"}},
		{"fence right below a bullet", "- a\n```\n- x\n```\n- b\n", []string{"bullet - a\n```\n- x\n```\n", "bullet - b\n"}},
		{"fence right below a paragraph", "a:\n```\nx\n```\nb\n", []string{"paragraph a:\n```\nx\n```\nb\n"}},
		{"fence of its own", "a\n\n~~~ sh\n# x\n---\n~~~\n\nb\n",
			[]string{"paragraph a\n", "blank \n", "code ~~~ sh\n# x\n---\n~~~\n", "blank \n", "paragraph b\n"}},
		{"a fence that never closes is text", "```\n# a\n", []string{"paragraph ```\n", "heading # a\n"}},
		{"a shorter fence does not close", "````\n```\n````\n", []string{"code ````\n```\n````\n"}},
		{"other marks do not close", "```\n~~~\n```\n", []string{"code ```\n~~~\n```\n"}},
		{"backticks in a line are no fence", "```a```\n# b\n", []string{"paragraph ```a```\n", "heading # b\n"}},
		{"a deep fence line does not close", "```\n    ```\n```\n", []string{"code ```\n    ```\n```\n"}},
		{"paragraph ended by a list", "a\n- b\n", []string{"paragraph a\n", "bullet - b\n"}},
		{"a wrapped number is no list", "it was in\n2026. Then\n1. one\n", []string{"paragraph it was in\n2026. Then\n", "bullet 1. one\n"}},
		{"separator and rule", "a\n---\n- - -\n***\n___\n",
			[]string{"paragraph a\n", "separator ---\n", "rule - - -\n", "rule ***\n", "rule ___\n"}},
		{"separator after a bullet", "- a\n---\nb\n", []string{"bullet - a\n", "separator ---\n", "paragraph b\n"}},
		{"dashes nested in a bullet", "- a\n  ---\n- b\n", []string{"bullet - a\n  ---\n", "bullet - b\n"}},
		{"table", "|a|b|\n|-|-|\nx\n", []string{"table |a|b|\n|-|-|\n", "paragraph x\n"}},
		{"comment", "<!-- a\n\nb -->\n\n<!-- c --> <!-- d -->\n",
			[]string{"comment <!-- a\n\nb -->\n", "blank \n", "comment <!-- c --> <!-- d -->\n"}},
		{"comment below a bullet", "- a\n<!-- importance: 9 -->\n- b\n", []string{"bullet - a\n<!-- importance: 9 -->\n", "bullet - b\n"}},
		{"a comment that never closes is text", "<!-- a\n# b\n", []string{"paragraph <!-- a\n", "heading # b\n"}},
		{"comment with words behind", "<!-- a --> b\n", []string{"paragraph <!-- a --> b\n"}},
		{"quote", "> a\n> b\n", []string{"paragraph > a\n> b\n"}},
		{"closure", "- a\nUpdated: 2026-01-01\nDecisions: none\nSignal:\nOpen: x", []string{
			"bullet - a\n", "closure Updated: 2026-01-01\nDecisions: none\nSignal:\nOpen: x"}},
		{"closure that lacks a line", "Updated: 2026-01-01\nDecisions: none\nOpen: x\n",
			[]string{"paragraph Updated: 2026-01-01\nDecisions: none\nOpen: x\n"}},
		{"closure in a fence", "```\nUpdated: x\nDecisions:\nSignal:\nOpen:\n```\n",
			[]string{"code ```\nUpdated: x\nDecisions:\nSignal:\nOpen:\n```\n"}},
		{"CRLF", "# T\r\n\r\n- a\r\n  b\r\n---\r\n", []string{"heading # T\r\n", "blank \r\n", "bullet - a\r\n  b\r\n", "separator ---\r\n"}},
		{"CR, NEL and U+2028 break no line", "a\r- b\u0085- c\u2028- d\n", []string{"paragraph a\r- b\u0085- c\u2028- d\n"}},
		{"invalid UTF-8", "\xff\xfe\n- \x80\n", []string{"paragraph \xff\xfe\n", "bullet - \x80\n"}},
		{"empty bullet", "-\n- \n", []string{"bullet -\n", "bullet - \n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, outline(t, Parse([]byte(tt.text)))); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseSeparator(t *testing.T) {
	d := Syntax{Separator: "====="}.Parse([]byte("a\n---\n=====  \nb\n"))
	want := []string{"paragraph a\n", "rule ---\n", "separator =====  \n", "paragraph b\n"}
	if diff := cmp.Diff(want, outline(t, d)); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

// TestListInDelimitedFile: a file that may have § lines but is a list is parsed as the list.
func TestListInDelimitedFile(t *testing.T) {
	for text, want := range map[string]int{"# Memory\n\n- a b\n- c d\n": 2, "- a\n- b\n§\nc\n": 2, "one\n- with a bullet\n": 1} {
		if got := len(Syntax{Style: Delimited}.Parse([]byte(text)).Entries(0)); got != want {
			t.Errorf("%q: %d entries, want %d", text, got, want)
		}
	}
}

func TestParseDelimited(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"three", "a\nb\n§\n- c\n§\n# d", []string{"paragraph a\nb\n", "delimiter §\n", "paragraph - c\n", "delimiter §\n", "paragraph # d"}},
		{"blank lines inside", "a\n\nb\n\n§\n\nc\n", []string{"paragraph a\n\nb\n", "blank \n", "delimiter §\n", "blank \n", "paragraph c\n"}},
		{"sign within a line", "see § 5\n§ 6\n", []string{"paragraph see § 5\n§ 6\n"}},
		{"CRLF", "a\r\n§\r\nb", []string{"paragraph a\r\n", "delimiter §\r\n", "paragraph b"}},
		{"only delimiters", "§\n§", []string{"delimiter §\n", "delimiter §"}},
		{"fences mean nothing", "```\n§\n```", []string{"paragraph ```\n", "delimiter §\n", "paragraph ```"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Syntax{Style: Delimited}.Parse([]byte(tt.text))
			if diff := cmp.Diff(tt.want, outline(t, d)); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSections(t *testing.T) {
	text := "intro\n# A\n## 2026-11-15 (Sun)\nx\n### B ##\ny\n# C\nz\n\nUpdated: x\nDecisions:\nSignal:\nOpen:\n"
	d := Parse([]byte(text))
	type row struct {
		Level  int
		Title  string
		Text   string
		Day    string
		Parent int
	}
	var got []row
	for _, s := range d.Sections {
		got = append(got, row{s.Level, s.Title, text[s.Start:s.End], s.Day.String(), s.Parent})
	}
	want := []row{
		{1, "A", "# A\n## 2026-11-15 (Sun)\nx\n### B ##\ny\n", "", -1},
		{2, "2026-11-15 (Sun)", "## 2026-11-15 (Sun)\nx\n### B ##\ny\n", "2026-11-15", 0},
		{3, "B", "### B ##\ny\n", "2026-11-15", 1},
		{1, "C", "# C\nz\n\n", "", -1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	if s, ok := d.Section(" c "); !ok || s.Title != "C" {
		t.Errorf("Section: got %+v, %v", s, ok)
	}
	if _, ok := d.Section("D"); ok {
		t.Error("Section: found a section that does not exist")
	}
}

// A file of marks that open but never close must not make the parser scan ahead again and again.
func TestParseStaysLinear(t *testing.T) {
	for _, unit := range []string{"```x\n", "~~~\n````\n", "<!--\n", "<!-- --> x\n", "- \n\n", "Updated: x\nDecisions:\nSignal:\n",
		"|\n", "  |x\n", "  ```\n"} {
		text := []byte("- a\n" + strings.Repeat(unit, 1<<18/len(unit)))
		d := Parse(text)
		if got := d.Parts[len(d.Parts)-1].End; got != len(text) {
			t.Errorf("%q: blocks end at %d, want %d", unit, got, len(text))
		}
		if start, _, ok := FindLine(append(text, "---\n"...), "---"); !ok || start != len(text) {
			t.Errorf("%q: separator at %d, %v, want %d", unit, start, ok, len(text))
		}
	}
}

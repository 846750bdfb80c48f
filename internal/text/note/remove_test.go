package note

import (
	"strings"
	"testing"
)

// Entries with the word "old" are removed.
func TestRemove(t *testing.T) {
	tests := []struct {
		name, text, want string
		style            Style
	}{
		{name: "from a list", text: "- a\n- old\n- b\n", want: "- a\n- b\n"},
		{name: "with its nested lines", text: "- old\n  - x\n\n  y\n- b\n", want: "- b\n"},
		{name: "paragraph between blank lines", text: "a\n\nold\n\nb\n", want: "a\n\nb\n"},
		{name: "two runs", text: "- old\n- a\n- old\n- old\n- b\n", want: "- a\n- b\n"},
		{name: "first with blank line", text: "old\n\na\n", want: "a\n"},
		{name: "last with blank line", text: "a\n\nold\n", want: "a\n"},
		{name: "last without final newline", text: "- a\n- old", want: "- a"},
		{name: "last without final newline, CRLF", text: "- a\r\n\r\nold", want: "- a"},
		{name: "all", text: "- old\n- old", want: ""},
		{name: "a heading with nothing below it goes", text: "## A\n- old\n\n## B\n- b\n", want: "## B\n- b\n"},
		{name: "the title stays", text: "# A\n- old\n", want: "# A\n"},
		{name: "a heading that was empty before stays", text: "## A\n\n## B\n- old\n- b\n", want: "## A\n\n## B\n- b\n"},
		{name: "dated heading goes", text: "x\n\n## 2026-11-14\n- old\n- old\n\n## 2026-11-15\n- b\n", want: "x\n\n## 2026-11-15\n- b\n"},
		{name: "dated heading goes at the end", text: "- a\n\n## 2026-11-14\n\n- old\n", want: "- a\n"},
		{name: "dated heading with more stays", text: "## 2026-11-14\n- old\n- b\n", want: "## 2026-11-14\n- b\n"},
		{name: "dated heading with a section stays", text: "## 2026-11-14\n- old\n### S\n- b\n", want: "## 2026-11-14\n### S\n- b\n"},
		{name: "dated heading that was empty before stays", text: "## 2026-11-14\n\n## B\n- old\n- b\n", want: "## 2026-11-14\n\n## B\n- b\n"},
		{name: "closure stays", text: "- old\n\n" + closing, want: closing},
		{name: "fence stays", text: "- a\n- old\n\n```\nold\n```\n", want: "- a\n\n```\nold\n```\n"},
		{name: "blank lines elsewhere stay", text: "a\n\n\n\nb\n\nold\n\nc\n", want: "a\n\n\n\nb\n\nc\n"},
		{name: "CJK and CRLF", text: "- 記憶 old\r\n- 整理\r\n", want: "- 整理\r\n"},
		{name: "delimited, first", style: Delimited, text: "old\n§\nb\n§\nc", want: "b\n§\nc"},
		{name: "delimited, middle", style: Delimited, text: "a\n§\nold\nx\n§\nc", want: "a\n§\nc"},
		{name: "delimited, last", style: Delimited, text: "a\n§\nb\n§\nold", want: "a\n§\nb"},
		{name: "delimited, last with final newline", style: Delimited, text: "a\n§\nold\n", want: "a\n"},
		{name: "delimited, two at the end", style: Delimited, text: "a\n§\nold\n§\nold", want: "a"},
		{name: "delimited, all", style: Delimited, text: "old\n§\nold", want: ""},
		{name: "delimited, CRLF", style: Delimited, text: "a\r\n§\r\nold\r\n§\r\nold", want: "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Syntax{Style: tt.style}.Parse([]byte(tt.text))
			var drop []Entry
			for _, e := range d.Entries(0) {
				if strings.Contains(string(e.Raw), "old") {
					drop = append(drop, e)
				}
			}
			if got := apply(t, tt.text, d.Remove(drop)...); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := Parse([]byte("- a\n")).Remove(nil); len(got) != 0 {
		t.Errorf("nothing to remove: got %v", got)
	}
}

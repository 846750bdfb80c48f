package note

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// kinds lists a text's blocks: kind, label and first line.
func kinds(text string) string {
	var out []string
	for _, b := range Parse([]byte(text)).Blocks(0) {
		first, _, _ := strings.Cut(b.Text(), "\n")
		kind := [...]string{"bullet", "paragraph", "labelled", "table", "code"}[b.Kind]
		out = append(out, kind+"|"+b.Label+"|"+first)
	}
	return strings.Join(out, " / ")
}

func TestBlocksKeepTogetherWhatBelongsTogether(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a label and its list", "Open points:\n- a\n- b\n\n- c\n\nText\n", "labelled|Open points|Open points: / paragraph||Text"},
		{"a tag as label and its list", "**Lesson:**\n- a\n- b\n", "labelled|Lesson|- a"},
		{"a label and its list after a blank line", "**Lesson**\n\n- a\n- b\n", "labelled|Lesson|**Lesson**"},
		{"a label and its text", "教训：\n\n先备份，再迁移。\n\n下一步\n", "labelled|教训|教训： / paragraph||下一步"},
		{"a label and its table", "Hosts:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "labelled|Hosts|Hosts:"},
		{"a label and its code", "Comando:\n```\nrm x\n```\nFim\n", "labelled|Comando|Comando:"},
		{"a bullet and the code it announces", "1. Run this:\n\n```\nls\n```\n\n2. Wait\n", "bullet|Run this|Run this: / bullet||Wait"},
		{"a bullet and what is nested", "- **Host:** a\n  - port 1\n\n  more\n- b\n", "bullet|Host|**Host:** a / bullet||b"},
		{"a labelled line with a list below", "**Why:** two reasons\n- a\n- b\n", "labelled|Why|**Why:** two reasons"},
		{"a title in bold, its text and its list", "**1. A tool**\nWhat it does.\n- a\n- b\n", "labelled||**1. A tool**"},
		{"a label in bold after a list", "- a\n**Next:** b\n", "bullet||a / paragraph|Next|**Next:** b"},
		{"two labels are two blocks", "Status:\n\nNext: x\n", "paragraph|Status|Status: / paragraph|Next|Next: x"},
		{"a whole table", "| a |\n|---|\n| 1 |\n| 2 |\n", "table||| a |"},
		{"prose is one paragraph", "One line\nand another.\n", "paragraph||One line"},
	} {
		if got := kinds(tt.text); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLabelsInAnyLanguage(t *testing.T) {
	for text, want := range map[string]string{
		"- **Lesson:** back up": "Lesson", "- **Lesson**: x": "Lesson", "Lesson: x": "Lesson", "- 教训：先备份": "教训", "**決定** — x": "決定",
		"- 💡 Урок: x": "Урок", "- [x] Решение: x": "Решение", "**Lição aprendida:** x": "Lição aprendida",
		"- see https://example.org": "", "- at 14:30 we met": "", "- 14:30: tea": "",
		"A long sentence that says many things and then: x": "",
		"- **bold** words": "", "He said. Then: x": "", "- `a: b`": "", "plain": "",
	} {
		if got := Parse([]byte(text)).Blocks(0)[0].Label; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestHeadingPathIsTheSubject(t *testing.T) {
	d := Parse([]byte("- a\n# Project\n## Hosts\n- b\n# Other\n- c\n"))
	var got []string
	for _, b := range d.Blocks(0) {
		got = append(got, strings.Join(append(d.HeadingPath(b.Section), b.Text()), "/"))
	}
	if diff := cmp.Diff([]string{"a", "Project/Hosts/b", "Other/c"}, got); diff != "" {
		t.Error(diff)
	}
}

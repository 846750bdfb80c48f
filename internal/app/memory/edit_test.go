package memory

import (
	"strings"
	"testing"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
)

func doc(text string) vault.Doc {
	return vault.Doc{Path: "f.md", Data: []byte(text), Version: vault.VersionOf([]byte(text))}
}

func TestReplace(t *testing.T) {
	for _, tt := range []struct {
		name, text, old, new, want string
		code                       toolerr.Code
	}{
		{"once", "a b c", "b", "x", "a x c", ""},
		{"several lines", "a\nb\nc\n", "a\nb\n", "x\n", "x\nc\n", ""},
		{"all of it", "abc", "abc", "", "", ""},
		{"literally", "a$1b", "$1", `$& \1`, `a$& \1b`, ""},
		{"empty", "abc", "", "x", "", toolerr.BadInput},
		{"none", "abc", "d", "x", "", toolerr.NoMatch},
		{"twice", "aba", "a", "x", "", toolerr.Ambiguous},
		{"overlapping", "aaa", "aa", "x", "", toolerr.Ambiguous},
		{"overlapping across lines", "a\na\na\n", "a\na", "x", "", toolerr.Ambiguous},
		{"in an empty file", "", "a", "x", "", toolerr.NoMatch},
		{"CRLF", "a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n", ""},
		{"CRLF written as such", "a\r\nb\r\n", "a\r\nb", "x", "x\r\n", ""},
		{"multi-byte", "日本語", "本", "x", "日x語", ""},
		{"half a character", "日本語", "\xe6", "x", "", toolerr.BadInput},
	} {
		got, err := replaceText(doc(tt.text), tt.old, tt.new)
		if codeOf(err) != tt.code || string(got) != tt.want {
			t.Errorf("%s: %q, %v; want %q, %q", tt.name, got, err, tt.want, tt.code)
		}
	}
}

func codeOf(err error) toolerr.Code {
	if e, ok := err.(*toolerr.Error); ok {
		return e.Code
	}
	if err != nil {
		return toolerr.Failed
	}
	return ""
}

func TestMatchesNamesLines(t *testing.T) {
	_, err := replaceText(doc("a\nx\na a\n"), "a", "")
	if want := "occurs 3 times in f.md: lines 1, 3, 3."; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	_, err = replaceText(doc(strings.Repeat("a\n", 100)), "a", "")
	if want := "19, 20 and 80 more"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestInsert(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		line       int
		ins, want  string
		code       toolerr.Code
	}{
		{"at the top", "a\nb\n", 0, "x", "x\na\nb\n", ""},
		{"after the first", "a\nb\n", 1, "x\n", "a\nx\nb\n", ""},
		{"after the last", "a\nb\n", 2, "x", "a\nb\nx\n", ""},
		{"beyond the last", "a\nb\n", 3, "x", "", toolerr.BadRange},
		{"before the first", "a\n", -1, "x", "", toolerr.BadRange},
		{"no final newline", "a\nb", 2, "x", "a\nb\nx\n", ""},
		{"no final newline, in the middle", "a\nb", 1, "x", "a\nx\nb", ""},
		{"empty file", "", 0, "x", "x\n", ""},
		{"empty file, beyond", "", 1, "x", "", toolerr.BadRange},
		{"blank lines", "\n\n", 1, "x", "\nx\n\n", ""},
		{"no text", "a\n", 0, "", "", toolerr.BadInput},
		{"several lines", "a\n", 1, "x\ny", "a\nx\ny\n", ""},
		{"CRLF", "a\r\nb\r\n", 1, "x\ny", "a\r\nx\r\ny\r\nb\r\n", ""},
	} {
		got, err := insertAt(doc(tt.text), tt.line, tt.ins)
		if codeOf(err) != tt.code || string(got) != tt.want {
			t.Errorf("%s: %q, %v; want %q, %q", tt.name, got, err, tt.want, tt.code)
		}
	}
}

func TestLineRange(t *testing.T) {
	for _, tt := range []struct {
		text     string
		from, to int
		want     string
		code     toolerr.Code
	}{
		{"a\nb\nc\n", 0, 0, "a\nb\nc\n", ""},
		{"a\nb\nc\n", 2, 2, "b\n", ""},
		{"a\nb\nc\n", 2, -1, "b\nc\n", ""},
		{"a\nb\nc", 3, 9, "c", ""},
		{"a\nb\nc", 4, 4, "", toolerr.BadRange},
		{"a\nb\n", 2, 1, "", toolerr.BadRange},
		{"a\n", -1, 0, "", toolerr.BadRange},
		{"a\n", 1, -2, "", toolerr.BadRange},
		{"", 0, 0, "", ""},
		{"", 1, 1, "", ""},
		{"", 2, 2, "", toolerr.BadRange},
		{"\xff\n", 1, 1, "\uFFFD\n", ""},
	} {
		got, err := lineRange(doc(tt.text), tt.from, tt.to)
		if codeOf(err) != tt.code || err == nil && got.Text != tt.want {
			t.Errorf("%q %d-%d: %q, %v; want %q, %q", tt.text, tt.from, tt.to, got.Text, err, tt.want, tt.code)
		}
	}
}

func TestMeasure(t *testing.T) {
	for _, tt := range []struct {
		before, after      string
		added, removed, at int
	}{
		{"a\nb\n", "a\nb\nc\n", 1, 0, 3},
		{"a\nb\n", "a\nx\nb\n", 1, 0, 2},
		{"a\nb\nc\n", "a\nc\n", 0, 1, 2},
		{"a\nb\nc\n", "a\nxx\nc\n", 1, 1, 2},
		{"a\nb", "a\nb\nc\n", 2, 1, 2},
		{"", "a\n", 1, 0, 1},
		{"a\n", "", 0, 1, 1},
	} {
		var r Receipt
		r.countChange(doc(tt.before), []byte(tt.after))
		if r.Added != tt.added || r.Removed != tt.removed || r.At != tt.at {
			t.Errorf("%q to %q: +%d -%d at %d, want +%d -%d at %d", tt.before, tt.after, r.Added, r.Removed, r.At, tt.added, tt.removed, tt.at)
		}
	}
}

func TestAtVersion(t *testing.T) {
	d := doc("a\n")
	for want, code := range map[string]toolerr.Code{
		"": "", string(d.Version): "", d.Version.Short(): "", strings.ToUpper(d.Version.Short()): "", " " + d.Version.Short() + "\n": "",
		"none": toolerr.Exists, "0123456789ab": toolerr.Changed, "87": toolerr.BadInput, "latest": toolerr.BadInput,
	} {
		if err := atVersion(d, want); codeOf(err) != code {
			t.Errorf("%q: %v, want %q", want, err, code)
		}
	}
	for want, code := range map[string]toolerr.Code{"": "", "none": "", "NONE": "", "0123456789ab": toolerr.Changed} {
		if err := atVersion(vault.Doc{Path: "f.md"}, want); codeOf(err) != code {
			t.Errorf("absent, %q: %v, want %q", want, err, code)
		}
	}
}

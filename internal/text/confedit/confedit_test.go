package confedit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/test/require"
)

var must = require.NoError

func TestMalformed(t *testing.T) {
	for _, text := range []string{`{`, `{"a" 1}`, `{"a": 1,}`, `{"a": 1} x`, `[1]`, `{"a": 'x'}`, `{a: 1}`, `{"a": tru}`, "{\n// c\n}",
		`{"a": "x}`, `{"a": 1, "a": 2}`, strings.Repeat("[", 5000)} {
		if _, err := ReadJSON(text, Strict); err == nil {
			t.Errorf("accepted %.40q", text)
		}
	}
	for _, text := range []string{"[a", "a = ", "a", "= 1", "a = \"x", "a = [1", "[a]]x", "[[a]", "a = 1]"} {
		if _, err := ReadTOML(text); err == nil {
			t.Errorf("accepted %q", text)
		}
	}
	for _, text := range []string{"a: [1", "- a\n", "a: b: c", "\tb: 1\n", "{"} {
		if _, err := ReadYAML(text); err == nil {
			t.Errorf("accepted %q", text)
		}
	}
}

func TestInsertAndRemoveYAML(t *testing.T) {
	entry := func(p Indent) string {
		return fmt.Sprintf("%*snew:%s%*sa: 1%s", p.Indent, "", p.Newline, p.Indent+p.Step, "", p.Newline)
	}
	for name, c := range map[string]struct{ before, want string }{
		"nothing":    {"", "s:\n  new:\n    a: 1\n"},
		"no section": {"v: 1 # mine", "v: 1 # mine\ns:\n  new:\n    a: 1\n"},
		"null":       {"s:\nv: 1\n", "s:\n  new:\n    a: 1\nv: 1\n"},
		"braces":     {"s: { } # soon\r\nv: 1\r\n", "s: # soon\r\n  new:\r\n    a: 1\r\nv: 1\r\n"},
		"four blanks": {"s:\n    old:\n        a: 2\n    # of s\n\n# of v\nv: 1\n",
			"s:\n    old:\n        a: 2\n    # of s\n    new:\n        a: 1\n\n# of v\nv: 1\n"},
		"quoted key":   {"'s':\n  old: {a: 2}\n", "'s':\n  old: {a: 2}\n  new:\n    a: 1\n"},
		"text like it": {"v: |\n  s:\ns:\n  old: 1\n", "v: |\n  s:\ns:\n  old: 1\n  new:\n    a: 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := InsertYAML(c.before, []string{"s"}, entry)
			must(t, err)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Fatal(diff)
			}
			back, err := RemoveYAML(got, []string{"s", "new"}, nil,
				func([]string) bool { return strings.Contains(c.before, "s:") || strings.Contains(c.before, "'s'") })
			must(t, err)
			if want := strings.Replace(c.before, " { }", "", 1); back != want && strings.TrimSpace(back) != strings.TrimSpace(want) {
				t.Errorf("taken out: %q, want %q", back, want)
			}
		})
	}
	for _, text := range []string{"s: {old: 1}\n", "s: 1\n", "s: [1]\n"} {
		if got, err := InsertYAML(text, []string{"s"}, entry); err == nil {
			t.Errorf("accepted %q: %q", text, got)
		}
	}
}

func TestDecodeJSON5(t *testing.T) {
	n, err := ParseJSON("{ a: +0x10, b: 'it\\'s', /*/ a: 1, /*/ c: [1.5, .5, -Infinity,], }", JSON5)
	must(t, err)
	var got struct {
		A int
		B string
		C []any
	}
	if err := n.Decode(&got); err != nil || got.A != 16 || got.B != "it's" || got.C[1] != 0.5 {
		t.Errorf("%v: %+v", err, got)
	}
}

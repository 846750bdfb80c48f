package note

import "testing"

func TestFrontMatter(t *testing.T) {
	text := "---\r\nname: Ada # comment\nquoted: \"a # b\"\nsingle: 'x'\nempty:\nonly: # comment\nlist: [a, b]\nnested:\n  name: inner\n" +
		"- x\n# note\nurl: http://x\nlast: 1\n...\nname: outside\n"
	f, ok := FrontMatter([]byte(text))
	if !ok {
		t.Fatal("not found")
	}
	if got := text[f.End:]; got != "name: outside\n" {
		t.Errorf("rest: got %q", got)
	}
}

func TestNoFrontMatter(t *testing.T) {
	for _, text := range []string{
		"", "---", "---\n", "---\n---\n", "---\na: 1\n", "a: 1\n---\n", " ---\na: 1\n---\n", "---\nwords\n---\n", "---\n\n# T\n---\n",
		"---\n- a\n---\n", "---\nhttp://x\n---\n", "----\na: 1\n---\n",
	} {
		if f, ok := FrontMatter([]byte(text)); ok {
			t.Errorf("%q: got %+v", text, f)
		}
	}
}

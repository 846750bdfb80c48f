package cli

import "testing"

func TestWrap(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"it fits", "one two", "one two"},
		{"it breaks between words", "one two three four", "one two\n  three\n  four"},
		{"a long word stays whole", "at /a/very/long/path here", "at\n  /a/very/long/path\n  here"},
		{"characters count, not bytes", "äöü äöü ä", "äöü äöü ä"},
		{"blanks at the start stay", "  ab cd ef", "  ab cd ef"},
		{"lines that are there stay", "ab\ncd efg hijk", "ab\ncd efg\n  hijk"},
	} {
		if got := wrap(tt.text, "  ", 10, 0); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got, want := wrap("one two", "       ", 10, 7), "one\n       two"; got != want {
		t.Errorf("in a column: got %q, want %q", got, want)
	}
}

package note

import "testing"

func TestLines(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "a\n": 1, "a\nb": 2, "a\nb\n": 2, "\n": 1, "\n\n": 2, "a\r\nb\r\n": 2, "a\rb": 1, "a\u2028b\u0085c\n": 1, "記憶\n🧠": 2,
	} {
		if got := Lines([]byte(text)); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestLineAt(t *testing.T) {
	text := []byte("a\nb\r\n\nc")
	for off, want := range map[int]int{-1: 1, 0: 1, 1: 1, 2: 2, 4: 2, 5: 3, 6: 4, 7: 4, 99: 4} {
		if got := LineAt(text, off); got != want {
			t.Errorf("%d: got %d, want %d", off, got, want)
		}
	}
}

func TestNewline(t *testing.T) {
	for text, want := range map[string]string{"": "\n", "a": "\n", "a\nb\r\n": "\n", "a\r\nb\n": "\r\n", "\n": "\n",
		"\r\n": "\r\n", "a\r": "\n"} {
		if got := Newline([]byte(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestCounts(t *testing.T) {
	tests := []struct {
		text         string
		runes, utf16 int
	}{
		{"", 0, 0}, {"abc", 3, 3}, {"記憶", 2, 2}, {"🧠", 1, 2}, {"a🧠é", 3, 4}, {"👩‍🚀", 3, 5}, {"\xff\xf0\x9f", 3, 3}, {utf8BOM + "a", 2, 2},
	}
	for _, tt := range tests {
		if got := Runes([]byte(tt.text)); got != tt.runes {
			t.Errorf("Runes(%q): got %d, want %d", tt.text, got, tt.runes)
		}
		if got := UTF16([]byte(tt.text)); got != tt.utf16 {
			t.Errorf("UTF16(%q): got %d, want %d", tt.text, got, tt.utf16)
		}
	}
}

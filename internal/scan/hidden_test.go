package scan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHidden(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
		stripped   string
	}{
		{"plain", "café naïve 漢字", nil, "café naïve 漢字"},
		{"family emoji", "👨\u200d👩\u200d👧\u200d👦 👩🏽\u200d💻 🏳️\u200d🌈", nil, "👨\u200d👩\u200d👧\u200d👦 👩🏽\u200d💻 🏳️\u200d🌈"},
		{"flag of Scotland", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", nil, "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"},
		{"keycap and text style", "1️⃣ ☂︎", nil, "1️⃣ ☂︎"},
		{"Persian non-joiner", "می\u200cخواهم", nil, "می\u200cخواهم"},
		{"Hindi joiner", "क्\u200dष", nil, "क्\u200dष"},
		{"Hebrew mark", "16.10\u200f שלום", nil, "16.10\u200f שלום"},
		{"Thai break", "ทุก\u200bคืน", nil, "ทุก\u200bคืน"},
		{"ideograph variant", "葛\U000e0100城", nil, "葛\U000e0100城"},
		{"mark at the start", "\ufeffnotes", nil, "\ufeffnotes"},
		{"CRLF and tab", "a\r\nb\tc\r\n", nil, "a\r\nb\tc\r\n"},
		{"Russian ending", "PDFка и git-ветка", nil, "PDFка и git-ветка"},
		{"physics", "ωmax, Δx, µs, kΩ", nil, "ωmax, Δx, µs, kΩ"},

		{"override", "a\u202eb\u202cc", []string{"hidden.bidi", "hidden.bidi"}, "abc"},
		{"isolate", "\u2066a\u2069", []string{"hidden.bidi", "hidden.bidi"}, "a"},
		{"tags", "a\U000e0041\U000e0042", []string{"hidden.tags"}, "a"},
		{"flag with too much text", "🏴\U000e0041\U000e0042\U000e0043", []string{"hidden.tags"}, "🏴"},
		{"zero width in Latin", "a\u200bb\u200cc\u200dd", []string{"hidden.zero-width", "hidden.zero-width", "hidden.zero-width"}, "abcd"},
		{"non-joiners in a row", "می\u200c\u200cخواهم", []string{"hidden.zero-width"}, "میخواهم"},
		{"selectors in a row", "😀\ufe0f\ufe0f", []string{"hidden.variation"}, "😀"},
		{"selector on a letter", "a\ufe0f", []string{"hidden.variation"}, "a"},
		{"mark inside", "a\ufeffb", []string{"hidden.bom"}, "ab"},
		{"colour", "\x1b[1;31mred\x1b[0m", []string{"hidden.ansi", "hidden.ansi"}, "red"},
		{"title", "\x1b]0;x\x07y", []string{"hidden.ansi"}, "y"},
		{"unfinished escape", "\x1b[12", []string{"hidden.ansi"}, "12"},
		{"backspace", "ab\x08\x08", []string{"hidden.control"}, "ab"},
		{"return inside", "ab\rcd", []string{"hidden.control"}, "ab cd"},
		{"other line ends", "a\u2028b\u0085c", []string{"hidden.line-separator", "hidden.line-separator"}, "a b c"},
		{"bad bytes", "a\xff\xfeb", []string{"hidden.invalid-utf8"}, "ab"},
		{"Cyrillic inside", "pаypal", []string{"hidden.homoglyph"}, "pаypal"},
		{"Cyrillic head", "МEMORY.md", []string{"hidden.homoglyph"}, "МEMORY.md"},
		{"Greek inside", "Gοοgle", []string{"hidden.homoglyph"}, "Gοοgle"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, rulesIn(tt.text)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.text, diff)
			}
			if got := string(StripHidden([]byte(tt.text))); got != tt.stripped {
				t.Errorf("stripped: got %q, want %q", got, tt.stripped)
			}
		})
	}
}

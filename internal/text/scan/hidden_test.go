package scan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHidden(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"plain", "café naïve 漢字", nil},
		{"family emoji", "👨\u200d👩\u200d👧\u200d👦 👩🏽\u200d💻 🏳️\u200d🌈", nil},
		{"flag of Scotland", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", nil},
		{"keycap and text style", "1️⃣ ☂︎", nil},
		{"Persian non-joiner", "می\u200cخواهم", nil},
		{"Hindi joiner", "क्\u200dष", nil},
		{"Hebrew mark", "16.10\u200f שלום", nil},
		{"Thai break", "ทุก\u200bคืน", nil},
		{"ideograph variant", "葛\U000e0100城", nil},
		{"mark at the start", "\ufeffnotes", nil},
		{"CRLF and tab", "a\r\nb\tc\r\n", nil},
		{"Russian ending", "PDFка и git-ветка", nil},
		{"physics", "ωmax, Δx, µs, kΩ", nil},

		{"override", "a\u202eb\u202cc", []string{"hidden.bidi", "hidden.bidi"}},
		{"isolate", "\u2066a\u2069", []string{"hidden.bidi", "hidden.bidi"}},
		{"tags", "a\U000e0041\U000e0042", []string{"hidden.tags"}},
		{"flag with too much text", "🏴\U000e0041\U000e0042\U000e0043", []string{"hidden.tags"}},
		{"zero width in Latin", "a\u200bb\u200cc\u200dd", []string{"hidden.zero-width", "hidden.zero-width", "hidden.zero-width"}},
		{"non-joiners in a row", "می\u200c\u200cخواهم", []string{"hidden.zero-width"}},
		{"selectors in a row", "😀\ufe0f\ufe0f", []string{"hidden.variation"}},
		{"selector on a letter", "a\ufe0f", []string{"hidden.variation"}},
		{"mark inside", "a\ufeffb", []string{"hidden.bom"}},
		{"colour", "\x1b[1;31mred\x1b[0m", []string{"hidden.ansi", "hidden.ansi"}},
		{"title", "\x1b]0;x\x07y", []string{"hidden.ansi"}},
		{"unfinished escape", "\x1b[12", []string{"hidden.ansi"}},
		{"backspace", "ab\x08\x08", []string{"hidden.control"}},
		{"return inside", "ab\rcd", []string{"hidden.control"}},
		{"other line ends", "a\u2028b\u0085c", []string{"hidden.line-separator", "hidden.line-separator"}},
		{"bad bytes", "a\xff\xfeb", []string{"hidden.invalid-utf8"}},
		{"Cyrillic inside", "pаypal", []string{"hidden.homoglyph"}},
		{"Cyrillic head", "МEMORY.md", []string{"hidden.homoglyph"}},
		{"Greek inside", "Gοοgle", []string{"hidden.homoglyph"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, rulesIn(tt.text)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

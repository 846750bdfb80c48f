package scan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHidden(t *testing.T) {
	bits := func(zero, one string) string {
		return strings.NewReplacer("0", zero, "1", one).Replace("0110100001101001") // "hi"
	}
	tests := []struct {
		name, text string
		want       []string
	}{
		{"plain", "café naïve 漢字", nil},
		{"family emoji", "👨\u200d👩\u200d👧\u200d👦 👩🏽\u200d💻 🏳️\u200d🌈", nil},
		{"flag of Scotland", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", nil},
		{"keycap and text style", "1️⃣ ☂︎", nil},
		{"two selectors left by an editor", "👍\ufe0f\ufe0f", nil},
		{"Persian non-joiner", "می\u200cخواهم", nil},
		{"Hindi joiner", "क्\u200dष", nil},
		{"Hebrew mark", "16.10\u200f שלום", nil},
		{"Thai break", "ทุก\u200bคืน", nil},
		{"ideograph variant", "葛\U000e0100城", nil},
		{"byte order marks", "\ufeffnotes\n\ufeffmore", nil},
		{"hyphens, joiners and blanks of web pages", "soft\u00adhyphen word\u2060joiner no\u00a0break \u200bsaid \u200cmore", nil},
		{"padding of a mail", strings.Repeat("\u200c\u200b\u200d\u200e\u200f\ufeff", 20), nil},
		{"name in isolates", "chat \u200e\u2068Releases\u2069, 2 new", nil},
		{"telephone number", "\u202d+49 30 123456\u202c", nil},
		{"Hebrew name", "with \u2067דוד\u2069 at ten", nil},
		{"Russian ending", "PDFка и git-ветка", nil},
		{"look-alike letter", "rеport", nil},
		{"CRLF, tab, form feed, bell", "a\r\nb\tc\fd\x07", nil},
		{"other line ends", "a\u2028b\u0085c", nil},
		{"colours of a terminal", "\x1b[1;31mred\x1b[0m", nil},
		{"lost apostrophe", "it\x1b\\s", nil},

		{"override", "file gpj.\u202egnp.exe", []string{"hidden.bidi"}},
		{"isolate against all letters", "access\u2067 user\u2069 admin", []string{"hidden.bidi"}},
		{"override of Hebrew", "\u202dשלום", []string{"hidden.bidi"}},
		{"tags", "a\U000e0041\U000e0042", []string{"hidden.tags"}},
		{"flag with too much text", "🏴\U000e0041\U000e0042\U000e0043", []string{"hidden.tags"}},
		{"bits in zero widths", "lunch" + bits("\u200b", "\u200c") + " at ten", []string{"hidden.zero-width"}},
		{"bits between words", bits("\u2062", "\u200d"), []string{"hidden.zero-width"}},
		{"bytes in selectors", "😀\U000e0162\U000e0165\U000e0160", []string{"hidden.variation"}},
		{"line erased", "rm -rf /\x1b[2Kls", []string{"hidden.ansi"}},
		{"text concealed", "\x1b[8mpsst\x1b[0m", []string{"hidden.ansi"}},
		{"title", "\x1b]0;x\x07y", []string{"hidden.ansi"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, codes(tt.text, Options{})); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestUnreadableTextIsOneHit(t *testing.T) {
	utf16 := "\xff\xfe" + strings.Repeat("n\x00o\x00t\x00e\x00\n\x00\x0d\x20\x2e\x20", 2000)
	tests := []struct {
		name, text, why string
		line            int
	}{
		{"UTF-16", utf16, "it is UTF-16", 1},
		{"binary", "# Report\n" + strings.Repeat("\x01\x00\u202e\x1b[2K\n", 3000), "it contains binary data", 2},
		{"another encoding", "Gr\xfc\xdfe aus K\xf6ln\n", "some bytes are not UTF-8", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Unreadable([]byte(tt.text)); got != tt.why {
				t.Errorf("got %q, want %q", got, tt.why)
			}
			hits := Text([]byte(tt.text), Options{})
			if len(hits) != 1 {
				t.Fatalf("got %d hits, want one", len(hits))
			}
			if h := hits[0]; h.Rule != "hidden.unreadable" || h.Line != tt.line || !strings.Contains(h.What, tt.why) {
				t.Errorf("got %v", h)
			}
		})
	}
	stray := "Invoice 12\x0034 of the printer, copied from the letter that came with it.\n" + strings.Repeat("paid\n", 20)
	for _, fine := range []string{"fine – 漢字\n", stray} {
		if got := Unreadable([]byte(fine)); got != "" {
			t.Errorf("readable text: %q: %q", fine, got)
		}
		if hits := codes(fine, Options{}); len(hits) > 0 {
			t.Errorf("readable text: %q: %v", fine, hits)
		}
	}
}

func TestUnreadableTextStillShowsSecrets(t *testing.T) {
	want := []string{"hidden.unreadable", "secret.github-pat"}
	if diff := cmp.Diff(want, codes("\x00 "+patToken, Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

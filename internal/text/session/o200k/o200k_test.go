package o200k

import (
	"bytes"
	"compress/flate"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/tiktoken-go/tokenizer/codec"

	"tend/internal/text/session"
	"tend/test/require"
)

var must = require.NoError

var update = flag.Bool("update", false, "write the vocabulary anew")

// reference is another implementation.
var reference = codec.NewO200kBase()

func TestVocabulary(t *testing.T) {
	var raw bytes.Buffer
	n := 0
	for {
		token, err := reference.Decode([]uint{uint(n)})
		if err != nil {
			break
		}
		raw.WriteByte(byte(len(token)))
		raw.WriteString(token)
		n++
	}
	if *update {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.BestCompression)
		must(t, err)
		if _, err = w.Write(raw.Bytes()); err == nil {
			err = w.Close()
		}
		if err == nil {
			err = os.WriteFile("vocabulary.deflate", b.Bytes(), 0o644)
		}
		must(t, err)
		packed = b.String()
	}
	if got := vocabulary(); len(got) != n || n < 199_000 {
		t.Fatalf("got %d tokens, want %d", len(got), n)
	}
	for token, rank := range vocabulary() {
		if want, err := reference.Decode([]uint{uint(rank)}); err != nil || token != want {
			t.Fatalf("token %d is %q, want %q, %v", rank, token, want, err)
		}
	}
}

// pattern is how o200k_base splits, as published. The last alternative never matches: it
// keeps the library from using its generated matcher for this pattern, which splits
// "\n \n" and drops DEL.
var pattern = regexp2.MustCompile(`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`+
	`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`+
	`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+|(?!)`, regexp2.None)

// same compares pieces and counts of a text, which must be valid UTF-8.
func same(t *testing.T, count session.Counter, s string) {
	t.Helper()
	m, err := pattern.FindStringMatch(s)
	total, rest := 0, s
	for ; err == nil && m != nil; m, err = pattern.FindNextMatch(m) {
		want := m.String()
		if got := rest[:piece(rest)]; got != want {
			t.Fatalf("got the piece %q, want %q, in %.300q", got, want, s)
		}
		rest = rest[len(want):]
		n := tokens(want, vocabulary())
		total += n
		if strings.TrimSpace(want) == "" || strings.Contains(want, "\x7f") {
			continue
		}
		if ref, err := reference.Count(want); err != nil || n != ref {
			t.Fatalf("got %d tokens, want %d, %v: %.300q", n, ref, err, want)
		}
	}
	if got := count(s); err != nil || rest != "" || got != total {
		t.Fatalf("got %d tokens, want %d, %v, left is %.100q", got, total, err, rest)
	}
}

// TestSameOnFiles counts real text: source, prose and data of this repository.
func TestSameOnFiles(t *testing.T) {
	count, size := Counter(), 0
	err := fs.WalkDir(os.DirFS("../../../.."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "." {
			return fs.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		data, err := os.ReadFile("../../../../" + path)
		if err != nil || !utf8.Valid(data) || len(data) > 100_000 || size > 1_000_000 {
			return nil
		}
		size += len(data)
		same(t, count, string(data))
		return nil
	})
	must(t, err)
	if size < 1_000_000 {
		t.Errorf("only %d bytes were compared", size)
	}
}

// TestSameOnAnything draws texts from everything that splitting depends on: scripts with
// and without case, marks, digits, white space, contractions, emoji, and any rune.
func TestSameOnAnything(t *testing.T) {
	count := Counter()
	parts := []string{
		"a", "b", "word", "W", "WORD", "Word", "'s", "'S", "'re", "'LL", "'x", "'", "'\u017f", "\u0301", "\u0300\u0301", "é", "É", "ß",
		"ǅ", "ʰ", "ª", "日本", "語", "한국",
		"ก", "ि", "ا", "ש", "0", "12", "3456", "٣", "Ⅷ", "½", "²", " ", "  ", "\t", "\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u00a0",
		"\u2003", "\u2028", "\u3000", "\u200b",
		"\ufeff", "!", "?!", "/", "//", "-", "_", "…", "—", "{", "}", "`", "#", "€", "🙂", "👩‍👩‍👧", "🇩🇪", "\x00", "\x7f", "\ufffd", "\n \n",
		"\n\t\n", "https://", "<|endoftext|>", "\U000e0041",
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		var b strings.Builder
		for range 1 + rnd.IntN(12) {
			if rnd.IntN(8) == 0 {
				b.WriteString(string(rune(rnd.IntN(utf8.MaxRune))))
			} else {
				b.WriteString(parts[rnd.IntN(len(parts))])
			}
		}
		same(t, count, b.String())
	}
	for r := rune(0); r < 0xe0200; r += 16 { // every 16th rune, between others
		dense := r >= 0x3400 && r < 0xa000 || r >= 0xac00 && r < 0xf000 || r >= 0x12000
		if dense && r%0x200 != 0 {
			continue
		}
		var b strings.Builder
		for x := r; x < r+16; x++ {
			b.WriteString("a" + string(x) + "B" + string(x) + " " + string(x))
		}
		same(t, count, b.String())
	}
}

// TestLongPieces: text without any boundary must not take quadratic time.
func TestLongPieces(t *testing.T) {
	count := Counter()
	for _, s := range []string{"a", "ab", "-", " ", "\n", "字", "é", "=-", "xyzzy"} {
		same(t, count, strings.Repeat(s, 20_000))
	}
}

// TestEstimate compares the estimate with the exact count: a budget must not be exceeded
// by much, nor half of it wasted.
func TestEstimate(t *testing.T) {
	count := Counter()
	for name, text := range map[string]string{
		"notes": "# 2026-11-15\n\n- 09:12 [decision] backups go to the second disk before the upgrade, not after\n" +
			"- 10:40 rotated the certificates; next in 60 days\n- 11:05 [lesson] the proxy caches DNS for an hour, so wait " +
			"before calling a move done\n",
		"prose": "The agent owns its notes and the operator owns the baseline. Housekeeping happens between them, without ever losing a byte. " +
			"Whoever opens the file in an editor finds plain markdown and nothing else.\n",
		"german": "Der Betreiber entscheidet, welche Regeln gelten; der Agent schreibt seine Notizen darunter. Änderungen an der Grundlage " +
			"werden erkannt und zurückgesetzt.\n",
		"list":    "- a: 1\n- b: 2\n- port: 8080\n- host: db-3.internal\n- path: /srv/data/notes.md\n- url: https://example.org/a/b?c=d&e=f\n",
		"code":    "```go\nfunc main() {\n\tif err := run(os.Args[1:]); err != nil {\n\t\tlog.Fatal(err)\n\t}\n}\n```\n",
		"chinese": "代理拥有自己的笔记，操作者拥有基线。两者之间的整理不会丢失任何一个字节。\n",
		"hashes":  "version 4a1e67f2fe1d9c0b7734 action 1r9cand4zf, sha256 b36c369a33ad\n",
	} {
		text = strings.Repeat(text, 10)
		exact, guess := count(text), session.EstimateTokens(text)
		ratio := float64(guess) / float64(exact)
		t.Logf("%-8s exact %5d, estimate %5d, ratio %.2f", name, exact, guess, ratio)
		if ratio < 0.9 || ratio > 1.45 {
			t.Errorf("%s: estimate %d for %d tokens", name, guess, exact)
		}
	}
}

func TestBudgetInExactTokens(t *testing.T) {
	count := Counter()
	if got := count("hello world"); got != 2 {
		t.Errorf("got %d tokens, want 2", got)
	}
	if got := count("\xff\xfe"); got == 0 {
		t.Error("invalid UTF-8 counts nothing")
	}
}

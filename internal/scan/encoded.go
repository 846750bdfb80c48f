package scan

import (
	"bytes"
	"encoding/base64"
	"slices"
)

// encoded finds orders written in base64: runs that decode to text in which a rule sees an attack.
func (s *ruleset) encoded(b []byte) []found {
	var out []found
	for i := 0; i < len(b); {
		if !base64Chars[b[i]] {
			i++
			continue
		}
		lo := i
		for i < len(b) && base64Chars[b[i]] {
			i++
		}
		if i-lo < shortestEncoded || i-lo > longestEncoded {
			continue
		}
		text := plainText(b[lo:i])
		if slices.ContainsFunc(s.search(text), func(f found) bool { return f.rule.Class == Injection || f.rule.Class == Exfil }) {
			out = append(out, found{s.rules[s.orders], s.orders, lo, i})
		}
	}
	return out
}

const (
	encodedOrders   = "encoded-orders"
	shortestEncoded = 24
	longestEncoded  = 8 << 10
)

var base64Chars = chars("A-Za-z0-9+/=_-")

// plainText decodes a run if it is base64 of printable text with blanks; otherwise it is nil.
func plainText(run []byte) []byte {
	run = bytes.TrimRight(run, "=")
	encoding := base64.RawStdEncoding
	if bytes.ContainsAny(run, "-_") {
		encoding = base64.RawURLEncoding
	}
	text := make([]byte, encoding.DecodedLen(len(run)))
	n, err := encoding.Decode(text, run)
	if err != nil || bytes.IndexByte(text[:n], ' ') < 0 {
		return nil
	}
	for _, c := range text[:n] {
		if c < 0x20 && c != '\n' && c != '\t' && c != '\r' {
			return nil
		}
	}
	return text[:n]
}

package layout

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"sort"
	"strings"
)

// stock holds the digests of the lines of harness templates, sorted, one a line: written by `go run ./tools/stock`.
//
//go:embed stock.txt
var stock string

const stockWidth = 16 // hex digits of a digest

// Stock reports whether a line is that of a harness's template, in any version: neither the operator nor the agent wrote it.
func Stock(line string) bool {
	digest := StockDigest(line)
	if digest == "" {
		return false
	}
	n := len(stock) / (stockWidth + 1)
	at := func(i int) string { return stock[i*(stockWidth+1) : i*(stockWidth+1)+stockWidth] }
	i := sort.Search(n, func(i int) bool { return at(i) >= digest })
	return i < n && at(i) == digest
}

// StockDigest returns the digest of a line without its list marker and with single blanks, "" if it has too few words to be
// known by them.
func StockDigest(line string) string {
	words := strings.Fields(line)
	if len(words) > 0 && isMarker(words[0]) {
		words = words[1:]
	}
	text := strings.Join(words, " ")
	if strings.IndexFunc(text, isLetter) < 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:stockWidth/2])
}

// isMarker reports the marker of a list item or quotation.
func isMarker(word string) bool {
	switch word {
	case "-", "*", "+", "•", ">":
		return true
	}
	digits := strings.TrimRight(word, ".)")
	return len(digits) == len(word)-1 && digits != "" && strings.Trim(digits, "0123456789") == ""
}

func isLetter(r rune) bool { return r >= 0x80 || r|0x20 >= 'a' && r|0x20 <= 'z' }

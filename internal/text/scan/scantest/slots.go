package scantest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	digits  = "0123456789"
	hexits  = digits + "abcdef"
	smalls  = "abcdefghijklmnopqrstuvwxyz"
	capital = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnum   = digits + smalls + capital
	b64     = alnum + "+/"
	b64url  = alnum + "-_"
)

// from returns n letters of an alphabet.
func from(r *rand.Rand, alphabet string, n int) string {
	var out strings.Builder
	for range n {
		out.WriteByte(alphabet[r.IntN(len(alphabet))])
	}
	return out.String()
}

// fill replaces each {slot} by a value of its kind or by one of the given words. Unknown slots stay
// unchanged.
func fill(r *rand.Rand, line string, words map[string][]string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(line, "{")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		value, known := slot(r, name)
		if list := words[name]; list != nil {
			value, known = fill(r, list[r.IntN(len(list))], words), true
		}
		if !closed || !known {
			out.WriteByte('{')
			line = rest
			continue
		}
		out.WriteString(value)
		line = after
	}
}

func slot(r *rand.Rand, name string) (string, bool) {
	hex := func(n int) string { return from(r, hexits, n) }
	switch name {
	case "sha":
		return hex(40), true
	case "sha256", "hex64":
		return hex(64), true
	case "short":
		return hex(7), true
	case "short8":
		return hex(8), true
	case "hex12":
		return hex(12), true
	case "hex16":
		return hex(16), true
	case "hex32":
		return hex(32), true
	case "uuid":
		return hex(8) + "-" + hex(4) + "-4" + hex(3) + "-a" + hex(3) + "-" + hex(12), true
	case "b64sum", "b64pub":
		return from(r, b64, 43), true
	case "b64long":
		return from(r, b64, 86), true
	case "b64img":
		return from(r, b64, 120), true
	case "b62id":
		return from(r, alnum, 22), true
	case "b62long":
		return from(r, b64url, 44), true
	case "agepub":
		return from(r, smalls+digits, 58), true
	case "date":
		return fmt.Sprintf("2026-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28)), true
	case "time":
		return fmt.Sprintf("%02d:%02d", r.IntN(24), r.IntN(60)), true
	case "n", "n2":
		return fmt.Sprint(2 + r.IntN(900)), true
	case "pct":
		return fmt.Sprint(1 + r.IntN(99)), true
	case "port":
		return fmt.Sprint(1024 + r.IntN(50000)), true
	case "ip":
		return fmt.Sprintf("10.%d.%d.%d", r.IntN(256), r.IntN(256), 1+r.IntN(254)), true
	case "ver":
		return fmt.Sprintf("%d.%d.%d", r.IntN(9), r.IntN(30), r.IntN(20)), true
	}
	return "", false
}

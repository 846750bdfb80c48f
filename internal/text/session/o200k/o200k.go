// Package o200k counts tokens exactly like OpenAI's o200k_base. The vocabulary is
// embedded in the program and decoded when a counter is first used.
package o200k

import (
	"compress/flate"
	_ "embed"
	"io"
	"strings"
	"sync"

	"tend/internal/text/session"
)

// packed has the tokens in the order of their ranks, each after a byte with its
// length, deflated. Written by: go test ./internal/text/session/o200k -run Vocabulary -update
//
//go:embed vocabulary.deflate
var packed string

// vocabulary maps every token to its rank.
var vocabulary = sync.OnceValue(func() map[string]int {
	raw, _ := io.ReadAll(flate.NewReader(strings.NewReader(packed))) // a test checks all of it
	text, ranks := string(raw), make(map[string]int, 200_000)
	for len(text) > 0 {
		end := 1 + int(text[0])
		ranks[text[1:end]] = len(ranks)
		text = text[end:]
	}
	return ranks
})

// Counter counts tokens of o200k_base. Invalid UTF-8 counts too.
func Counter() session.Counter {
	ranks := vocabulary()
	return func(s string) int {
		n := 0
		for len(s) > 0 {
			end := piece(s)
			n += tokens(s[:end], ranks)
			s = s[end:]
		}
		return n
	}
}

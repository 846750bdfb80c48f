// Package o200k counts tokens exactly as OpenAI's o200k_base does. The
// vocabulary is part of the program and is read when a counter is first used.
package o200k

import (
	"compress/flate"
	_ "embed"
	"io"
	"strings"
	"sync"

	"tend/internal/session"
)

// packed are the tokens in the order of their ranks, each after a byte with its
// length, deflated. Written by: go test ./internal/session/o200k -run Vocabulary -update
//
//go:embed vocabulary.deflate
var packed string

// vocabulary is the rank of every token.
var vocabulary = sync.OnceValue(func() map[string]int {
	raw, _ := io.ReadAll(flate.NewReader(strings.NewReader(packed))) // a test reads all of it
	text, ranks := string(raw), make(map[string]int, 200_000)
	for len(text) > 0 {
		end := 1 + int(text[0])
		ranks[text[1:end]] = len(ranks)
		text = text[end:]
	}
	return ranks
})

// Counter counts tokens of o200k_base. Bytes that are no UTF-8 count too.
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

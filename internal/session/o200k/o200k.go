// Package o200k counts tokens exactly as OpenAI's o200k_base does. The
// vocabulary is part of the program and is read when a counter is first used.
package o200k

import (
	"github.com/tiktoken-go/tokenizer/codec"

	"tend/internal/session"
)

// Counter counts tokens of o200k_base.
func Counter() session.Counter {
	c := codec.NewO200kBase()
	return func(s string) int {
		n, err := c.Count(s)
		if err != nil {
			return session.EstimateTokens(s) // only text that is no UTF-8 fails
		}
		return n
	}
}

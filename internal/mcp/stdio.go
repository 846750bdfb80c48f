package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client on a pair of streams until its side is closed.
// What the client asked for before is answered first: a request at the end of a
// script is a request all the same.
func ServeStdio(ctx context.Context, s *sdk.Server, in io.Reader, out io.Writer) error {
	var busy atomic.Int64
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method != "subscriptions/listen" { // which has no end of its own
				busy.Add(1)
				defer busy.Add(-1)
			}
			return next(ctx, method, req)
		}
	})
	w := &oneAtATime{w: out}
	err := s.Run(ctx, &sturdyTransport{lines: newLines(&patient{in, &busy}, w.refuse), out: w})
	if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil // the client has gone
	}
	return fmt.Errorf("serve: %w", err)
}

// patient is a stream whose end is told only when nothing is being answered.
type patient struct {
	io.Reader
	busy *atomic.Int64
}

const (
	quietFor = 20 * time.Millisecond // an answer takes less to be written
	quietMax = 30 * time.Second
)

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if n > 0 || err == nil {
		return n, err
	}
	began := time.Now()
	for still := 0; still < 2 && time.Since(began) < quietMax; still++ {
		time.Sleep(quietFor)
		if p.busy.Load() > 0 {
			still = -1
		}
	}
	return n, err
}

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

// ServeStdio serves one client on a pair of streams until the client closes its
// side. Pending requests are answered first, also those at the end of a script, unless nobody reads the answers any more.
// After the second answer, the one to the first request after the handshake, it
// calls onReady on a separate goroutine, for work that should not delay a session's
// start.
func ServeStdio(ctx context.Context, s *sdk.Server, in io.Reader, out io.Writer, onReady func()) error {
	var busy atomic.Int64
	here, leave := context.WithCancel(ctx)
	defer leave()
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(here, cancel)()
			if method != "subscriptions/listen" { // which has no end of its own
				busy.Add(1)
				defer busy.Add(-1)
			}
			return next(ctx, method, req)
		}
	})
	w := &oneAtATime{w: out}
	err := s.Run(ctx, &sturdyTransport{lines: newLines(in, w.refuse), out: w, busy: &busy, leave: leave, onReady: onReady})
	if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil // the client is gone
	}
	return fmt.Errorf("serve: %w", err)
}

// unanswered counts a client's pending calls.
type unanswered struct{ calls atomic.Int64 }

func (u *unanswered) answered() {
	if u.calls.Add(-1) < 0 {
		u.calls.Add(1) // nobody waits for it
	}
}

const (
	// A call that was cancelled, or reuses an id, may never be answered: if nothing is in progress for
	// quietFor, no more answers will come.
	quietFor = time.Second
	quietMax = 30 * time.Second
	lookAt   = 5 * time.Millisecond
	// goneAt is how often the stream of a client that sends no more is checked for a reader.
	goneAt = 100 * time.Millisecond
)

// wait returns when every call has been answered. It calls leave if nobody reads the answers.
func (u *unanswered) wait(ctx context.Context, busy *atomic.Int64, out io.Writer, leave func()) {
	look, gone := time.NewTicker(lookAt), time.NewTicker(goneAt)
	defer look.Stop()
	defer gone.Stop()
	began := time.Now()
	for idle := began; u.calls.Load() > 0 && time.Since(idle) < quietFor && time.Since(began) < quietMax; {
		select {
		case <-ctx.Done():
			return
		case <-gone.C:
			if isUnread(out) {
				leave()
				return
			}
		case <-look.C:
			if busy.Load() > 0 {
				idle = time.Now()
			}
		}
	}
}

package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client on a pair of streams until the client closes its
// side. Pending requests are answered first, also those at the end of a script.
// After the second answer, the one to the first request after the handshake, it
// calls onReady on a separate goroutine, for work that should not delay a session's
// start.
func ServeStdio(ctx context.Context, s *sdk.Server, in io.Reader, out io.Writer, onReady func()) error {
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
	err := s.Run(ctx, &sturdyTransport{lines: newLines(in, w.refuse), out: w, open: newUnanswered(), busy: &busy, onReady: onReady})
	if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil // the client is gone
	}
	return fmt.Errorf("serve: %w", err)
}

// unanswered counts a client's pending calls.
type unanswered struct {
	mu    sync.Mutex
	calls int
	none  chan struct{} // closed while there are none
}

func newUnanswered() *unanswered {
	u := &unanswered{none: make(chan struct{})}
	close(u.none)
	return u
}

func (u *unanswered) add(n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	before := u.calls
	u.calls = max(0, u.calls+n)
	switch {
	case before == 0 && u.calls > 0:
		u.none = make(chan struct{})
	case before > 0 && u.calls == 0:
		close(u.none)
	}
}

const (
	// A call that was cancelled, or reuses an id, may never be answered: if nothing is in progress for
	// quietFor, no more answers will come.
	quietFor = time.Second
	quietMax = 30 * time.Second
)

// wait returns when every call has been answered.
func (u *unanswered) wait(ctx context.Context, busy *atomic.Int64) {
	u.mu.Lock()
	none := u.none
	u.mu.Unlock()
	began, idle := time.Now(), time.Now()
	for time.Since(idle) < quietFor && time.Since(began) < quietMax {
		select {
		case <-none:
			return
		case <-ctx.Done():
			return
		case <-time.After(quietFor / 10):
			if busy.Load() > 0 {
				idle = time.Now()
			}
		}
	}
}

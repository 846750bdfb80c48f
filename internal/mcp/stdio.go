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

// ServeStdio serves one client on a pair of streams until its side is closed.
// What the client asked for before is answered first: a request at the end of a
// script is a request all the same. After the second answer, which is the one to the first request that follows the
// handshake, settled is called on a goroutine of its own: for what a session that starts should not wait for.
func ServeStdio(ctx context.Context, s *sdk.Server, in io.Reader, out io.Writer, settled func()) error {
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
	err := s.Run(ctx, &sturdyTransport{lines: newLines(in, w.refuse), out: w, open: newUnanswered(), busy: &busy, settled: settled})
	if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil // the client has gone
	}
	return fmt.Errorf("serve: %w", err)
}

// unanswered counts the calls of a client that have no answer yet.
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
	// A call that was cancelled, or has the id of another one, may never be answered: when nothing is being worked on for
	// quietFor, nothing more will come.
	quietFor = time.Second
	quietMax = 30 * time.Second
)

// wait returns when every call has its answer.
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

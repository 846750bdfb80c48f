package web

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// live tells open pages which agents changed. A page that hears of one fetches itself again.
type live struct {
	mu     sync.Mutex
	open   map[chan struct{}]map[string]bool // what each connection has not been told yet
	closed bool
}

// mostLive bounds the connections that are open at once.
const mostLive = 1000

func newLive() *live { return &live{open: map[chan struct{}]map[string]bool{}} }

// changed notes a change for every open page. It never waits for one.
func (l *live) changed(agent string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for wake, names := range l.open {
		names[agent] = true
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

func (l *live) join() (chan struct{}, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.open) >= mostLive {
		return nil, false
	}
	wake := make(chan struct{}, 1)
	l.open[wake] = map[string]bool{}
	return wake, true
}

func (l *live) leave(wake chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, wake)
}

// take is what a connection is to be told now; ok is false when the dashboard closes.
func (l *live) take(wake chan struct{}) (names map[string]bool, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	names = l.open[wake]
	if !l.closed {
		l.open[wake] = map[string]bool{}
	}
	return names, !l.closed
}

// close ends all connections.
func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for wake := range l.open {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// keepOpen is how often a silent connection is written to, so that nothing in between closes it.
const keepOpen = 45 * time.Second

// events streams the names of agents that changed, as server-sent events.
func (s *Site) events(v *visit) error {
	wake, ok := s.live.join()
	if !ok {
		return &failure{status: http.StatusServiceUnavailable, text: "Too many pages are open."}
	}
	defer s.live.leave(wake)
	v.w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(v.w)
	beat := time.NewTicker(keepOpen)
	defer beat.Stop()
	if _, err := fmt.Fprint(v.w, "retry: 3000\n\n"); err != nil {
		return nil
	}
	for {
		if out.Flush() != nil {
			return nil
		}
		select {
		case <-v.r.Context().Done():
			return nil
		case <-beat.C:
			if s.session(v.r) == nil {
				return nil
			}
			if _, err := fmt.Fprint(v.w, ": still here\n\n"); err != nil {
				return nil
			}
		case <-wake:
			names, ok := s.live.take(wake)
			if !ok {
				return nil
			}
			for name := range names {
				if _, err := fmt.Fprintf(v.w, "event: agent\ndata: %s\n\n", url.PathEscape(name)); err != nil {
					return nil
				}
			}
		}
	}
}

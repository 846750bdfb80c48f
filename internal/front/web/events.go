package web

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// live notifies open pages of changes. All connections read one chain of frames: a change costs the same however many
// pages are open, and a quiet fleet costs nothing.
type live struct {
	mu      sync.Mutex
	last    *frame // the current one
	pending *time.Timer
	sent    time.Time // when the previous frame was sent
	open    int
	of      map[*session]int // by the browser that has them
	closed  bool
}

// frame is what changed within a short time. Its fields are set before ready is closed.
type frame struct {
	ready chan struct{}
	names map[string]bool
	next  *frame // nil when the dashboard closes
}

func newFrame() *frame { return &frame{ready: make(chan struct{}), names: map[string]bool{}} }

// mostLive bounds the number of open connections.
const mostLive = 1000

// mostOfOne bounds the connections of one browser.
const mostOfOne = 40

// A change is sent after a short delay, so that related changes go out together, and at most once a second.
const gather, framesApart = 50 * time.Millisecond, time.Second

func newLive() *live { return &live{last: newFrame(), of: map[*session]int{}} }

// changed records a change for every open page. It never blocks.
func (l *live) changed(agent string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.open == 0 {
		return
	}
	l.last.names[agent] = true
	if l.pending == nil {
		l.pending = time.AfterFunc(max(gather, framesApart-time.Since(l.sent)), l.send)
	}
}

// send hands the frame to all connections and starts a new one.
func (l *live) send() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	full := l.last
	l.last, l.pending, l.sent = newFrame(), nil, time.Now()
	full.next = l.last
	close(full.ready)
}

func (l *live) join(who *session) (*frame, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.open >= mostLive || l.of[who] >= mostOfOne {
		return nil, false
	}
	l.open++
	l.of[who]++
	return l.last, true
}

func (l *live) leave(who *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.of[who]--; l.of[who] == 0 {
		delete(l.of, who)
	}
}

// close ends all connections.
func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		close(l.last.ready)
	}
}

// keepOpen is how often an idle connection is written to, so that proxies do not close it; stuckAfter is how long a
// write may take.
const keepOpen, stuckAfter = 45 * time.Second, 20 * time.Second

// events streams changes as server-sent events: those of one agent if the page is about one, or the number of changed
// agents.
func (s *Site) events(v *visit) error {
	about := v.r.URL.Query().Get("agent")
	at, ok := s.live.join(v.session)
	if !ok {
		return &failure{status: http.StatusServiceUnavailable, text: "Too many pages are open."}
	}
	defer s.live.leave(v.session)
	v.w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(v.w)
	say := func(text string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(stuckAfter)) // a reader that hangs must not hold on to its frames
		_, err := fmt.Fprint(v.w, text)
		return err == nil && out.Flush() == nil
	}
	if !say("retry: 3000\n\n") {
		return nil
	}
	beat := time.NewTicker(keepOpen)
	defer beat.Stop()
	for {
		select {
		case <-v.r.Context().Done():
			return nil
		case <-beat.C:
			if !s.stillIn(v.r) || !say(": still here\n\n") {
				return nil
			}
		case <-at.ready:
			names := at.names
			if at = at.next; at == nil {
				return nil
			}
			text := fmt.Sprintf("event: agents\ndata: %d\n\n", len(names))
			if about != "" {
				text = "event: agent\ndata: " + url.PathEscape(about) + "\n\n"
			}
			if (about == "" || names[about]) && !say(text) {
				return nil
			}
		}
	}
}

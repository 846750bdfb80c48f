package keeper

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// dedupeLog bounds how often the log repeats a message, so that a full disk or a rude client does not fill the disk the
// log is on. It writes each message up to mostAMinute times a minute, and then how many more there were. Findings pass:
// each is logged once anyway.
type dedupeLog struct {
	slog.Handler
	said *tally
}

// mostAMinute is how often a message is written in a minute.
const mostAMinute = 30

type tally struct {
	mu    sync.Mutex
	since time.Time
	times map[string]int
}

func newDedupeLog(h slog.Handler) *dedupeLog {
	return &dedupeLog{h, &tally{times: map[string]int{}}}
}

// Handle is for slog.
func (c *dedupeLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "finding" {
		return c.Handler.Handle(ctx, r)
	}
	ok, more := c.said.count(r.Message, r.Time)
	for msg, n := range more {
		line := slog.NewRecord(r.Time, slog.LevelWarn, "said more often than was written", 0)
		line.AddAttrs(slog.String("message", msg), slog.Int("times", n))
		if err := c.Handler.Handle(ctx, line); err != nil {
			return err
		}
	}
	if !ok {
		return nil
	}
	return c.Handler.Handle(ctx, r)
}

// count reports whether a message is to be written, and at the end of a minute how many
// were not.
func (t *tally) count(msg string, now time.Time) (ok bool, more map[string]int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.since) >= time.Minute || now.Before(t.since) {
		more = map[string]int{}
		for m, n := range t.times {
			if n > mostAMinute {
				more[m] = n - mostAMinute
			}
		}
		clear(t.times)
		t.since = now
	}
	t.times[msg]++
	return t.times[msg] <= mostAMinute, more
}

// WithAttrs is for slog.
func (c *dedupeLog) WithAttrs(a []slog.Attr) slog.Handler {
	return &dedupeLog{c.Handler.WithAttrs(a), c.said}
}

// WithGroup is for slog.
func (c *dedupeLog) WithGroup(name string) slog.Handler {
	return &dedupeLog{c.Handler.WithGroup(name), c.said}
}

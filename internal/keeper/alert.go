package keeper

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"tend/internal/config"
	"tend/internal/finding"
	"tend/internal/notice"
)

// alerter tells people of findings: in the log, by a web hook, by a command. It never
// keeps its caller waiting. What was not delivered is owed, and the books remember it: a
// keeper that is killed leaves it to the next one.
type alerter struct {
	log     *slog.Logger
	metrics *metrics
	books   *books
	client  *http.Client
	lanes   map[string]*lane
	pause   time.Duration // after the first failure; doubled for each further one

	mu  sync.Mutex
	cfg config.Alerts
}

// The bounds of what is tried.
const (
	alertQueue   = 1000 // alerts a lane has in hand; more wait in the books
	alertTimeout = 10 * time.Second
	drainFor     = 5 * time.Second
	firstPause   = time.Second
	longestPause = 5 * time.Minute // at most
	commandTries = 5               // a command that failed may have told somebody all the same
)

func newAlerter(log *slog.Logger, m *metrics, b *books) *alerter {
	a := &alerter{
		log: log, metrics: m, books: b, lanes: map[string]*lane{}, pause: firstPause,
		client: &http.Client{
			Timeout: alertTimeout,
			// A signed message goes to the address the operator wrote and nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	for _, way := range []string{byWebhook, byCommand} {
		a.lanes[way] = newLane(way, a)
	}
	return a
}

// set takes over how people are told. What a way refused under the old settings is
// tried again under the new.
func (a *alerter) set(cfg config.Alerts) {
	a.mu.Lock()
	a.cfg = cfg
	a.mu.Unlock()
	for _, l := range a.lanes {
		l.forget()
	}
	a.resume()
}

func (a *alerter) config() config.Alerts {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cfg
}

// resume takes up what is owed according to the books.
func (a *alerter) resume() {
	for _, n := range a.books.allOwed() {
		for _, way := range n.Owed {
			if l := a.lanes[way]; l != nil {
				l.push(owed{bookOf(n), n.ID})
			}
		}
	}
}

// bookOf names the book a notice is in.
func bookOf(n notice.Notice) string { return cmp.Or(n.Agent, notice.House) }

// send hands findings over.
func (a *alerter) send(list []notice.Notice) {
	for _, n := range list {
		if a.config().Log {
			a.write(n)
		}
		for _, way := range n.Owed {
			a.lanes[way].push(owed{bookOf(n), n.ID})
		}
	}
}

func (a *alerter) write(n notice.Notice) {
	level := slog.LevelInfo
	switch n.Severity {
	case finding.Warning:
		level = slog.LevelWarn
	case finding.Error:
		level = slog.LevelError
	}
	a.log.Log(context.Background(), level, "finding", "id", n.ID, "code", n.Code, "agent", n.Agent, "file", n.File, "text", n.Text,
		"remedy", n.Remedy, "first_seen", n.First.Format(time.RFC3339))
	a.metrics.alerts.With("log", "sent").Inc()
}

// run delivers until the context ends, and then for a moment what still waits.
func (a *alerter) run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, l := range a.lanes {
		wg.Go(func() { l.run(ctx) })
	}
	wg.Wait()
}

// waiting is how many alerts are owed by some way.
func (a *alerter) waiting() int {
	n := 0
	for _, l := range a.lanes {
		n += l.waiting()
	}
	return n
}

// findings are about ways that do not work.
func (a *alerter) findings() []finding.Finding {
	var out []finding.Finding
	for _, way := range []string{byWebhook, byCommand} {
		out = append(out, a.lanes[way].findings()...)
	}
	return out
}

// offered reports whether a way is configured.
func (a *alerter) offered(way string) bool { return slices.Contains(waysOf(a.config()), way) }

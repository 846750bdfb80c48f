package keeper

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"tend/internal/config"
	"tend/internal/finding"
	"tend/internal/notice"
	"tend/internal/words"
)

// alerter reports findings to people: in the log, by a web hook, by a command. It never
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

// set applies new settings. What was refused under the old ones is tried again.
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

// resume queues what the books say is still to be delivered.
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

// owed names an alert that is still to be delivered.
type owed struct{ agent, id string }

// lane delivers by one way, one alert after the other. While nobody takes them the first
// is tried again after longer and longer pauses and the others wait behind it: a receiver
// that is down is asked rarely, and gets everything once it is back.
type lane struct {
	way  string
	a    *alerter
	wake chan struct{}

	mu      sync.Mutex
	queue   []owed
	queued  map[owed]bool
	refused map[owed]bool // by the receiver, for what they say: another try changes nothing
	full    bool          // the books have more than the queue
	fails   int           // in a row
	since   time.Time     // of the first of them
	why     string
}

func newLane(way string, a *alerter) *lane {
	return &lane{way: way, a: a, wake: make(chan struct{}, 1), queued: map[owed]bool{}, refused: map[owed]bool{}}
}

// push queues an alert, unless it is queued already.
func (l *lane) push(o owed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.refused, o)
	switch {
	case l.queued[o]:
	case len(l.queue) >= alertQueue:
		if !l.full {
			l.a.log.Warn("too many alerts wait; the rest follows", "by", l.way)
		}
		l.full = true
		l.a.metrics.alerts.With(l.way, "delayed").Inc()
	default:
		l.queued[o] = true
		l.queue = append(l.queue, o)
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// forget clears the refusals, so that those alerts are tried again.
func (l *lane) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.refused)
	l.fails = 0
}

func (l *lane) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) + len(l.refused)
}

func (l *lane) run(ctx context.Context) {
	// What is under way when the keeper stops is given a moment: cut off, it might be
	// sent twice.
	hand, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(drainFor, cancel) })()
	for {
		o, ok := l.first()
		if !ok {
			select {
			case <-ctx.Done():
				return
			case <-l.wake:
			}
			continue
		}
		pause := l.try(hand, o)
		if pause == 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return // the books remember
		case <-time.After(pause):
		}
	}
}

// first is the alert whose turn it is. It stays in line until it was dealt with.
func (l *lane) first() (owed, bool) {
	l.mu.Lock()
	if len(l.queue) == 0 && l.full {
		l.full = false
		l.mu.Unlock()
		l.a.resume()
		l.mu.Lock()
	}
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return owed{}, false
	}
	return l.queue[0], true
}

// try delivers one alert and returns how long to wait before the next try.
func (l *lane) try(ctx context.Context, o owed) time.Duration {
	n, still := l.a.books.owed(o, l.way)
	var err error
	if still && l.a.offered(l.way) {
		err = l.a.deliver(ctx, l.way, n)
		l.count(o, err)
	}
	if err == nil {
		l.leave(o)
		if still {
			more, err := l.a.books.delivered(o, l.way, *n.Told)
			if err != nil {
				l.a.log.Error("keep findings", "agent", o.agent, "error", err.Error())
			}
			if more {
				l.push(o)
			}
		}
		return 0
	}
	if errors.Is(err, errFinal) {
		l.leave(o)
		l.mu.Lock()
		l.refused[o], l.why = true, err.Error()
		l.mu.Unlock()
		return 0
	}
	return l.failed(o, err)
}

func (l *lane) failed(o owed, err error) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fails++; l.fails == 1 {
		l.since = time.Now()
	}
	l.why = err.Error()
	if l.way == byCommand && l.fails >= commandTries {
		l.fails = 0
		l.refused[o] = true
		l.queue = l.queue[1:]
		delete(l.queued, o)
		return l.a.pause
	}
	return min(l.a.pause<<min(l.fails-1, 20), longestPause)
}

// leave removes the alert at the head of the queue.
func (l *lane) leave(o owed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = l.queue[1:]
	delete(l.queued, o)
	l.fails = 0
}

func (l *lane) count(o owed, err error) {
	if err == nil {
		l.a.metrics.alerts.With(l.way, "sent").Inc()
		return
	}
	l.a.metrics.alerts.With(l.way, "failed").Inc()
	l.a.log.Error("alert not delivered", "by", l.way, "agent", o.agent, "finding", o.id, "error", err.Error())
}

// findings reports that this way does not work.
func (l *lane) findings() []finding.Finding {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.fails >= 3:
		return []finding.Finding{finding.AlertsUndelivered.In("", "%s takes no alerts since %s, %d wait: %s", l.way, l.since.Format(words.Minute), len(l.queue), l.why)}
	case l.full:
		return []finding.Finding{finding.AlertsUndelivered.In("", "%s is behind: more than %d alerts wait", l.way, alertQueue)}
	case len(l.refused) > 0:
		return []finding.Finding{finding.AlertsUndelivered.In("", "%s refused %d alerts: %s", l.way, len(l.refused), l.why)}
	}
	return nil
}

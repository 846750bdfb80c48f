package keeper

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"tend/internal/engine/config"
	"tend/internal/front/web"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/state/findinglog"
)

// alerter sends findings to people through the log, a web hook and a command. It never blocks its caller. The books
// record what is still undelivered, so the next keeper delivers what a killed one did not.
type alerter struct {
	log     *slog.Logger
	metrics *metrics
	books   *books
	client  *http.Client
	lanes   map[string]*lane
	pause   time.Duration // after the first failure; doubles with each further one

	mu   sync.Mutex
	cfg  config.Alerts
	site string // the dashboard's address, "" while it is not served
}

const (
	alertQueue   = 1000 // alerts queued per channel; more wait in the books
	alertTimeout = 10 * time.Second
	drainFor     = 5 * time.Second
	firstPause   = time.Second
	longestPause = 5 * time.Minute
	commandTries = 5 // then give up: a failed command may have alerted people all the same
)

func newAlerter(log *slog.Logger, m *metrics, b *books) *alerter {
	a := &alerter{
		log: log, metrics: m, books: b, lanes: map[string]*lane{}, pause: firstPause,
		client: &http.Client{
			Timeout: alertTimeout,
			// Follow no redirects: a signed message goes only to the address the operator configured.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	for _, channel := range []string{byWebhook, byCommand} {
		a.lanes[channel] = newLane(channel, a)
	}
	return a
}

// set applies new settings and retries alerts that were refused under the old ones.
func (a *alerter) set(cfg config.Alerts) {
	a.mu.Lock()
	a.cfg = cfg
	a.mu.Unlock()
	for _, l := range a.lanes {
		l.forget()
	}
	a.queuePending()
}

// servedAt tells where the dashboard is, for links.
func (a *alerter) servedAt(site string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.site = site
}

// linkTo returns the page of the dashboard where a person decides what a notice is about, "" without a dashboard.
func (a *alerter) linkTo(n findinglog.Notice) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.site == "" {
		return ""
	}
	return a.site + strings.TrimPrefix(web.Page(n), "/")
}

func (a *alerter) settings() config.Alerts {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cfg
}

// queuePending queues the undelivered alerts of the books.
func (a *alerter) queuePending() {
	for _, n := range a.books.allPending() {
		for _, channel := range n.Pending {
			if l := a.lanes[channel]; l != nil {
				l.push(pendingAlert{bookOf(n), n.ID})
			}
		}
	}
}

// bookOf returns the name of the book a notice is in.
func bookOf(n findinglog.Notice) string { return cmp.Or(n.Agent, findinglog.NoAgent) }

// send logs findings and queues their alerts.
func (a *alerter) send(list []findinglog.Notice) {
	for _, n := range list {
		if a.settings().Log {
			a.write(n)
		}
		for _, channel := range n.Pending {
			a.lanes[channel].push(pendingAlert{bookOf(n), n.ID})
		}
	}
}

func (a *alerter) write(n findinglog.Notice) {
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

// run delivers until the context ends, and finishes the deliveries that have begun.
func (a *alerter) run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, l := range a.lanes {
		wg.Go(func() { l.run(ctx) })
	}
	wg.Wait()
}

// waiting counts the undelivered alerts of all channels.
func (a *alerter) waiting() int {
	n := 0
	for _, l := range a.lanes {
		n += l.waiting()
	}
	return n
}

// findings reports channels that do not work.
func (a *alerter) findings() []finding.Finding {
	var out []finding.Finding
	for _, channel := range []string{byWebhook, byCommand} {
		out = append(out, a.lanes[channel].findings()...)
	}
	return out
}

// isConfigured reports whether a channel is configured.
func (a *alerter) isConfigured(channel string) bool {
	return slices.Contains(channelsOf(a.settings()), channel)
}

// pendingAlert identifies an undelivered alert.
type pendingAlert struct{ agent, id string }

// lane delivers the alerts of one channel in order. If one fails, it is retried with growing pauses while the others
// wait: a receiver that is down is called rarely, and gets everything once it is back.
type lane struct {
	channel string
	a       *alerter
	wake    chan struct{}

	mu      sync.Mutex
	queue   []pendingAlert
	queued  map[pendingAlert]bool
	refused map[pendingAlert]bool // rejected by the receiver: a retry would not help
	full    bool                  // the books have more than the queue
	fails   int                   // consecutive failures
	since   time.Time             // when the first of these failures was
	why     string
}

func newLane(channel string, a *alerter) *lane {
	return &lane{channel: channel, a: a, wake: make(chan struct{}, 1), queued: map[pendingAlert]bool{}, refused: map[pendingAlert]bool{}}
}

// push queues an alert, unless it is queued already.
func (l *lane) push(o pendingAlert) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.refused, o)
	switch {
	case l.queued[o]:
	case len(l.queue) >= alertQueue:
		if !l.full {
			l.a.log.Warn("alert queue full; the rest will be sent later", "by", l.channel)
		}
		l.full = true
		l.a.metrics.alerts.With(l.channel, "delayed").Inc()
	default:
		l.queued[o] = true
		l.queue = append(l.queue, o)
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// forget clears the refusals, so that those alerts are retried.
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
	// A delivery that has begun may finish after a stop: if interrupted, it might be sent twice.
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
		pause := l.deliverFirst(hand, o)
		if pause == 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return // the books have it
		case <-time.After(pause):
		}
	}
}

// first returns the alert at the head of the queue, without removing it.
func (l *lane) first() (pendingAlert, bool) {
	l.mu.Lock()
	if len(l.queue) == 0 && l.full {
		l.full = false
		l.mu.Unlock()
		l.a.queuePending()
		l.mu.Lock()
	}
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return pendingAlert{}, false
	}
	return l.queue[0], true
}

// deliverFirst delivers one alert and returns how long to wait before the next.
func (l *lane) deliverFirst(ctx context.Context, o pendingAlert) time.Duration {
	n, still := l.a.books.pendingNotice(o, l.channel)
	var err error
	if still && l.a.isConfigured(l.channel) {
		err = l.a.deliverOnce(ctx, l.channel, n)
		l.count(o, err)
	}
	switch {
	case errors.Is(err, errFinal):
		l.finishFirst()
		l.mu.Lock()
		l.refused[o], l.why = true, err.Error()
		l.mu.Unlock()
		return 0
	case err != nil:
		return l.noteFailure(o, err)
	}
	l.finishFirst()
	if !still {
		return 0
	}
	more, err := l.a.books.noteDelivered(o, l.channel, *n.Alerted)
	if err != nil {
		l.a.log.Error("save findings", "agent", o.agent, "error", err.Error())
	}
	if more {
		l.push(o)
	}
	return 0
}

// noteFailure records that a delivery failed, and returns how long to wait before the next. A command is given up after commandTries.
func (l *lane) noteFailure(o pendingAlert, err error) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fails == 0 {
		l.since = time.Now()
	}
	l.fails++
	l.why = err.Error()
	if l.channel == byCommand && l.fails >= commandTries {
		l.dropFirst()
		l.refused[o] = true
		return l.a.pause
	}
	return min(l.a.pause<<min(l.fails-1, 20), longestPause)
}

// finishFirst removes the alert at the head of the queue, which was delivered or refused.
func (l *lane) finishFirst() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropFirst()
}

// dropFirst removes the alert at the head of the queue. The caller holds mu.
func (l *lane) dropFirst() {
	delete(l.queued, l.queue[0])
	l.queue = l.queue[1:]
	l.fails = 0
}

// count counts and logs the result of a delivery.
func (l *lane) count(o pendingAlert, err error) {
	if err == nil {
		l.a.metrics.alerts.With(l.channel, "sent").Inc()
		return
	}
	l.a.metrics.alerts.With(l.channel, "failed").Inc()
	l.a.log.Error("alert not delivered", "by", l.channel, "agent", o.agent, "finding", o.id, "error", err.Error())
}

// findings reports a channel that does not work.
func (l *lane) findings() []finding.Finding {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.fails >= 3:
		return []finding.Finding{finding.AlertsUndelivered.In("", "%s has failed since %s, %d alerts wait: %s", l.channel,
			l.since.Format(textfmt.Minute), len(l.queue), l.why)}
	case l.full:
		return []finding.Finding{finding.AlertsUndelivered.In("", "%s is behind: more than %d alerts wait", l.channel, alertQueue)}
	case len(l.refused) > 0:
		return []finding.Finding{finding.AlertsUndelivered.In("", "%s refused %d alerts: %s", l.channel, len(l.refused), l.why)}
	}
	return nil
}

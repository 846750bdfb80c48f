package keeper

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"tend/internal/app/replica"
	"tend/internal/model/finding"
	"tend/internal/model/metric"
	"tend/internal/sync/store"
)

// metrics are the keeper's Prometheus metrics. None is labelled with an agent's name: there may be thousands, and readers
// of metrics need not know them. The API has the agents.
type metrics struct {
	set *metric.Set

	runs      *metric.Counters
	restored  *metric.Counters
	alerts    *metric.Counters
	reloads   *metric.Counters
	requests  *metric.Counters
	refused   *metric.Counters
	errors    *metric.Counter
	syncs     *metric.Counters
	entries   *metric.Counters
	asked     *metric.Counters
	conflicts *metric.Counter
	merges    *metric.Counters
	newcomers *metric.Counter
	overdue   atomic.Int64 // agents
}

func newMetrics(k *Keeper) *metrics {
	set := metric.NewSet("tend_")
	m := &metrics{
		set:       set,
		runs:      set.Counters("job_runs_total", "Jobs that ran, by outcome.", "job", "outcome"),
		restored:  set.Counters("restored_total", "Operator's texts that were restored.", "what"),
		alerts:    set.Counters("alerts_total", "Alerts, by channel and result.", "by", "result"),
		reloads:   set.Counters("config_reloads_total", "Reloads of the configuration, by result.", "result"),
		requests:  set.Counters("http_requests_total", "Requests, by door and status.", "door", "status"),
		refused:   set.Counters("refused_total", "Calls of agents that were refused, by code.", "code"),
		errors:    set.Counter("errors_total", "Errors of the keeper itself; the log says which."),
		syncs:     set.Counters("store_syncs_total", "Syncs of agents with the shared store, by result.", "result"),
		entries:   set.Counters("store_entries_total", "Entries of journals that were fetched or committed.", "direction"),
		asked:     set.Counters("store_requests_total", "Requests to the shared store, by kind.", "kind"),
		conflicts: set.Counter("store_conflicts_total", "Commits to the shared store that were planned again because another writer was faster."),
		merges:    set.Counters("store_merges_total", "Files that two machines changed, by result.", "result"),
		newcomers: set.Counter("store_newcomers_total", "Machines that wrote to an agent's journal for the first time."),
	}
	set.Read("agents", "Configured agents.", func() float64 { return float64(len(k.gen.config().Agents)) })
	set.Read("agents_overdue", "Agents with a job that is overdue.", func() float64 { return float64(m.overdue.Load()) })
	set.Read("store_behind_seconds", "How long ago all agents were in sync with the shared store.",
		func() float64 { return k.store.sinceSync().Seconds() })
	set.Read("store_retries", "Requests to the shared store that were repeated because the answer was lost.",
		func() float64 { return float64(store.Repeated()) })
	set.Read("store_replicas", "Live replicas, 0 if this keeper is not one.",
		func() float64 { return k.store.replicas((*replica.Replica).Peers) })
	set.Read("store_agents_held", "Agents of the store with files on this disk.",
		func() float64 { return k.store.replicas((*replica.Replica).AgentsHere) })
	set.Read("alerts_waiting", "Undelivered alerts.", func() float64 { return float64(k.alerts.waiting()) })
	set.ReadEach("findings", "Unacknowledged findings, by code.", "code", func() map[string]float64 {
		open := map[string]float64{}
		for _, kind := range finding.Kinds() {
			open[kind.Code] = 0 // so that alert rules see every code
		}
		for code, n := range k.books.byCode() {
			open[code] = float64(n)
		}
		return open
	})
	set.AddProcess()
	return m
}

func (m *metrics) serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", metric.ContentType)
	_, _ = m.set.WriteTo(w) // it fails only if the client has gone
}

// dedupeLog limits how often the log repeats a message, so that a full disk or an abusive client does not fill the log's
// disk. It writes each message up to maxPerMinute times a minute, then the number of those it dropped. Findings are not
// limited: each is logged once anyway.
type dedupeLog struct {
	slog.Handler
	said *tally
}

// maxPerMinute is how often a message is logged in a minute.
const maxPerMinute = 30

type tally struct {
	mu    sync.Mutex
	since time.Time
	times map[string]int
}

func newDedupeLog(h slog.Handler) *dedupeLog {
	return &dedupeLog{h, &tally{times: map[string]int{}}}
}

// Handle implements slog.Handler.
func (c *dedupeLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "finding" {
		return c.Handler.Handle(ctx, r)
	}
	ok, dropped := c.said.count(r.Message, r.Time)
	for msg, n := range dropped {
		line := slog.NewRecord(r.Time, slog.LevelWarn, "repeated log messages dropped", 0)
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

// count counts a message and reports whether to write it. With the first one after a minute it returns how often each message was
// dropped in that minute.
func (t *tally) count(msg string, now time.Time) (ok bool, dropped map[string]int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.since) >= time.Minute || now.Before(t.since) {
		dropped = map[string]int{}
		for m, n := range t.times {
			if n > maxPerMinute {
				dropped[m] = n - maxPerMinute
			}
		}
		clear(t.times)
		t.since = now
	}
	t.times[msg]++
	return t.times[msg] <= maxPerMinute, dropped
}

// WithAttrs implements slog.Handler.
func (c *dedupeLog) WithAttrs(a []slog.Attr) slog.Handler {
	return &dedupeLog{c.Handler.WithAttrs(a), c.said}
}

// WithGroup implements slog.Handler.
func (c *dedupeLog) WithGroup(name string) slog.Handler {
	return &dedupeLog{c.Handler.WithGroup(name), c.said}
}

package keeper

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"tend/internal/app/replica"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/metric"
	"tend/internal/sync/store"
)

// metrics are the keeper's Prometheus metrics. None is labelled with an agent's name: there may be thousands, and readers
// of metrics need not know them. The API has the agents.
type metrics struct {
	set *metric.Set

	runs      *metric.Vec[*metric.Counter]
	took      *metric.Vec[*metric.Histogram]
	guard     *metric.Histogram
	restored  *metric.Vec[*metric.Counter]
	alerts    *metric.Vec[*metric.Counter]
	reloads   *metric.Vec[*metric.Counter]
	requests  *metric.Vec[*metric.Counter]
	refused   *metric.Vec[*metric.Counter]
	commits   *metric.Counter
	errors    *metric.Counter
	syncs     *metric.Vec[*metric.Counter]
	entries   *metric.Vec[*metric.Counter]
	asked     *metric.Vec[*metric.Counter]
	conflicts *metric.Counter
	merges    *metric.Vec[*metric.Counter]
	newcomers *metric.Counter
	overdue   *metric.Gauge
	unwatched *metric.Gauge
}

func newMetrics(k *Keeper) *metrics {
	set := metric.NewSet("tend_")
	times := []float64{0.001, 0.004, 0.016, 0.064, 0.256, 1.024, 4.096, 16.384}
	m := &metrics{
		set:       set,
		runs:      set.Counters("job_runs_total", "Jobs that ran, by outcome.", "job", "outcome"),
		took:      set.Histograms("job_duration_seconds", "How long jobs took.", times, "job"),
		guard:     set.Histogram("guard_duration_seconds", "How long checks of an agent's guarded files took.", times),
		restored:  set.Counters("restored_total", "Operator's texts that were restored.", "what"),
		alerts:    set.Counters("alerts_total", "Alerts, by channel and result.", "by", "result"),
		reloads:   set.Counters("config_reloads_total", "Reloads of the configuration, by result.", "result"),
		requests:  set.Counters("http_requests_total", "Requests, by door and status.", "door", "status"),
		refused:   set.Counters("refused_total", "Calls of agents that were refused, by code.", "code"),
		commits:   set.Counter("history_commits_total", "Commits to git histories."),
		errors:    set.Counter("errors_total", "Errors of the keeper itself; the log says which."),
		syncs:     set.Counters("store_syncs_total", "Syncs of agents with the shared store, by result.", "result"),
		entries:   set.Counters("store_entries_total", "Entries of journals that were fetched or committed.", "direction"),
		asked:     set.Counters("store_requests_total", "Requests to the shared store, by kind.", "kind"),
		conflicts: set.Counter("store_conflicts_total", "Commits to the shared store that were planned again because another writer was faster."),
		merges:    set.Counters("store_merges_total", "Files that two machines changed, by result.", "result"),
		newcomers: set.Counter("store_newcomers_total", "Machines that wrote to an agent's journal for the first time."),
		overdue:   set.Gauge("agents_overdue", "Agents with a job that is overdue."),
		unwatched: set.Gauge("unwatched_folders", "Folders that are polled because they cannot be watched."),
	}
	set.Read("agents", "Configured agents.", func() float64 { return float64(len(k.gen.config().Agents)) })
	set.Read("jobs_active", "Running jobs.", func() float64 { n, _ := k.clock.Load(); return float64(n) })
	set.Read("agents_waiting", "Agents waiting for a worker.", func() float64 { _, n := k.clock.Load(); return float64(n) })
	set.Read("history_waiting", "Agents with changes not yet committed to history.",
		func() float64 { n, _ := k.history.behind(); return float64(n) })
	set.Read("history_behind_seconds", "How late history is.", func() float64 { _, d := k.history.behind(); return d.Seconds() })
	set.Read("store_behind_seconds", "How long ago all agents were in sync with the shared store.",
		func() float64 { return k.store.lag().Seconds() })
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
	set.ReadEach("findings_open", "Unacknowledged findings, by severity.", "severity", func() map[string]float64 {
		open, count := map[string]float64{}, k.books.count()
		for _, s := range []finding.Severity{finding.Info, finding.Warning, finding.Error} {
			open[s.String()] = float64(count[s])
		}
		return open
	})
	set.AddProcess()
	return m
}

func (m *metrics) ran(name string, outcome job.Outcome, took time.Duration) {
	m.runs.With(name, string(outcome)).Inc()
	m.took.With(name).Observe(took.Seconds())
}

func (m *metrics) guarded(took time.Duration) { m.guard.Observe(took.Seconds()) }

func (m *metrics) serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", metric.ContentType)
	_, _ = m.set.WriteTo(w) // the client has gone
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
	ok, more := c.said.count(r.Message, r.Time)
	for msg, n := range more {
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

// count reports whether to write a message, and at the end of a minute how many were dropped.
func (t *tally) count(msg string, now time.Time) (ok bool, more map[string]int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.since) >= time.Minute || now.Before(t.since) {
		more = map[string]int{}
		for m, n := range t.times {
			if n > maxPerMinute {
				more[m] = n - maxPerMinute
			}
		}
		clear(t.times)
		t.since = now
	}
	t.times[msg]++
	return t.times[msg] <= maxPerMinute, more
}

// WithAttrs implements slog.Handler.
func (c *dedupeLog) WithAttrs(a []slog.Attr) slog.Handler {
	return &dedupeLog{c.Handler.WithAttrs(a), c.said}
}

// WithGroup implements slog.Handler.
func (c *dedupeLog) WithGroup(name string) slog.Handler {
	return &dedupeLog{c.Handler.WithGroup(name), c.said}
}

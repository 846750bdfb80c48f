package keeper

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"tend/internal/finding"
	"tend/internal/job"
	"tend/internal/metric"
	"tend/internal/replica"
	"tend/internal/store"
)

// metrics are what a monitor sees. None has an agent's name: there may be thousands,
// and readers of metrics need not know them. The API has agents.
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
		runs:      set.Counters("job_runs_total", "Jobs that ran, by what they came to.", "job", "outcome"),
		took:      set.Histograms("job_duration_seconds", "How long jobs took.", times, "job"),
		guard:     set.Histogram("guard_duration_seconds", "How long a look at the guarded files of an agent took.", times),
		restored:  set.Counters("restored_total", "Operator's texts that were restored.", "what"),
		alerts:    set.Counters("alerts_total", "Alerts, by way and result.", "by", "result"),
		reloads:   set.Counters("config_reloads_total", "Configurations that were taken over or refused.", "result"),
		requests:  set.Counters("http_requests_total", "Requests, by door and status.", "door", "status"),
		refused:   set.Counters("refused_total", "Calls of agents that were refused, by code.", "code"),
		commits:   set.Counter("history_commits_total", "Commits to git histories."),
		errors:    set.Counter("errors_total", "Errors of the keeper itself; the log says which."),
		syncs:     set.Counters("store_syncs_total", "Syncs of agents with the shared store, by what they came to.", "result"),
		entries:   set.Counters("store_entries_total", "Entries of journals that were fetched or committed.", "direction"),
		asked:     set.Counters("store_requests_total", "Requests to the shared store, by kind.", "kind"),
		conflicts: set.Counter("store_conflicts_total", "Commits to the shared store that were planned again because another writer was faster."),
		merges:    set.Counters("store_merges_total", "Files that two machines changed, by what came of it.", "result"),
		newcomers: set.Counter("store_newcomers_total", "Machines that wrote to an agent's journal for the first time."),
		overdue:   set.Gauge("agents_overdue", "Agents with a job that is overdue."),
		unwatched: set.Gauge("unwatched_folders", "Folders that are looked at because they cannot be watched."),
	}
	set.Read("agents", "Configured agents.", func() float64 { return float64(len(k.gen.config().Agents)) })
	set.Read("jobs_active", "Jobs being done.", func() float64 { n, _ := k.clock.Load(); return float64(n) })
	set.Read("agents_waiting", "Agents with work that waits for a worker.", func() float64 { _, n := k.clock.Load(); return float64(n) })
	set.Read("history_waiting", "Agents whose writes wait to be taken into history.", func() float64 { n, _ := k.history.behind(); return float64(n) })
	set.Read("history_behind_seconds", "How late history is.", func() float64 { _, d := k.history.behind(); return d.Seconds() })
	set.Read("store_behind_seconds", "How long ago all agents were in step with the shared store.", func() float64 { return k.store.lag().Seconds() })
	set.Read("store_retries", "Requests to the shared store that were repeated because the answer was lost.", func() float64 { return float64(store.Repeated()) })
	set.Read("store_replicas", "Replicas that live, 0 if this is none.", func() float64 { return k.store.replicas((*replica.Replica).Peers) })
	set.Read("store_agents_held", "Agents of the store whose files are here.", func() float64 { return k.store.replicas((*replica.Replica).Held) })
	set.Read("alerts_waiting", "Alerts that are still to be delivered.", func() float64 { return float64(k.alerts.waiting()) })
	set.ReadEach("findings", "Findings nobody has acknowledged, by code.", "code", func() map[string]float64 {
		open := map[string]float64{}
		for _, kind := range finding.Kinds() {
			open[kind.Code] = 0 // a rule can be written before the first
		}
		for code, n := range k.books.byCode() {
			open[code] = float64(n)
		}
		return open
	})
	set.ReadEach("findings_open", "Findings nobody has acknowledged.", "severity", func() map[string]float64 {
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
	_, _ = m.set.WriteTo(w) // a reader that went away needs no answer
}

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

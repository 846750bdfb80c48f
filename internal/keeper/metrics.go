package keeper

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"tend/internal/finding"
	"tend/internal/job"
)

// metrics are what a monitor sees. None has an agent's name: there may be thousands,
// and whoever may read metrics need not know them. The API tells of agents.
type metrics struct {
	registry *prometheus.Registry

	runs      *prometheus.CounterVec
	took      *prometheus.HistogramVec
	guard     prometheus.Histogram
	restored  *prometheus.CounterVec
	alerts    *prometheus.CounterVec
	reloads   *prometheus.CounterVec
	requests  *prometheus.CounterVec
	commits   prometheus.Counter
	errors    prometheus.Counter
	overdue   prometheus.Gauge
	unwatched prometheus.Gauge
}

func newMetrics(k *Keeper) *metrics {
	opts := func(name, help string) prometheus.Opts {
		return prometheus.Opts{Namespace: "tend", Name: name, Help: help}
	}
	counter := func(name, help string) prometheus.CounterOpts { return prometheus.CounterOpts(opts(name, help)) }
	gauge := func(name, help string) prometheus.GaugeOpts { return prometheus.GaugeOpts(opts(name, help)) }
	times := func(name, help string) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: "tend", Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(0.001, 4, 8)}
	}
	m := &metrics{
		registry:  prometheus.NewRegistry(),
		runs:      prometheus.NewCounterVec(counter("job_runs_total", "Jobs that ran, by what they came to."), []string{"job", "outcome"}),
		took:      prometheus.NewHistogramVec(times("job_duration_seconds", "How long jobs took."), []string{"job"}),
		guard:     prometheus.NewHistogram(times("guard_duration_seconds", "How long a look at the guarded files of an agent took.")),
		restored:  prometheus.NewCounterVec(counter("restored_total", "Operator's texts that were brought back."), []string{"what"}),
		alerts:    prometheus.NewCounterVec(counter("alerts_total", "Alerts, by way and result."), []string{"by", "result"}),
		reloads:   prometheus.NewCounterVec(counter("config_reloads_total", "Configurations that were taken over or refused."), []string{"result"}),
		requests:  prometheus.NewCounterVec(counter("http_requests_total", "Requests, by door and status."), []string{"door", "status"}),
		commits:   prometheus.NewCounter(counter("history_commits_total", "Commits to git histories.")),
		errors:    prometheus.NewCounter(counter("errors_total", "Errors of the keeper itself; the log says which.")),
		overdue:   prometheus.NewGauge(gauge("agents_overdue", "Agents with a job that is overdue.")),
		unwatched: prometheus.NewGauge(gauge("unwatched_folders", "Folders that are looked at because they cannot be watched.")),
	}
	m.registry.MustRegister(m.runs, m.took, m.guard, m.restored, m.alerts, m.reloads, m.requests, m.commits, m.errors, m.overdue, m.unwatched,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	read := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(gauge(name, help), value))
	}
	read("agents", "Configured agents.", func() float64 { return float64(len(k.gen.config().Agents)) })
	read("jobs_active", "Jobs being done.", func() float64 { n, _ := k.clock.Load(); return float64(n) })
	read("agents_waiting", "Agents with work that waits for a worker.", func() float64 { _, n := k.clock.Load(); return float64(n) })
	read("history_waiting", "Agents whose writes wait to be taken into history.", func() float64 { n, _ := k.history.behind(); return float64(n) })
	read("history_behind_seconds", "How late history is.", func() float64 { _, d := k.history.behind(); return d.Seconds() })
	for _, s := range []finding.Severity{finding.Info, finding.Warning, finding.Error} {
		o := gauge("findings_open", "Findings nobody has acknowledged.")
		o.ConstLabels = prometheus.Labels{"severity": s.String()}
		m.registry.MustRegister(prometheus.NewGaugeFunc(o, func() float64 { return float64(k.books.count()[s]) }))
	}
	return m
}

func (m *metrics) ran(name string, outcome job.Outcome, took time.Duration) {
	m.runs.WithLabelValues(name, string(outcome)).Inc()
	m.took.WithLabelValues(name).Observe(took.Seconds())
}

func (m *metrics) guarded(took time.Duration) { m.guard.Observe(took.Seconds()) }

package keeper

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// TestMetrics pins the metrics' names and labels, as dashboards and alerts depend on them.
func TestMetrics(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a")
	h.start()
	m := h.keeper().metrics
	m.runs.With("reset", "done").Inc()
	m.restored.With("zone").Inc()
	m.alerts.With("log", "sent").Inc()
	m.reloads.With("taken").Inc()
	m.requests.With("mcp", "200").Inc()
	m.refused.With("path").Inc()
	m.syncs.With("done").Inc()
	m.entries.With("fetched").Inc()
	m.asked.With("get").Inc()

	code, body, header := h.do(call{method: "GET", path: "/metrics"})
	if code != 200 || header.Get("Content-Type") != "text/plain; version=0.0.4; charset=utf-8" {
		t.Fatalf("%d, %s", code, header.Get("Content-Type"))
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(body))
	if err != nil {
		t.Fatalf("Prometheus does not read this: %v\n%s", err, body)
	}
	got := map[string]string{}
	for name, f := range families {
		if !strings.HasPrefix(name, "tend_") {
			continue
		}
		labels := map[string]bool{}
		for _, m := range f.Metric {
			for _, l := range m.Label {
				labels[l.GetName()] = true
			}
		}
		kind := strings.ToLower(f.GetType().String())
		got[name] = strings.Join(append([]string{kind}, slices.Sorted(maps.Keys(labels))...), " ")
	}
	want := map[string]string{
		"tend_job_runs_total": "counter job outcome",
		"tend_restored_total": "counter what", "tend_alerts_total": "counter by result",
		"tend_config_reloads_total": "counter result", "tend_http_requests_total": "counter door status",
		"tend_errors_total": "counter", "tend_agents_overdue": "gauge",
		"tend_store_behind_seconds": "gauge", "tend_store_syncs_total": "counter result", "tend_store_newcomers_total": "counter",
		"tend_store_entries_total":  "counter direction",
		"tend_store_requests_total": "counter kind", "tend_store_conflicts_total": "counter", "tend_store_retries": "gauge",
		"tend_store_replicas": "gauge", "tend_store_agents_held": "gauge",
		"tend_agents": "gauge", "tend_findings": "gauge code", "tend_refused_total": "counter code", "tend_alerts_waiting": "gauge",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := families["tend_agents"].Metric[0].Gauge.GetValue(); got != 1 {
		t.Errorf("tend_agents is %v, want 1", got)
	}
}

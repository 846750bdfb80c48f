package metric_test

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"tend/internal/model/metric"
)

func text(t *testing.T, s *metric.Set) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := s.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// parse parses a set's output with Prometheus's parser.
func parse(t *testing.T, s *metric.Set) map[string]*dto.MetricFamily {
	t.Helper()
	raw := text(t, s)
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(raw))
	if err != nil {
		t.Fatalf("Prometheus does not read this: %v\n%s", err, raw)
	}
	return families
}

func TestText(t *testing.T) {
	s := metric.NewSet("x_")
	s.Read("level", "Back\\slash and\nnew line.", func() float64 { return -1.5 })
	runs := s.Counters("runs_total", "Runs.", "job", "outcome")
	s.Counters("never_total", "Nothing yet.", "why")
	s.Read("agents", "Agents.", func() float64 { return 3 })
	s.ReadEach("open", "Open.", "severity", func() map[string]float64 { return map[string]float64{"warning": 2, "error": math.Inf(1)} })
	s.Counter("zero_total", "Zero.")
	runs.With("reset", "done").Add(2)
	runs.With("audit", "done").Inc()
	runs.With("audit").Inc()
	want := `# HELP x_agents Agents.
# TYPE x_agents gauge
x_agents 3
# HELP x_level Back\\slash and\nnew line.
# TYPE x_level gauge
x_level -1.5
# HELP x_open Open.
# TYPE x_open gauge
x_open{severity="error"} +Inf
x_open{severity="warning"} 2
# HELP x_runs_total Runs.
# TYPE x_runs_total counter
x_runs_total{job="audit",outcome=""} 1
x_runs_total{job="audit",outcome="done"} 1
x_runs_total{job="reset",outcome="done"} 2
# HELP x_zero_total Zero.
# TYPE x_zero_total counter
x_zero_total 0
`
	for range 3 { // independent of map order
		if diff := cmp.Diff(want, text(t, s)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
	parse(t, s)
}

func TestHostileValues(t *testing.T) {
	values := []string{
		"", " ", `"`, `\`, `\n`, "\n", "a\nb 1\nforged_total 7", `"} 1` + "\n", "\r", "\x00", "\t", "{}", ",", "=", "#",
		"läßt", "日本", "🙂", strings.Repeat("x", 1000),
	}
	s := metric.NewSet("")
	hits := s.Counters("hits_total", "Hits.", "a", "b")
	s.ReadEach("level", "Level.", "a", func() map[string]float64 {
		each := map[string]float64{}
		for i, v := range values {
			each[v] = float64(i)
		}
		return each
	})
	for i, v := range values {
		hits.With(v, "b").Add(uint64(i + 1))
	}
	hits.With("bad \xff\xfe bytes", "b").Inc()
	families := parse(t, s)
	if len(families) != 2 {
		t.Errorf("got %d families, want 2: a value forged one", len(families))
	}
	got := map[string]float64{}
	for _, m := range families["hits_total"].Metric {
		got[m.Label[0].GetValue()] = m.Counter.GetValue()
	}
	want := map[string]float64{"bad \uFFFD bytes": 1}
	for i, v := range values {
		want[v] = float64(i + 1)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what Prometheus reads (-want +got):\n%s", diff)
	}
	if got := len(families["level"].Metric); got != len(values) {
		t.Errorf("got %d gauges, want %d", got, len(values))
	}
}

func TestManyAtOnce(t *testing.T) {
	const workers, rounds = 8, 500
	s := metric.NewSet("")
	one, vec := s.Counter("one_total", "One."), s.Counters("vec_total", "Vec.", "who")
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range rounds {
				one.Inc()
				vec.With([]string{"a", "b", "c"}[i%3]).Inc()
				if i%100 == 0 {
					var b bytes.Buffer
					_, _ = s.WriteTo(&b)
				}
			}
		})
	}
	wg.Wait()
	f := parse(t, s)
	if got := f["one_total"].Metric[0].Counter.GetValue(); got != workers*rounds {
		t.Errorf("got %v counts, want %d", got, workers*rounds)
	}
	var sum float64
	for _, m := range f["vec_total"].Metric {
		sum += m.Counter.GetValue()
	}
	if sum != workers*rounds {
		t.Errorf("got %v counts by label, want %d", sum, workers*rounds)
	}
}

func TestProcess(t *testing.T) {
	s := metric.NewSet("x_")
	s.AddProcess()
	families := parse(t, s)
	for name, kind := range map[string]dto.MetricType{
		"process_cpu_seconds_total": dto.MetricType_COUNTER, "process_start_time_seconds": dto.MetricType_GAUGE,
		"process_open_fds": dto.MetricType_GAUGE, "process_max_fds": dto.MetricType_GAUGE,
		"process_resident_memory_bytes": dto.MetricType_GAUGE, "process_virtual_memory_bytes": dto.MetricType_GAUGE,
		"go_goroutines": dto.MetricType_GAUGE,
	} {
		f := families[name]
		switch {
		case f == nil:
			t.Errorf("%s is missing", name)
		case f.GetType() != kind:
			t.Errorf("%s is a %v, want a %v", name, f.GetType(), kind)
		case f.Metric[0].GetGauge().GetValue()+f.Metric[0].GetCounter().GetValue() <= 0:
			t.Errorf("%s is %v", name, f.Metric[0])
		}
	}
}

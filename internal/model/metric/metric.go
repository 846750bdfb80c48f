// Package metric counts and measures, and writes the results in Prometheus's text format.
//
// It is for a program's own few dozen families. Names, labels and help are written as given; tests parse them with
// Prometheus's own parser.
package metric

import (
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// ContentType is the content type of Set.WriteTo's output.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Set has all metrics of a program. It is filled once and then used by any number of goroutines.
type Set struct {
	prefix  string
	sources []func(*page)
}

// NewSet returns an empty set; prefix is put before every name.
func NewSet(prefix string) *Set { return &Set{prefix: prefix} }

// WriteTo writes every family, sorted by name.
func (s *Set) WriteTo(w io.Writer) (int64, error) {
	var p page
	for _, source := range s.sources {
		source(&p)
	}
	n, err := w.Write(p.text())
	return int64(n), err
}

// Counter adds a count that only grows.
func (s *Set) Counter(name, help string) *Counter {
	return s.Counters(name, help).With()
}

// Counters adds counters with labels.
func (s *Set) Counters(name, help string, labels ...string) *Vec[*Counter] {
	return addVec(s, name, help, "counter", labels, func() *Counter { return new(Counter) })
}

// Gauge adds a value that goes up and down.
func (s *Set) Gauge(name, help string) *Gauge {
	return addVec(s, name, help, "gauge", nil, func() *Gauge { return new(Gauge) }).With()
}

// Histogram adds a distribution over the given upper bounds, which ascend.
func (s *Set) Histogram(name, help string, bounds []float64) *Histogram {
	return s.Histograms(name, help, bounds).With()
}

// Histograms adds distributions with labels.
func (s *Set) Histograms(name, help string, bounds []float64, labels ...string) *Vec[*Histogram] {
	return addVec(s, name, help, "histogram", labels, func() *Histogram {
		return &Histogram{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
	})
}

// Read adds a gauge whose value is read when it is written.
func (s *Set) Read(name, help string, value func() float64) {
	s.sources = append(s.sources, func(p *page) { p.single(s.prefix+name, help, "gauge", value()) })
}

// ReadEach adds gauges with one label, read when they are written.
func (s *Set) ReadEach(name, help, label string, values func() map[string]float64) {
	s.sources = append(s.sources, func(p *page) {
		b := p.begin(s.prefix+name, help, "gauge")
		for value, v := range values() {
			b.add("", labelText([]string{label}, []string{value}), v)
		}
		slices.SortFunc(b.lines, func(a, b line) int { return strings.Compare(a.labels, b.labels) })
	})
}

// series is one row of a family, or several that belong together.
type series interface {
	write(b *block, labels string)
}

// Vec is a family of metrics that differ in the values of their labels.
type Vec[M series] struct {
	labels []string
	make   func() M

	mu sync.RWMutex
	by map[string]M // by the labels as they are written
}

func addVec[M series](s *Set, name, help, kind string, labels []string, make func() M) *Vec[M] {
	v := &Vec[M]{labels: labels, make: make, by: map[string]M{}}
	s.sources = append(s.sources, func(p *page) { v.write(p.begin(s.prefix+name, help, kind)) })
	return v
}

// With returns the metric with these values, in the order of the labels; missing values are empty. Every value takes
// memory, so values must come from the program, never from outside.
func (v *Vec[M]) With(values ...string) M {
	key := labelText(v.labels, values)
	v.mu.RLock()
	m, ok := v.by[key]
	v.mu.RUnlock()
	if ok {
		return m
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if m, ok = v.by[key]; !ok {
		m = v.make()
		v.by[key] = m
	}
	return m
}

func (v *Vec[M]) write(b *block) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, key := range slices.Sorted(maps.Keys(v.by)) {
		v.by[key].write(b, key)
	}
}

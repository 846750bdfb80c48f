// Package metric counts and measures, and writes the results in Prometheus's text format.
//
// It is for a program's own few dozen families. Names, labels and help are written as given; tests parse them with
// Prometheus's own parser.
package metric

import (
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
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
func (s *Set) Counters(name, help string, labels ...string) *Counters {
	c := &Counters{labels: labels, by: map[string]*Counter{}}
	s.sources = append(s.sources, func(p *page) { c.write(p.begin(s.prefix+name, help, "counter")) })
	return c
}

// Read adds a gauge whose value is read when it is written.
func (s *Set) Read(name, help string, value func() float64) {
	s.sources = append(s.sources, func(p *page) { p.single(s.prefix+name, help, "gauge", value()) })
}

// ReadEach adds gauges with one label, read when they are written.
func (s *Set) ReadEach(name, help, label string, values func() map[string]float64) {
	s.sources = append(s.sources, func(p *page) {
		b, each := p.begin(s.prefix+name, help, "gauge"), values()
		for _, value := range slices.Sorted(maps.Keys(each)) {
			b.add(labelText([]string{label}, []string{value}), each[value])
		}
	})
}

// Counter is a count that only grows.
type Counter struct{ n atomic.Uint64 }

// Inc counts one.
func (c *Counter) Inc() { c.n.Add(1) }

// Add counts n.
func (c *Counter) Add(n uint64) { c.n.Add(n) }

// Counters are a family of counters that differ in the values of their labels.
type Counters struct {
	labels []string

	mu sync.Mutex
	by map[string]*Counter // by the labels as they are written
}

// With returns the counter with these values, in the order of the labels; missing values are empty. Every value takes
// memory, so values must come from the program, never from outside.
func (c *Counters) With(values ...string) *Counter {
	key := labelText(c.labels, values)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by[key] == nil {
		c.by[key] = new(Counter)
	}
	return c.by[key]
}

func (c *Counters) write(b *block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(c.by)) {
		b.add(key, float64(c.by[key].n.Load()))
	}
}

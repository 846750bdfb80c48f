package metric

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Counter is a count that only grows.
type Counter struct{ n atomic.Uint64 }

// Inc counts one.
func (c *Counter) Inc() { c.n.Add(1) }

// Add counts n.
func (c *Counter) Add(n uint64) { c.n.Add(n) }

func (c *Counter) write(b *block, labels string) { b.add("", labels, float64(c.n.Load())) }

// Gauge is a value that goes up and down.
type Gauge struct{ bits atomic.Uint64 }

// Set sets the value.
func (g *Gauge) Set(v float64) { g.bits.Store(math.Float64bits(v)) }

func (g *Gauge) write(b *block, labels string) {
	b.add("", labels, math.Float64frombits(g.bits.Load()))
}

// Histogram is a distribution of values.
type Histogram struct {
	bounds []float64

	mu     sync.Mutex
	counts []uint64 // for each bound, and for what is over the last
	sum    float64
}

// Observe adds a value.
func (h *Histogram) Observe(v float64) {
	i, _ := slices.BinarySearch(h.bounds, v) // a bound belongs to its own bucket
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[i]++
	h.sum += v
}

func (h *Histogram) write(b *block, labels string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var n uint64
	for i, count := range h.counts {
		n += count
		bound := math.Inf(1)
		if i < len(h.bounds) {
			bound = h.bounds[i]
		}
		b.add("_bucket", withLabel(labels, "le", number(bound)), float64(n))
	}
	b.add("_sum", labels, h.sum)
	b.add("_count", labels, float64(n))
}

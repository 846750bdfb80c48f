package cli

import (
	"fmt"
	"sync"
	"time"

	"tend/internal/engine/fleet"
)

// parallel is fleet.Parallel with a progress line for large jobs.
func (a *app) parallel(n, atOnce int, do func(i int)) {
	bar := a.progress(n)
	fleet.Parallel(n, atOnce, func(i int) {
		do(i)
		bar.step()
	})
	bar.end()
}

// bar is a progress line on a terminal, shown for large jobs.
type bar struct {
	a     *app
	total int
	mu    sync.Mutex
	done  int
	shown time.Time
}

func (a *app) progress(total int) *bar {
	if total < 20 || a.quiet || a.json || !isTerminal(a.errw) {
		return &bar{}
	}
	return &bar{a: a, total: total}
}

func (b *bar) step() {
	if b.a == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done++
	if b.done < b.total && time.Since(b.shown) < 100*time.Millisecond {
		return
	}
	b.shown = time.Now()
	const width = 30
	full := b.done * width / b.total
	fmt.Fprintf(b.a.errw, "\r[%-*s] %d/%d", width, "##############################"[:full], b.done, b.total)
}

func (b *bar) end() {
	if b.a != nil {
		fmt.Fprint(b.a.errw, "\r\x1b[K")
	}
}

package web

import (
	"cmp"
	"context"
	"html/template"
	"slices"
	"strings"
	"sync"
	"time"

	"tend/internal/engine/fleet"
	"tend/internal/model/finding"
)

// row is an agent on the fleet page.
type row struct {
	Name    string
	Verdict fleet.Verdict
	Seen    bool // it was examined; otherwise only the keeper's findings are known
	Layout  string
	More    int  // other findings
	Open    int  // unacknowledged findings
	Waiting int  // proposals
	Inbox   bool // something needs a decision
	Drift   bool
	Loaded  *gauge
	Buffer  *gauge
	Last    *moment
	Next    *moment
	Spark   spark
	Acted   time.Time // time of the last action

	html template.HTML
	at   time.Time // when it was examined
}

// moment is a time with what happens then.
type moment struct {
	At   time.Time
	What string
}

// rank puts the worst first.
func (r *row) rank() int {
	switch {
	case r.Verdict.Word == fleet.Disabled:
		return -1
	case r.Verdict.Severity > finding.Info && r.Loaded != nil && r.Loaded.Lost > 0:
		return 3 + 2*int(r.Verdict.Severity) // text hidden from the model ranks above other problems of the same severity
	case r.Verdict.Severity > finding.Info:
		return 2 + 2*int(r.Verdict.Severity)
	case r.Waiting > 0:
		return 1
	}
	return 0
}

func (r *row) share() float64 {
	if r.Loaded == nil {
		return 0
	}
	return r.Loaded.Share()
}

type order struct {
	Key, Title string
	less       func(a, b *row) int
}

type filter struct {
	Key, Title string
	holds      func(*row) bool
}

// The orders and filters of the fleet page.
var orders = []order{
	{"worst", "worst first", func(a, b *row) int { return cmp.Or(b.rank()-a.rank(), b.Open-a.Open, strings.Compare(a.Name, b.Name)) }},
	{"name", "name", func(a, b *row) int { return strings.Compare(a.Name, b.Name) }},
	{"size", "fullest first", func(a, b *row) int { return cmp.Or(cmp.Compare(b.share(), a.share()), strings.Compare(a.Name, b.Name)) }},
	{"recent", "last action first", func(a, b *row) int { return cmp.Or(b.Acted.Compare(a.Acted), strings.Compare(a.Name, b.Name)) }},
}

var filters = []filter{
	{"all", "all", func(*row) bool { return true }},
	{"attention", "needs attention", func(r *row) bool { return r.rank() > 0 }},
	{"drift", "drifted", func(r *row) bool { return r.Drift }},
	{"waiting", "proposals", func(r *row) bool { return r.Waiting > 0 }},
	{"well", "well", func(r *row) bool { return r.rank() == 0 }},
	{"inbox", "", func(r *row) bool { return r.Inbox }}, // for the inbox
}

// orderNamed and filterNamed find one by its key; an unknown key gives the first.
func orderNamed(key string) int {
	return max(0, slices.IndexFunc(orders, func(o order) bool { return o.Key == key }))
}

func filterNamed(key string) int {
	return max(0, slices.IndexFunc(filters, func(f filter) bool { return f.Key == key }))
}

// board has the state of every agent. It is updated agent by agent as the keeper reports changes, and only while someone
// uses the dashboard.
type board struct {
	look  func(string) *row
	draw  func(*row) template.HTML
	shown func(agent string) // called when a row has changed

	mu     sync.Mutex
	rows   map[string]*row
	dirty  map[string]bool
	queue  []string
	viewed time.Time
	wake   chan struct{}
	cancel context.CancelFunc
	over   sync.WaitGroup
}

// awakeFor is how long after a visit changes are still processed at once.
const awakeFor = 15 * time.Minute

func newBoard(look func(string) *row, draw func(*row) template.HTML, shown func(string)) *board {
	b := &board{look: look, draw: draw, shown: shown, rows: map[string]*row{}, dirty: map[string]bool{}, wake: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel = cancel
	b.over.Go(func() { b.run(ctx) })
	return b
}

func (b *board) close() {
	b.cancel()
	b.over.Wait()
}

// visit records that someone is looking, and starts examining agents that are not known yet.
func (b *board) visit() {
	b.mu.Lock()
	asleep := time.Since(b.viewed) > awakeFor
	b.viewed = time.Now()
	b.mu.Unlock()
	if asleep {
		b.kick()
	}
}

func (b *board) kick() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// set replaces the agents. begin returns the initial row of one that was not examined yet.
func (b *board) set(names []string, begin func(string) *row) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rows := make(map[string]*row, len(names))
	for _, name := range names {
		r := b.rows[name]
		if r == nil {
			r = begin(name)
			r.html = b.draw(r)
			b.mark(name)
		}
		rows[name] = r
	}
	b.rows = rows
}

// named reports whether a word of a name begins with the query: "code-reviewer" is found by "code" and by "rev".
func named(name, query string) bool {
	name, query = strings.ToLower(name), strings.ToLower(query)
	for i := range name {
		if strings.HasPrefix(name[i:], query) && (i == 0 || strings.IndexByte("-_. /0123456789", name[i-1]) >= 0) {
			return true
		}
	}
	return query == ""
}

// touch schedules an agent to be examined again.
func (b *board) touch(name string) {
	b.mu.Lock()
	b.mark(name)
	awake := time.Since(b.viewed) <= awakeFor
	b.mu.Unlock()
	if awake {
		b.kick()
	}
}

// mark records that an agent must be examined. The caller holds the lock.
func (b *board) mark(name string) {
	if !b.dirty[name] {
		b.dirty[name] = true
		b.queue = append(b.queue, name)
	}
}

// run examines agents one after the other, as long as someone uses the dashboard.
func (b *board) run(ctx context.Context) {
	for {
		name := b.next()
		if name == "" {
			select {
			case <-ctx.Done():
				return
			case <-b.wake:
			}
			continue
		}
		if ctx.Err() != nil {
			return
		}
		b.put(b.look(name))
	}
}

func (b *board) next() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) > 0 && time.Since(b.viewed) <= awakeFor {
		name := b.queue[0]
		b.queue = b.queue[1:]
		if b.dirty[name] {
			delete(b.dirty, name)
			return name
		}
	}
	return ""
}

// put replaces an agent's row.
func (b *board) put(r *row) {
	r.html, r.at = b.draw(r), time.Now()
	b.mu.Lock()
	old := b.rows[r.Name]
	if old != nil { // otherwise it is no longer configured
		b.rows[r.Name] = r
	}
	b.mu.Unlock()
	if old != nil && old.html != r.html {
		b.shown(r.Name)
	}
}

// cut is a part of a list.
type cut struct {
	rows  []*row
	total int
}

func (c cut) names() []string {
	names := make([]string, len(c.rows))
	for i, r := range c.rows {
		names[i] = r.Name
	}
	return names
}

// page returns a page of the agents with a word that begins with the query, or of all.
func (b *board) page(order, filter int, query string, from, most int) cut {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []*row
	for _, r := range b.rows {
		if filters[filter].holds(r) && named(r.Name, query) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, orders[order].less)
	from = min(max(from, 0), len(list))
	return cut{list[from:min(from+most, len(list))], len(list)}
}

// counts returns how many agents each filter has.
func (b *board) counts() []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]int, len(filters))
	for _, r := range b.rows {
		for j, f := range filters {
			if f.holds(r) {
				out[j]++
			}
		}
	}
	return out
}

// staleAfter is the age at which a visible row is examined again.
const staleAfter = time.Minute

// fresh updates the rows of a page before it is shown, as far as that can be done at once.
func (b *board) fresh(ctx context.Context, rows []*row) (changed bool) {
	var names []string
	b.mu.Lock()
	for _, r := range rows {
		switch {
		case b.dirty[r.Name] && !r.Seen:
			delete(b.dirty, r.Name)
			names = append(names, r.Name)
		case r.Seen && time.Since(r.at) > staleAfter: // not all that is shown is reported when it changes
			b.mark(r.Name)
		}
	}
	b.mu.Unlock()
	b.kick()
	if len(names) == 0 {
		return false
	}
	fleet.Parallel(len(names), 4, func(i int) {
		if ctx.Err() == nil {
			b.put(b.look(names[i]))
			return
		}
		b.touch(names[i])
	})
	return true
}

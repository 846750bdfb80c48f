package keeper

import (
	"context"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
	"tend/internal/app/memory/toolerr"
	"tend/internal/engine/fleet"
	"tend/internal/engine/schedule"
	"tend/internal/front/mcp"
	"tend/internal/state/findinglog"
)

// healthWait is how long an agent's files, or the watcher, may take to answer.
const healthWait = 5 * time.Second

// Known reports whether an agent is configured.
func (k *Keeper) Known(agent string) bool {
	_, err := k.gen.config().Agent(agent)
	return err == nil
}

// Status returns the state of agents, of all if none is named.
func (k *Keeper) Status(ctx context.Context, agents []string) []fleet.State {
	f, done := k.gen.use()
	defer done()
	if len(agents) == 0 {
		agents = f.Config.Names()
	}
	noticed := func(agent string) []findinglog.Notice { return k.books.list(agent) }
	return f.States(ctx, agents, fleet.Survey{Wait: healthWait, Jobs: true, Noticed: noticed})
}

// Findings lists the findings of agents, of all if none is named.
func (k *Keeper) Findings(agents []string) []findinglog.Notice { return k.books.list(agents...) }

// Acknowledge records that a person has seen findings.
func (k *Keeper) Acknowledge(agent string, ids []string, ack findinglog.Ack) ([]findinglog.Notice, error) {
	done, err := findinglog.Acknowledge(k.state, agent, ids, ack)
	k.site.Changed(agent)
	if err == nil && k.o.Replica != nil && agent != findinglog.NoAgent {
		f, release := k.gen.use()
		defer release()
		err = k.o.Replica.Publish(context.Background(), f, agent)
	}
	return done, err
}

// Use returns the fleet of the current configuration, which stays open until done is called.
func (k *Keeper) Use() (f *fleet.Fleet, done func()) { return k.gen.use() }

// FilesChanged queues an agent's changes for history and updates its page.
func (k *Keeper) FilesChanged(agent string) {
	if k.o.Replica == nil { // the journal is a replica's history
		k.history.add(agent)
	}
	k.site.Changed(agent)
}

// Timetable returns the schedule of an agent's jobs.
func (k *Keeper) Timetable(agent string) []schedule.Entry { return k.times.agentEntries(agent) }

// Memory serves an agent's memory.
func (k *Keeper) Memory(agent string, readOnly bool) (http.Handler, error) {
	return k.memories.get(agent, readOnly)
}

// memories holds the open memories of agents. Each is opened at the first request and closed when idle.
type memories struct {
	k      *Keeper
	life   context.Context
	cancel context.CancelFunc

	mu   sync.Mutex
	open map[memoryKey]*openMemory
}

type memoryKey struct {
	agent    string
	readOnly bool
}

// openMemory is a memory that is open or being opened.
type openMemory struct {
	begin func() error // opens it once; concurrent requests wait
	serve http.Handler
	end   func()
	used  time.Time
	users int
	old   bool // close it when its last user is done
}

func (o *openMemory) close() {
	if o.end != nil {
		o.end()
	}
}

// maxOpen bounds the number of open memories; each keeps a workspace open.
const maxOpen = 128

// idleAfter is when an unused memory is closed.
const idleAfter = 10 * time.Minute

func newMemories(k *Keeper) *memories {
	d := &memories{k: k, open: map[memoryKey]*openMemory{}}
	d.life, d.cancel = context.WithCancel(context.Background())
	return d
}

// get opens a memory without blocking requests for others: a host that does not answer affects only its agents.
func (d *memories) get(agent string, readOnly bool) (http.Handler, error) {
	o, evicted := d.addUser(memoryKey{agent, readOnly})
	if evicted != nil {
		evicted.close()
	}
	if err := o.begin(); err != nil {
		d.dropMatching(func(x *openMemory) bool { return x == o })
		d.removeUser(o)
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer d.removeUser(o)
		if err := d.k.store.refreshAgent(r.Context(), agent); err != nil {
			d.k.logError(agent, "update the memory from the store", err)
			w.Header().Set("Retry-After", "1")
			http.Error(w, "this agent's memory cannot be served now: the store does not answer", http.StatusServiceUnavailable)
			return
		}
		o.serve.ServeHTTP(w, r)
	}), nil
}

// addUser adds a user to a memory. If another was evicted for it, the caller must close that one.
func (d *memories) addUser(key memoryKey) (o, evicted *openMemory) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o = d.open[key]; o == nil {
		evicted = d.evictOldest()
		o = &openMemory{}
		o.begin = sync.OnceValue(func() error { return d.openMemory(key, o) })
		d.open[key] = o
	}
	o.users++
	o.used = time.Now()
	return o, evicted
}

// evictOldest removes the least recently used memory if there are too many. It returns it if it has no users; otherwise its
// last user closes it.
func (d *memories) evictOldest() *openMemory {
	if len(d.open) < maxOpen {
		return nil
	}
	var last memoryKey
	for key, o := range d.open {
		if x := d.open[last]; x == nil || o.used.Before(x.used) {
			last = key
		}
	}
	o := d.open[last]
	delete(d.open, last)
	if o.old = true; o.users > 0 {
		return nil
	}
	return o
}

func (d *memories) openMemory(key memoryKey, o *openMemory) error {
	f, done := d.k.gen.use()
	a, err := f.Agent(d.life, key.agent)
	if err != nil {
		done()
		return err
	}
	m := memory.New(a, memory.Options{Log: d.k.o.Log, Refused: func(call string, e *toolerr.Error) { d.k.reportRefusal(a.Name, call, e) }})
	end := func() {
		d.k.logError(a.Name, "close memory", a.Close())
		done()
	}
	s, err := mcp.New(m, mcp.Options{Version: d.k.o.Version, ReadOnly: key.readOnly, NoTools: !a.MemoryTools})
	if err != nil {
		end()
		return err
	}
	o.serve, o.end = mcp.Handler(func(*http.Request) *sdk.Server { return s }), end
	return nil
}

func (d *memories) removeUser(o *openMemory) {
	d.mu.Lock()
	o.users--
	o.used = time.Now()
	last := o.old && o.users == 0
	d.mu.Unlock()
	if last {
		o.close()
	}
}

// closeIdle closes idle memories.
func (d *memories) closeIdle() {
	d.dropMatching(func(o *openMemory) bool { return time.Since(o.used) > idleAfter })
}

// dropAll drops all memories, so that the next requests open them with the current configuration.
func (d *memories) dropAll() { d.dropMatching(func(*openMemory) bool { return true }) }

func (d *memories) dropMatching(which func(*openMemory) bool) {
	d.mu.Lock()
	var idle []*openMemory
	for key, o := range d.open {
		if !which(o) {
			continue
		}
		delete(d.open, key)
		if o.old = true; o.users == 0 {
			idle = append(idle, o)
		}
	}
	d.mu.Unlock()
	for _, o := range idle {
		o.close()
	}
}

func (d *memories) close() {
	d.cancel()
	d.dropAll()
}

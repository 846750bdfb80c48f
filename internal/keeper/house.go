package keeper

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/fleet"
	"tend/internal/hint"
	"tend/internal/keeper/door"
	"tend/internal/mcp"
	"tend/internal/memory"
	"tend/internal/memory/refusal"
	"tend/internal/notice"
	"tend/internal/schedule"
)

// healthWait is how long the watch may take to answer.
const healthWait = 5 * time.Second

// Known reports whether an agent is configured.
func (k *Keeper) Known(agent string) bool {
	_, err := k.gen.config().Agent(agent)
	return err == nil
}

// Status looks at agents, all if none is named.
func (k *Keeper) Status(ctx context.Context, agents []string) []door.Status {
	f, done := k.gen.use()
	defer done()
	if len(agents) == 0 {
		agents = f.Config.Names()
	}
	out := make([]door.Status, len(agents))
	fleet.Parallel(len(agents), runtime.GOMAXPROCS(0), func(i int) {
		ctx, cancel := context.WithTimeout(ctx, healthWait)
		defer cancel()
		out[i] = door.Status{Status: f.Status(ctx, agents[i]), Jobs: map[string]hint.Run{}}
		if a, err := f.Records(agents[i]); err == nil {
			if runs, err := a.Hints.Runs(); err == nil {
				out[i].Jobs = runs
			}
		}
	})
	return out
}

// Findings lists findings, of all if no agent is named.
func (k *Keeper) Findings(agents []string) []notice.Notice { return k.books.list(agents...) }

// Acknowledge notes that a person has seen findings.
func (k *Keeper) Acknowledge(agent string, ids []string, ack notice.Ack) ([]notice.Notice, error) {
	done, err := notice.Acknowledge(k.state, agent, ids, ack)
	k.site.Changed(agent)
	if err == nil && k.o.Replica != nil && agent != notice.House {
		f, release := k.gen.use()
		defer release()
		err = k.o.Replica.Publish(context.Background(), f, agent)
	}
	return done, err
}

// Use gives the fleet as it is configured now, until done is called.
func (k *Keeper) Use() (f *fleet.Fleet, done func()) { return k.gen.use() }

// Settled takes in what was written to an agent's files.
func (k *Keeper) Settled(agent string) {
	if k.o.Replica == nil { // the journal is a replica's history
		k.history.add(agent)
	}
	k.site.Changed(agent)
}

// Timetable is when the jobs of an agent are due.
func (k *Keeper) Timetable(agent string) []schedule.Entry { return k.times.of(agent) }

// Memory serves an agent's memory.
func (k *Keeper) Memory(agent string, readOnly bool) (http.Handler, error) {
	return k.doors.get(agent, readOnly)
}

// doors are the open memories of agents. Each is opened when somebody first asks and
// closed when nobody has for a while.
type doors struct {
	k      *Keeper
	life   context.Context
	cancel context.CancelFunc

	mu   sync.Mutex
	open map[doorKey]*opened
}

type doorKey struct {
	agent    string
	readOnly bool
}

// opened is a memory that is open, or about to be.
type opened struct {
	begin func() error // opens it, once; everybody who asks waits for that
	serve http.Handler
	end   func()
	used  time.Time
	users int
	old   bool // to be closed when its last user is done
}

func (o *opened) close() {
	if o.end != nil {
		o.end()
	}
}

// mostOpen bounds the memories that are open at once; each holds a workspace.
const mostOpen = 128

// idleAfter is when a memory that nobody asked for is closed.
const idleAfter = 10 * time.Minute

func newDoors(k *Keeper) *doors {
	d := &doors{k: k, open: map[doorKey]*opened{}}
	d.life, d.cancel = context.WithCancel(context.Background())
	return d
}

// get opens a memory without keeping those waiting who ask for another: a host that
// does not answer is one agent's trouble.
func (d *doors) get(agent string, readOnly bool) (http.Handler, error) {
	o, evicted := d.enter(doorKey{agent, readOnly})
	if evicted != nil {
		evicted.close()
	}
	if err := o.begin(); err != nil {
		d.drop(func(x *opened) bool { return x == o })
		d.leave(o)
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer d.leave(o)
		if err := d.k.store.fresh(r.Context(), agent); err != nil {
			d.k.failed(agent, "bring the memory up to date", err)
			w.Header().Set("Retry-After", "1")
			http.Error(w, "this agent's memory cannot be served now: the store does not answer", http.StatusServiceUnavailable)
			return
		}
		o.serve.ServeHTTP(w, r)
	}), nil
}

// enter adds a user to a memory. If another one has to make room for it, the caller must close that one.
func (d *doors) enter(key doorKey) (o, evicted *opened) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o = d.open[key]; o == nil {
		evicted = d.makeRoom()
		o = &opened{}
		o.begin = sync.OnceValue(func() error { return d.make(key, o) })
		d.open[key] = o
	}
	o.users++
	o.used = time.Now()
	return o, evicted
}

// makeRoom takes out the memory that was asked for longest ago when there are too many.
// It returns it if nobody uses it any more; otherwise its last user closes it.
func (d *doors) makeRoom() *opened {
	if len(d.open) < mostOpen {
		return nil
	}
	var last doorKey
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

func (d *doors) make(key doorKey, o *opened) error {
	f, done := d.k.gen.use()
	a, err := f.Agent(d.life, key.agent)
	if err != nil {
		done()
		return err
	}
	m := memory.New(a, memory.Options{Log: d.k.o.Log, Refused: func(call string, e *refusal.Error) { d.k.refused(a.Name, call, e) }})
	life, cancel := context.WithCancel(d.life)
	end := func() {
		cancel()
		d.k.failed(a.Name, "close memory", errors.Join(m.Close(), a.Close()))
		done()
	}
	s, err := mcp.New(life, m, mcp.Options{Version: d.k.o.Version, ReadOnly: key.readOnly, NoTools: !a.MemoryTools})
	if err != nil {
		end()
		return err
	}
	o.serve, o.end = mcp.Handler(func(*http.Request) *sdk.Server { return s }), end
	return nil
}

func (d *doors) leave(o *opened) {
	d.mu.Lock()
	o.users--
	o.used = time.Now()
	last := o.old && o.users == 0
	d.mu.Unlock()
	if last {
		o.close()
	}
}

// sweep closes what nobody has asked for in a while.
func (d *doors) sweep() { d.drop(func(o *opened) bool { return time.Since(o.used) > idleAfter }) }

// renew drops everything, so that the next request opens it under the current configuration.
func (d *doors) renew() { d.drop(func(*opened) bool { return true }) }

func (d *doors) drop(which func(*opened) bool) {
	d.mu.Lock()
	var idle []*opened
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

func (d *doors) close() {
	d.cancel()
	d.renew()
}

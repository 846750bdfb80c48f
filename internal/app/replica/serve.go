package replica

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
	"tend/internal/engine/schedule"
	"tend/internal/state/ledger"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/workcopy"
)

// Replica serves all agents of a store from a disposable folder. Everything it has is also in the store: any number
// of them run at once, without a shared disk or synchronized clocks.
type Replica struct {
	ID  string
	Dir string // tend.yaml, state, workspaces

	conn  *dial.Connected
	peers *peers
	peer  Peer
	lock  interface{ Close() error }

	mu      sync.Mutex
	known   string // the file with the newest entry of the fleet's journal that replicas of this machine have seen
	common  Common
	config  *config.Config // parsed from common
	mirrors map[string]*localAgent
	heard   func(Event, uint64)
}

// Event is something a replica did, for metrics.
type Event string

// The events. A request to the store is named by its kind.
const (
	Committed  Event = "committed"  // an entry of this replica
	Conflicted Event = "conflicted" // another replica was faster
	Fetched    Event = "fetched"    // an entry of another replica
)

// Hear sets the function that counts events.
func (r *Replica) Hear(count func(e Event, n uint64)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = count
}

// Options configure a replica.
type Options struct {
	Settings dial.Settings
	// Cache is the parent of the replica's folder; "" for the system's temporary folder.
	Cache   string
	Version string
	Log     *slog.Logger
	// FleetAt is an entry of the fleet's journal that must be there, 0 if none is known.
	FleetAt uint64
	// Beat is the heartbeat interval, Silent how long without one until others consider the replica dead; 0 for the
	// defaults.
	Beat, Silent time.Duration
}

// Start connects to a store, tests it, and loads the configuration. Run keeps it alive.
func Start(ctx context.Context, o Options) (r *Replica, err error) {
	conn, err := dial.Connect(ctx, o.Settings)
	if err != nil {
		return nil, Explain(err)
	}
	if conn.Syncing {
		return nil, errors.Join(Explain(fmt.Errorf("%s: %w", conn.Name(), dial.ErrSyncing)), conn.Close())
	}
	if err := store.Check(ctx, conn); err != nil {
		return nil, errors.Join(Explain(err), conn.Close())
	}
	id := strings.ToLower(rand.Text()[:10])
	host, _ := os.Hostname()
	r = &Replica{ID: id, conn: conn, peers: newPeers(id), mirrors: map[string]*localAgent{}}
	conn.Store = store.Counted(conn.Store, func(request string) { r.count(Event(request), 1) })
	r.peer = Peer{ID: id, Host: host, Version: o.Version, Began: time.Now().UTC()}
	if o.Beat > 0 {
		r.peers.every, r.peers.after = o.Beat, o.Silent
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
			r = nil
		}
	}()
	if err := r.makeFolder(o.Cache); err != nil {
		return r, err
	}
	r.known = filepath.Join(filepath.Dir(r.Dir), "fleet-"+conn.ID)
	r.peers.newest = max(o.FleetAt, readKnown(r.known))
	if err := r.peers.readAlive(ctx, conn); err != nil { // before the journal is read: what another replica had seen must be in it
		return r, Explain(err)
	}
	c, err := ReadCommon(ctx, conn)
	if err == nil {
		err = r.checkComplete(c)
	}
	if err != nil {
		return r, err
	}
	if err := r.installCommon(c); err != nil {
		return r, err
	}
	return r, Explain(r.sendBeat(ctx))
}

// installCommon puts what belongs to all agents where the keeper reads it.
func (r *Replica) installCommon(c Common) error {
	cfg, err := c.Parse(r.Dir)
	if err == nil && !r.conn.Sealed {
		err = checkConfined(cfg, r.Dir)
	}
	if err != nil {
		return fmt.Errorf("the configuration in %s: %w", r.conn.Name(), err)
	}
	put := func(name, text string) error {
		if old, err := fsys.ReadFile(filepath.Join(r.Dir, name)); err == nil && string(old) == text {
			return nil
		}
		return vault.ReplaceFile(filepath.Join(r.Dir, name), []byte(text), 0o600)
	}
	if c.Tokens != "" {
		if err := put("state/tokens.json", c.Tokens); err != nil {
			return err
		}
	}
	r.mu.Lock()
	r.common, r.config, r.peer.Fleet = c, cfg, c.At.N
	r.mu.Unlock()
	return errors.Join(put("tend.yaml", c.Config), r.saveKnown(c.At.N))
}

// Load returns a copy of the current configuration. It was parsed when it arrived: with thousands of agents that
// takes a while. The agents in it are shared: do not change them.
func (r *Replica) Load() *config.Config {
	r.mu.Lock()
	defer r.mu.Unlock()
	cfg := *r.config
	return &cfg
}

// Since returns when an agent was added to the store.
func (r *Replica) Since(agent string) (time.Time, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.common.Since[agent]
	return t, ok
}

// Run sends heartbeats, learns which other replicas are alive, and follows changes of the configuration, until ctx
// ends. say is called with an error, or nil when all is well again.
func (r *Replica) Run(ctx context.Context, say func(error)) {
	t := time.NewTicker(r.peers.every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		err := r.sendBeat(ctx)
		if err == nil {
			err = r.followCommon(ctx)
		}
		if ctx.Err() == nil {
			say(Explain(err))
		}
	}
}

func (r *Replica) sendBeat(ctx context.Context) error {
	r.mu.Lock()
	r.peer.Beat++
	data, err := json.Marshal(r.peer)
	r.mu.Unlock()
	if err == nil {
		err = r.conn.Put(ctx, peerKey(r.ID), data)
	}
	if err == nil {
		err = r.peers.readAlive(ctx, r.conn)
	}
	return err
}

// followCommon loads what was changed for all agents.
func (r *Replica) followCommon(ctx context.Context) error {
	at := r.commonNow().At
	if _, _, err := journal.Fleet(r.conn).Next(ctx, at); err != nil {
		if errors.Is(err, journal.ErrEnd) {
			return r.checkComplete(r.commonNow())
		}
		return err
	}
	c, err := ReadCommon(ctx, r.conn)
	if err == nil {
		err = r.checkComplete(c)
	}
	if err != nil {
		return err
	}
	return r.installCommon(c)
}

// Close deregisters the replica and removes its folder: everything in it is in the store.
func (r *Replica) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = r.conn.Delete(ctx, peerKey(r.ID)) // otherwise the others wait until it is considered dead
	errs := []error{r.conn.Close()}
	if r.lock != nil {
		errs = append(errs, r.removeFolder(), r.lock.Close())
	}
	return errors.Join(errs...)
}

// Mine reports whether this replica runs an agent's jobs.
func (r *Replica) Mine(agent string) bool { return r.peers.ownerOf(agent) == r.ID }

// Peers returns how many replicas are alive.
func (r *Replica) Peers() int { return r.peers.count() }

// AgentsHere returns how many agents' files are here.
func (r *Replica) AgentsHere() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.mirrors)
}

func (r *Replica) count(e Event, n uint64) {
	r.mu.Lock()
	hear := r.heard
	r.mu.Unlock()
	if hear != nil && n > 0 {
		hear(e, n)
	}
}

func (r *Replica) mirrorOf(agent string) *workcopy.Mirror {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.mirrors[agent]
	if h == nil {
		h = &localAgent{Mirror: workcopy.NewMirror(r.conn, r.conn.ID, agent)}
		r.mirrors[agent] = h
	}
	h.used = time.Now()
	return h.Mirror
}

// localAgent is an agent with files on this disk.
type localAgent struct {
	*workcopy.Mirror
	used time.Time
}

// idle is how long an agent must be unused before its files may be removed. It is longer than a keeper keeps a memory
// open.
const idle = 15 * time.Minute

// Trim removes the files of the least recently used agents, until the rest is within store.cache_size.
func (r *Replica) Trim(ctx context.Context, f *fleet.Fleet) error { return r.trimIdle(ctx, f, idle) }

func (r *Replica) trimIdle(ctx context.Context, f *fleet.Fleet, idle time.Duration) error {
	type row struct {
		agent string
		localAgent
		size int64
	}
	r.mu.Lock()
	maxSize := int64(r.config.Store.CacheSize)
	var all []row
	for agent, h := range r.mirrors {
		all = append(all, row{agent: agent, localAgent: *h})
	}
	r.mu.Unlock()
	total := int64(0)
	for i := range all {
		all[i].size = all[i].Size()
		total += all[i].size
	}
	slices.SortFunc(all, func(a, b row) int { return a.used.Compare(b.used) })
	for _, x := range all {
		if total <= maxSize || time.Since(x.used) < idle {
			return nil
		}
		err := r.withLocked(ctx, f, x.agent, func(p workcopy.Paths, s *ledger.Session) error { return x.Evict(ctx, p, s) })
		if err != nil {
			return err
		}
		r.mu.Lock()
		if h := r.mirrors[x.agent]; h != nil && h.used.Equal(x.used) {
			delete(r.mirrors, x.agent)
		}
		r.mu.Unlock()
		total -= x.size
	}
	return nil
}

// who is the author of a replica's own changes.
const who = "replica"

// Ready fetches an agent's files, if they may be older than store.freshness.
func (r *Replica) Ready(ctx context.Context, f *fleet.Fleet, agent string) error {
	m := r.mirrorOf(agent)
	r.mu.Lock()
	fresh := r.config.Store.Freshness.Std()
	r.mu.Unlock()
	if m.Age() < fresh {
		return nil
	}
	behind, err := m.Behind(ctx)
	if err != nil || !behind {
		return Explain(err)
	}
	return r.withLocked(ctx, f, agent, func(p workcopy.Paths, s *ledger.Session) error {
		n, err := m.CatchUp(ctx, p, s)
		r.count(Fetched, uint64(n))
		return err
	})
}

// withLocked opens an agent's files, takes its lock, and calls do.
func (r *Replica) withLocked(ctx context.Context, f *fleet.Fleet, agent string,
	do func(workcopy.Paths, *ledger.Session) error) (err error) {
	a, err := f.Copy(ctx, agent)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	s, _, err := a.Begin(ctx, who)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p, err := a.WorkingCopy(who)
	if err != nil {
		return err
	}
	return Explain(do(p, s))
}

// Commit makes an agent's action the next entry of its journal.
func (r *Replica) Commit(ctx context.Context, a *fleet.Agent, c ledger.Commitment) (func(error), error) {
	p, err := a.WorkingCopy(who)
	if err != nil {
		return nil, err
	}
	var x workcopy.Extra
	t, scheduled := ctx.Value(turnKey{}).(*turn)
	if scheduled && !t.chain {
		if x, err = t.slotRecord(a.State()); err != nil {
			return nil, err
		}
	}
	done, err := r.mirrorOf(a.Name).Commit(ctx, p, c, x)
	switch {
	case errors.Is(err, vault.ErrChanged):
		r.count(Conflicted, 1)
		return nil, err
	case err != nil:
		return nil, Explain(err)
	}
	if scheduled && !t.chain {
		t.marked = true
	}
	r.count(Committed, 1)
	return done, nil
}

// CommitRest commits what was changed other than by actions.
func (r *Replica) CommitRest(ctx context.Context, a *fleet.Agent, s *ledger.Session) error {
	p, err := a.WorkingCopy(who)
	if err == nil {
		err = r.mirrorOf(a.Name).CommitRest(ctx, p, s)
	}
	if err == nil || !errors.Is(err, vault.ErrChanged) {
		return Explain(err)
	}
	return fmt.Errorf("commit what was changed: %v", err) // not wrapped: the caller must not retry
}

// turn is a job's slot while it is being served.
type turn struct {
	agent, job string
	slot       time.Time
	chain      bool // the job has several actions: the slot is served when all of them are done
	marked     bool // the entry of an action has recorded that the slot is served
}

type turnKey struct{}

// slotsOf reads which slots of an agent's jobs were served.
func slotsOf(state fsys.FS, agent string) (map[string]time.Time, error) {
	slots := map[string]time.Time{}
	return slots, vault.ReadJSON(state, path.Join("agents", agent, journal.SlotsFile), &slots)
}

// slotRecord returns the part of an entry that records that the slot is served, or fleet.ErrServed if it was before. It is empty once
// this turn has recorded it.
func (t *turn) slotRecord(state fsys.FS) (workcopy.Extra, error) {
	slots, err := slotsOf(state, t.agent)
	if err != nil {
		return workcopy.Extra{}, err
	}
	if t.marked {
		return workcopy.Extra{}, nil
	}
	if !slots[t.job].Before(t.slot) {
		return workcopy.Extra{}, fleet.ErrServed
	}
	slots[t.job] = t.slot.UTC()
	text, err := json.Marshal(slots)
	return workcopy.Extra{
		Slot: t.job + " " + t.slot.UTC().Format(time.RFC3339), Records: map[string][]byte{journal.SlotsFile: append(text, '\n')},
	}, err
}

// Serve runs a job for its slot, unless that was already served. The slot is served by the entry that the job's
// action commits, or by an entry without an action: so it is served once, even if two replicas consider it theirs.
func (r *Replica) Serve(ctx context.Context, f *fleet.Fleet, agent, name string, slot time.Time,
	run func(context.Context) schedule.End) (schedule.End, error) {
	if err := r.Ready(ctx, f, agent); err != nil {
		return schedule.Failed, err
	}
	row, _ := table.Named(name)
	t := &turn{agent: agent, job: name, slot: slot, chain: len(row.Chain) > 0}
	a, err := f.Records(agent)
	if err != nil {
		return schedule.Failed, err
	}
	if _, err := t.slotRecord(a.State()); errors.Is(err, fleet.ErrServed) {
		return schedule.Over, nil
	} else if err != nil {
		return schedule.Failed, err
	}
	if end := run(context.WithValue(ctx, turnKey{}, t)); end != schedule.Over || t.marked {
		return end, nil
	}
	err = r.markServed(ctx, f, t)
	if err != nil && !errors.Is(err, fleet.ErrServed) {
		return schedule.Failed, err
	}
	return schedule.Over, nil
}

// markServed commits that a slot was served, for a job with no action or several.
func (r *Replica) markServed(ctx context.Context, f *fleet.Fleet, t *turn) error {
	m := r.mirrorOf(t.agent)
	return r.withLocked(ctx, f, t.agent, func(p workcopy.Paths, s *ledger.Session) error {
		for try := 1; ; try++ {
			if _, err := m.CatchUp(ctx, p, s); err != nil {
				return err
			}
			x, err := t.slotRecord(p.State)
			if err != nil {
				return err
			}
			err = m.Record(ctx, p, p.Clock(), x)
			if err == nil {
				r.count(Committed, 1)
				return nil
			}
			if !errors.Is(err, vault.ErrChanged) || try == commonTries {
				return err
			}
			r.count(Conflicted, 1)
			if err := store.Pause(ctx, min(try, 4)); err != nil {
				return err
			}
		}
	})
}

// Publish commits what was changed of an agent besides its memory.
func (r *Replica) Publish(ctx context.Context, f *fleet.Fleet, agent string) error {
	if err := r.Ready(ctx, f, agent); err != nil {
		return err
	}
	return r.withLocked(ctx, f, agent, func(p workcopy.Paths, s *ledger.Session) error { return r.mirrorOf(agent).CommitRest(ctx, p, s) })
}

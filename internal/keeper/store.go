package keeper

import (
	"context"
	"errors"
	"time"

	"tend/internal/fault"
	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/keeper/clockwork"
	"tend/internal/notice"
	"tend/internal/replica"
	"tend/internal/schedule"
)

// syncStore keeps the agents that are in a shared store in step with it, every store.every.
func (k *Keeper) syncStore(ctx context.Context) {
	c := &storeRounds{k: k}
	c.link.Count = func(request string) { k.metrics.asked.With(request).Inc() }
	defer func() { k.failed("", "close the store", c.link.Close()) }()
	for {
		every := k.gen.config().Store.Every.Std()
		c.round(ctx)
		t := time.NewTimer(every)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
	}
}

// storeRounds syncs all agents again and again.
type storeRounds struct {
	k    *Keeper
	link replica.Link
	told bool // that the store cannot be used
}

// round syncs every agent once.
func (c *storeRounds) round(ctx context.Context) {
	k := c.k
	f, done := k.gen.use()
	defer done()
	if f.Config.Store.URL == "" {
		c.house(nil)
		return
	}
	names, err := replica.Stored(ctx, f)
	if err != nil {
		k.failed("", "look for agents in the store", err)
		return
	}
	if len(names) == 0 {
		c.house(nil)
		return
	}
	conn, err := c.link.Open(ctx, f.Config)
	if err != nil {
		if ctx.Err() == nil {
			k.metrics.syncs.With("failed").Inc()
			c.house(err)
		}
		return
	}
	var lost error
	for _, o := range replica.Sync(ctx, f, conn, names, "keeper") {
		if ctx.Err() != nil {
			return
		}
		switch {
		case errors.Is(o.Err, fsys.ErrLocked):
			k.metrics.syncs.With("locked").Inc() // the next round will do
			continue
		case replica.Unreachable(o.Err):
			lost = o.Err
			k.metrics.syncs.With("failed").Inc()
			continue
		case o.Err != nil:
			k.metrics.syncs.With("refused").Inc()
			k.tell(o.Agent, "store", []finding.Finding{storeFinding(o.Err)}, false)
			continue
		}
		k.metrics.syncs.With("done").Inc()
		k.metrics.entries.With("fetched").Add(uint64(o.Pulled))
		if o.Pushed > 0 {
			k.metrics.entries.With("committed").Inc()
		}
		if o.Pulled+o.Pushed > 0 {
			k.o.Log.Info("synced", "agent", o.Agent, "entry", o.Entry, "fetched", o.Pulled, "sent", o.Pushed, "merged", len(o.Merged), "conflicts", len(o.Conflicts))
		}
		k.tell(o.Agent, "store", nil, false)
		c.hear(o)
	}
	if lost == nil {
		k.synced.Store(nowNano())
	}
	k.failed("", "close the store", c.link.Rest(lost != nil))
	c.house(lost)
}

// hear records what a sync found: states that last until somebody acts, and events.
func (c *storeRounds) hear(o replica.Outcome) {
	k := c.k
	var stay, happened []finding.Finding
	for _, f := range o.Findings {
		switch f.Code {
		case finding.StoreLeftOut.Code, finding.StoreForeign.Code:
			stay = append(stay, f)
		case finding.StoreNewcomer.Code:
			k.metrics.newcomers.Inc()
			happened = append(happened, f)
		default:
			happened = append(happened, f)
		}
	}
	k.metrics.merges.With("merged").Add(uint64(len(o.Merged)))
	k.metrics.merges.With("conflict").Add(uint64(len(o.Conflicts)))
	k.tell(o.Agent, "store files", stay, false)
	k.tell(o.Agent, "sync", happened, true)
}

// house says whether the store can be used at all.
func (c *storeRounds) house(err error) {
	switch {
	case err != nil:
		c.k.tell(notice.House, "store", []finding.Finding{storeFinding(err)}, false)
		c.told = true
	case c.told:
		c.k.tell(notice.House, "store", nil, false)
		c.told = false
	}
}

// storeFinding is an error of the store as a finding.
func storeFinding(err error) finding.Finding {
	kind := finding.StoreRefused
	switch {
	case replica.Unreachable(err):
		kind = finding.StoreUnreachable
	case replica.Damaged(err):
		kind = finding.StoreDamaged
	}
	text := err.Error()
	if hint := fault.HintOf(err); hint != "" {
		text += "; " + hint
	}
	return kind.In("", "%s", text)
}

// storeLag is how long ago all agents were in step, 0 if none is in a store.
func (k *Keeper) storeLag() time.Duration {
	at := k.synced.Load()
	if at == 0 {
		return 0
	}
	return time.Since(time.Unix(0, at))
}

func nowNano() int64 { return time.Now().UnixNano() }

// mine reports whether this process runs an agent's jobs: replicas divide them.
func (k *Keeper) mine(agent string) bool { return k.o.Replica == nil || k.o.Replica.Mine(agent) }

// fresh brings an agent's files here if it lives in a store.
func (k *Keeper) fresh(ctx context.Context, agent string) error {
	f, done := k.gen.use()
	defer done()
	return f.Fresh(ctx, agent)
}

// serve runs scheduled work of an agent that lives in a store, once for its slot.
func (k *Keeper) serve(ctx context.Context, w clockwork.Work, run func(context.Context) schedule.End) schedule.End {
	f, done := k.gen.use()
	defer done()
	end, err := k.o.Replica.Serve(ctx, f, w.Agent, w.Job, w.Slot, run)
	if err != nil {
		k.failed(w.Agent, "serve "+w.Job, err)
		k.tell(w.Agent, "store", []finding.Finding{storeFinding(err)}, false)
		return end
	}
	k.tell(w.Agent, "store", nil, false)
	return end
}

// lookAtStore says that agents are behind the store, and lets go of files of agents that
// nobody uses.
func (k *Keeper) lookAtStore(ctx context.Context) {
	var found []finding.Finding
	if late := k.storeLag(); late > storeLate {
		found = append(found, finding.StoreBehind.In("", "the last time everything here was in step with the store is %s ago", late.Round(time.Second)))
	}
	k.tell(notice.House, "store lag", found, false)
	if k.o.Replica != nil {
		f, done := k.gen.use()
		defer done()
		k.failed("", "make room for other agents", k.o.Replica.Trim(ctx, f))
	}
}

// storeLate is when it is reported that agents are behind.
const storeLate = 5 * time.Minute

// counts counts what a replica does.
func (k *Keeper) counts(e replica.Event, n uint64) {
	switch e {
	case replica.Committed, replica.Fetched:
		k.metrics.entries.With(string(e)).Add(n)
	case replica.Conflicted:
		k.metrics.conflicts.Add(n)
	default:
		k.metrics.asked.With(string(e)).Add(n)
	}
}

// replicas is a number of the replica that this process is.
func (k *Keeper) replicas(of func(*replica.Replica) int) float64 {
	if k.o.Replica == nil {
		return 0
	}
	return float64(of(k.o.Replica))
}

// storeState hears whether the store answers.
func (k *Keeper) storeState(err error) {
	if err == nil {
		k.synced.Store(nowNano())
		k.tell(notice.House, "store", nil, false)
		return
	}
	k.tell(notice.House, "store", []finding.Finding{storeFinding(err)}, false)
}

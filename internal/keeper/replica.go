package keeper

import (
	"context"
	"time"

	"tend/internal/finding"
	"tend/internal/keeper/clockwork"
	"tend/internal/notice"
	"tend/internal/replica"
	"tend/internal/schedule"
)

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

// storeLate is when somebody should hear that agents are behind.
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

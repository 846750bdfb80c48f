package keeper

import (
	"context"
	"errors"
	"time"

	"tend/internal/fault"
	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/notice"
	"tend/internal/replica"
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

// hear takes in what a sync found: what stays so until somebody acts, and what happened.
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

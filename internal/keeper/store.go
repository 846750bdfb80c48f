package keeper

import (
	"context"
	"errors"
	"strings"
	"time"

	"tend/internal/config"
	"tend/internal/fault"
	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/notice"
	"tend/internal/replica"
	"tend/internal/store"
	"tend/internal/store/dial"
)

// syncStore keeps the agents that are in a shared store in step with it, every store.every.
func (k *Keeper) syncStore(ctx context.Context) {
	c := &storeLink{k: k}
	defer c.drop()
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

// storeLink is the connection to the store, for as long as it works.
type storeLink struct {
	k    *Keeper
	conn *dial.Connected
	to   dial.Settings
	told bool // that the store cannot be used
}

// round syncs every agent once.
func (c *storeLink) round(ctx context.Context) {
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
	if err := c.connect(ctx, f.Config); err != nil {
		if ctx.Err() == nil {
			k.metrics.syncs.With("failed").Inc()
			c.house(err)
		}
		return
	}
	var lost error
	for _, o := range replica.Sync(ctx, f, c.conn, names, "keeper") {
		if ctx.Err() != nil {
			return
		}
		switch {
		case errors.Is(o.Err, fsys.ErrLocked):
			k.metrics.syncs.With("locked").Inc() // the next round will do
			continue
		case errors.Is(o.Err, store.ErrUnreachable), errors.Is(o.Err, store.ErrUnclear), errors.Is(o.Err, store.ErrDenied):
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
		k.tell(o.Agent, "sync", o.Findings, true)
	}
	if lost == nil {
		k.synced.Store(time.Now().UnixNano())
	}
	if lost != nil || !strings.HasPrefix(c.to.URL, "s3://") {
		c.drop() // an open folder can be one that is mounted elsewhere by now
	}
	c.house(lost)
}

// connect opens the store, unless it is open.
func (c *storeLink) connect(ctx context.Context, cfg *config.Config) error {
	to := replica.Settings(cfg.Store)
	if c.conn != nil && c.to == to {
		return nil
	}
	c.drop()
	conn, err := replica.Connect(ctx, cfg)
	if err != nil {
		return err
	}
	conn.Store = store.Counted(conn.Store, func(request string) { c.k.metrics.asked.With(request).Inc() })
	c.conn, c.to = conn, to
	return nil
}

func (c *storeLink) drop() {
	if c.conn != nil {
		c.k.failed("", "close the store", c.conn.Close())
		c.conn = nil
	}
}

// house says whether the store can be used at all.
func (c *storeLink) house(err error) {
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
	case errors.Is(err, store.ErrUnreachable), errors.Is(err, store.ErrUnclear), errors.Is(err, store.ErrDenied):
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

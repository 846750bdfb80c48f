package keeper

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"tend/internal/app/replica"
	"tend/internal/disk/fsys"
	"tend/internal/engine/schedule"
	"tend/internal/front/keeper/scheduler"
	"tend/internal/model/finding"
	"tend/internal/model/usererr"
	"tend/internal/state/findinglog"
)

// storeSide is the keeper's work with a shared store: it syncs agents with it, or is a replica of it.
type storeSide struct {
	*reporter
	replica *replica.Replica // nil if the local files are authoritative
	synced  atomic.Int64     // when all agents in the store were last synced, in Unix nanoseconds
}

// run syncs or serves until the context ends.
func (s *storeSide) run(ctx context.Context) {
	if s.replica == nil {
		s.sync(ctx)
	} else {
		s.replica.Run(ctx, s.noteAnswer)
	}
}

// sync syncs the agents of a shared store every store.every.
func (s *storeSide) sync(ctx context.Context) {
	c := &storeRounds{storeSide: s}
	c.link.Count = func(request string) { s.metrics.asked.With(request).Inc() }
	defer func() { s.logError("", "close the store", c.link.Close()) }()
	for {
		every := s.gen.config().Store.Every.Std()
		c.syncAll(ctx)
		t := time.NewTimer(every)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
	}
}

// storeRounds syncs all agents repeatedly.
type storeRounds struct {
	*storeSide
	link     replica.Link
	reported bool // an unusable store was reported
}

// syncAll syncs every agent once.
func (c *storeRounds) syncAll(ctx context.Context) {
	f, done := c.gen.use()
	defer done()
	if f.Config.Store.URL == "" {
		c.reportStore(nil)
		return
	}
	names, err := replica.Stored(ctx, f)
	if err != nil {
		c.logError("", "find agents in the store", err)
		return
	}
	if len(names) == 0 {
		c.reportStore(nil)
		return
	}
	conn, err := c.link.Open(ctx, f.Config)
	if err != nil {
		if ctx.Err() == nil {
			c.metrics.syncs.With("failed").Inc()
			c.reportStore(err)
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
			c.metrics.syncs.With("locked").Inc() // retried in the next round
			continue
		case replica.Unreachable(o.Err):
			lost = o.Err
			c.metrics.syncs.With("failed").Inc()
			continue
		case o.Err != nil:
			c.metrics.syncs.With("refused").Inc()
			c.report(o.Agent, "store", []finding.Finding{storeFinding(o.Err)}, false)
			continue
		}
		c.metrics.syncs.With("done").Inc()
		c.metrics.entries.With("fetched").Add(uint64(o.Pulled))
		if o.Pushed > 0 {
			c.metrics.entries.With("committed").Inc()
		}
		if o.Pulled+o.Pushed > 0 {
			c.log.Info("synced", "agent", o.Agent, "entry", o.Entry, "fetched", o.Pulled, "sent", o.Pushed, "merged", len(o.Merged),
				"conflicts", len(o.Conflicts))
		}
		c.report(o.Agent, "store", nil, false)
		c.reportFound(o)
	}
	if lost == nil {
		c.synced.Store(nowNano())
	}
	c.logError("", "close the store", c.link.Rest(lost != nil))
	c.reportStore(lost)
}

// reportFound reports what a sync found: conditions that last, and events.
func (c *storeRounds) reportFound(o replica.Outcome) {
	var stay, happened []finding.Finding
	for _, f := range o.Findings {
		switch f.Code {
		case finding.StoreLeftOut.Code, finding.StoreForeign.Code:
			stay = append(stay, f)
		case finding.StoreNewcomer.Code:
			c.metrics.newcomers.Inc()
			happened = append(happened, f)
		default:
			happened = append(happened, f)
		}
	}
	c.metrics.merges.With("merged").Add(uint64(len(o.Merged)))
	c.metrics.merges.With("conflict").Add(uint64(len(o.Conflicts)))
	c.report(o.Agent, "store files", stay, false)
	c.report(o.Agent, "sync", happened, true)
}

// reportStore reports whether the store can be used.
func (c *storeRounds) reportStore(err error) {
	switch {
	case err != nil:
		c.report(findinglog.NoAgent, "store", []finding.Finding{storeFinding(err)}, false)
		c.reported = true
	case c.reported:
		c.report(findinglog.NoAgent, "store", nil, false)
		c.reported = false
	}
}

// storeFinding returns the finding for an error of the store.
func storeFinding(err error) finding.Finding {
	kind := finding.StoreRefused
	switch {
	case replica.Unreachable(err):
		kind = finding.StoreUnreachable
	case replica.Damaged(err):
		kind = finding.StoreDamaged
	}
	text := err.Error()
	if hint := usererr.HintOf(err); hint != "" {
		text += "; " + hint
	}
	return kind.In("", "%s", text)
}

// sinceSync returns how long ago all agents were synced, 0 if none is in a store.
func (s *storeSide) sinceSync() time.Duration {
	at := s.synced.Load()
	if at == 0 {
		return 0
	}
	return time.Since(time.Unix(0, at))
}

func nowNano() int64 { return time.Now().UnixNano() }

// runsJobsOf reports whether this process runs an agent's jobs: replicas divide them.
func (s *storeSide) runsJobsOf(agent string) bool { return s.replica == nil || s.replica.Mine(agent) }

// refreshAgent updates an agent's local files if it is served from a store.
func (s *storeSide) refreshAgent(ctx context.Context, agent string) error {
	f, done := s.gen.use()
	defer done()
	return f.Fetch(ctx, agent)
}

// serveSlot runs a scheduled job of an agent in a store, once per slot among all replicas.
func (s *storeSide) serveSlot(ctx context.Context, w scheduler.Work, run func(context.Context) schedule.End) schedule.End {
	f, done := s.gen.use()
	defer done()
	end, err := s.replica.Serve(ctx, f, w.Agent, w.Job, w.Slot, run)
	if err != nil {
		s.logError(w.Agent, "serve "+w.Job, err)
		s.report(w.Agent, "store", []finding.Finding{storeFinding(err)}, false)
		return end
	}
	s.report(w.Agent, "store", nil, false)
	return end
}

// check reports that agents are behind the store, and removes local files of idle agents.
func (s *storeSide) check(ctx context.Context) {
	var found []finding.Finding
	if late := s.sinceSync(); late > storeLate {
		found = append(found, finding.StoreBehind.In("", "the last complete sync with the store was %s ago", late.Round(time.Second)))
	}
	s.report(findinglog.NoAgent, "store lag", found, false)
	if s.replica != nil {
		f, done := s.gen.use()
		defer done()
		s.logError("", "remove files of idle agents", s.replica.Trim(ctx, f))
	}
}

// storeLate is when agents that are behind are reported.
const storeLate = 5 * time.Minute

// count counts a replica's events in the metrics.
func (s *storeSide) count(e replica.Event, n uint64) {
	switch e {
	case replica.Committed, replica.Fetched:
		s.metrics.entries.With(string(e)).Add(n)
	case replica.Conflicted:
		s.metrics.conflicts.Add(n)
	default:
		s.metrics.asked.With(string(e)).Add(n)
	}
}

// replicas returns a number of this process's replica, 0 if it is none.
func (s *storeSide) replicas(of func(*replica.Replica) int) float64 {
	if s.replica == nil {
		return 0
	}
	return float64(of(s.replica))
}

// noteAnswer records whether the store answers.
func (s *storeSide) noteAnswer(err error) {
	if err == nil {
		s.synced.Store(nowNano())
		s.report(findinglog.NoAgent, "store", nil, false)
		return
	}
	s.report(findinglog.NoAgent, "store", []finding.Finding{storeFinding(err)}, false)
}

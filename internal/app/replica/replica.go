// Package replica pushes agents to a shared store, clones them to other machines and syncs the copies.
package replica

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tend/internal/app/purge"
	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
	"tend/internal/model/finding"
	"tend/internal/model/usererr"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/store/sealed"
	"tend/internal/sync/syncfolder"
	"tend/internal/sync/workcopy"
)

// Settings returns the store settings of a configuration.
func Settings(s config.Store) dial.Settings {
	return dial.Settings{URL: s.URL, Endpoint: s.Endpoint, Region: s.Region, PathStyle: s.PathStyle, KeyFile: s.KeyFile}
}

// Connect opens the store of a configuration.
func Connect(ctx context.Context, cfg *config.Config) (*dial.Connected, error) {
	if cfg.Store.URL == "" {
		return nil, usererr.Usagef("`tend store init URL` creates one and adds it to the file; on another machine use `tend store clone`",
			"%s has no store", cfg.Path)
	}
	c, err := dial.Connect(ctx, Settings(cfg.Store))
	return c, Explain(err)
}

// Explain adds exit codes and hints to errors of stores.
func Explain(err error) error {
	var f *usererr.Error
	if err == nil || errors.As(err, &f) {
		return err
	}
	for _, row := range []struct {
		is   error
		code int
		hint string
	}{
		{dial.ErrAddress, usererr.CodeUsage,
			"write s3://BUCKET/PREFIX, with --endpoint for a server other than Amazon's, or the path of a folder"},
		{dial.ErrNoStore, usererr.CodeUsage, "check the address; `tend store init URL` creates a store"},
		{dial.ErrIsStore, usererr.CodeRefused, "`tend store clone AGENT DIR --store URL` copies an agent from it"},
		{dial.ErrSyncing, usererr.CodeRefused, "this needs a bucket, or a folder that machines share directly"},
		{dial.ErrWrongKey, usererr.CodeRefused,
			"copy the key file from the machine that created the store, and name it with --key-file or as store.key_file"},
		{sealed.ErrKey, usererr.CodeUsage, "`tend store key new FILE` creates one"},
		{sealed.ErrForged, usererr.CodeRefused, "it was not applied; find out who can write to the store. `tend store check` reads every object"},
		{syncfolder.ErrMixed, usererr.CodeRefused,
			"it was not applied; another program wrote it, or the folder of another store was copied here. Remove it"},
		{journal.ErrDamaged, usererr.CodeRefused, "it was not applied. `tend store check` reads every object"},
		{journal.ErrRemoved, usererr.CodeRefused,
			"the store was cut, rewritten or restored from a backup. Nothing was changed here; to start over with the local files, remove the " +
				"agent from the store and push it again"},
		{journal.ErrNoAgent, usererr.CodeUsage, "`tend store status` lists the agents in the store"},
		{workcopy.ErrThere, usererr.CodeRefused, "`tend store clone` makes a copy of it; `tend store push --merge` merges it with the one here"},
		{workcopy.ErrNotStored, usererr.CodeUsage, "`tend store push AGENT` copies it to the store"},
		{workcopy.ErrOtherStore, usererr.CodeRefused, "set store.url to the store it belongs to"},
		{workcopy.ErrEmpty, usererr.CodeRefused,
			"mount or restore the workspace; to fetch the files again, remove the agent from tend.yaml and its state, and clone it"},
		{store.ErrUnsafe, usererr.CodeRefused, "use a store with conditional writes: AWS, MinIO, versitygw, R2, or a folder"},
		{store.ErrDenied, usererr.CodeFailed, "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or ~/.aws/credentials, and the bucket"},
		{store.ErrUnclear, usererr.CodeFailed, "nothing is lost; run it again when the store answers"},
		{store.ErrUnreachable, usererr.CodeFailed, "nothing is lost; run it again when the store can be reached"},
		{fsys.ErrLocked, usererr.CodeLocked, "another sync or job is at work on this agent; run it again in a moment"},
	} {
		if errors.Is(err, row.is) {
			return &usererr.Error{Code: row.code, Err: err, Hint: row.hint}
		}
	}
	return err
}

// Damaged reports whether an error means that someone has tampered with the store.
func Damaged(err error) bool {
	return errors.Is(err, sealed.ErrForged) || errors.Is(err, journal.ErrDamaged) || errors.Is(err, journal.ErrRemoved)
}

// open returns the copy of an agent.
func open(ctx context.Context, f *fleet.Fleet, s *dial.Connected, name, who string) (*workcopy.Copy, func() error, error) {
	a, err := f.Agent(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	p, err := a.WorkingCopy(who)
	if err != nil {
		return nil, nil, errors.Join(err, a.Close())
	}
	p.Run = pullRunner(a, p.Who)
	if s.Syncing {
		return workcopy.InSyncingFolder(p, s, s.ID), a.Close, nil
	}
	return workcopy.New(p, s, s.ID), a.Close, nil
}

// pullRunner returns the runner for the changes that a sync brings: they are made as every other change of an agent's files.
func pullRunner(a *fleet.Agent, who string) workcopy.Runner {
	return func(
		ctx context.Context, read func(context.Context) (plan.Plan, error),
		commit func(context.Context, *ledger.Session, plan.Plan) (ledger.Action, error),
	) ([]finding.Finding, error) {
		var pl plan.Plan
		r, err := runner.Run(ctx, a, runner.Request{
			Options: runner.Options{Who: who, AcceptUnload: true}, // the guard below refuses in words that fit a sync
			Read: func(ctx context.Context) (s fleet.Snapshot, err error) {
				s.Input = a.Files.Empty()
				pl, err = read(ctx)
				return s, err
			},
			Plan:   func(job.Input) (plan.Plan, error) { return pl, nil },
			Guards: []runner.Guard{func(_ context.Context, _ job.Input, pl plan.Plan) error { return a.Files.AllowsPull(pl) }},
			Commit: commit,
		})
		return r.Findings, err
	}
}

// Push copies an agent to the store. With merge, an agent of that name there and the one here are merged.
func Push(ctx context.Context, f *fleet.Fleet, s *dial.Connected, name, who string, merge bool) (r workcopy.Report, err error) {
	c, done, err := open(ctx, f, s, name, who)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if merge {
		r, err = c.Join(ctx)
	} else {
		r, err = c.Push(ctx)
	}
	if err == nil && !s.Syncing {
		err = enlist(ctx, f, s, name, who)
	}
	return r, Explain(err)
}

// Outcome is the result of a sync for one agent.
type Outcome struct {
	workcopy.Report
	Err error `json:"-"`
}

// Stored returns the configured agents that are in a store.
func Stored(ctx context.Context, f *fleet.Fleet) (names []string, err error) {
	for _, cfg := range f.Config.Agents {
		a, err := f.Records(cfg.Name)
		if err != nil {
			return nil, err
		}
		_, ok, err := a.Saved()
		if err != nil {
			return nil, err
		}
		if ok {
			names = append(names, cfg.Name)
		}
	}
	return names, nil
}

// Sync syncs agents with the store, one after the other. One agent's failure does not stop the others.
func Sync(ctx context.Context, f *fleet.Fleet, s *dial.Connected, names []string, who string) []Outcome {
	out := make([]Outcome, 0, len(names))
	for _, name := range names {
		o := Outcome{Report: workcopy.Report{Agent: name}}
		c, done, err := open(ctx, f, s, name, who)
		if err == nil {
			c.Trusted, c.Trust = s.Trusted(name)
			o.Report, err = c.Sync(ctx)
			if err == nil && !c.Trust {
				s.Confirmed(name, o.Entry)
			}
			err = errors.Join(err, done())
			if err == nil && o.Pulled > 0 {
				err = applyPurges(ctx, f, name, who)
			}
		}
		o.Err = Explain(err)
		out = append(out, o)
	}
	return out
}

// applyPurges removes what was purged on this or another machine, if the sync brought it back or this one still has it.
func applyPurges(ctx context.Context, f *fleet.Fleet, name, who string) error {
	a, err := f.Agent(ctx, name)
	if err != nil {
		return err
	}
	_, err = purge.Obey(ctx, a, who)
	return errors.Join(err, a.Close())
}

// Link is a connection to a store that is opened when needed and reopened after it was lost.
type Link struct {
	// Count, if not nil, is called for every request with its kind.
	Count func(request string)

	conn *dial.Connected
	to   dial.Settings
}

// Open returns the store of a configuration.
func (l *Link) Open(ctx context.Context, cfg *config.Config) (*dial.Connected, error) {
	to := Settings(cfg.Store)
	if l.conn != nil && l.to == to {
		return l.conn, nil
	}
	if err := l.Close(); err != nil {
		return nil, err
	}
	c, err := Connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if l.Count != nil {
		c.Store = store.Counted(c.Store, l.Count)
	}
	l.conn, l.to = c, to
	return c, nil
}

// Rest ends a round. It closes a lost connection, and a folder, as a different one may be mounted there later: Open reopens it.
func (l *Link) Rest(lost bool) error {
	if lost || !strings.HasPrefix(l.to.URL, "s3://") {
		return l.Close()
	}
	return nil
}

// Close closes the store.
func (l *Link) Close() error {
	if l.conn == nil {
		return nil
	}
	c := l.conn
	l.conn = nil
	return c.Close()
}

// Unreachable reports whether an error may go away by itself.
func Unreachable(err error) bool {
	return errors.Is(err, store.ErrUnreachable) || errors.Is(err, store.ErrUnclear) || errors.Is(err, store.ErrDenied)
}

// Watch syncs repeatedly until ctx ends. say is called with every outcome worth a line: something was done, or a new
// error.
func Watch(ctx context.Context, f *fleet.Fleet, names []string, who string, every time.Duration, say func(Outcome)) error {
	var link Link
	last := map[string]string{}
	hear := func(o Outcome) {
		text := ""
		if o.Err != nil {
			text = o.Err.Error()
		}
		didSomething := o.Err == nil && o.Pulled+o.Pushed > 0
		if didSomething || text != last[o.Agent] {
			say(o)
		}
		last[o.Agent] = text
	}
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		lost := false
		if s, err := link.Open(ctx, f.Config); err != nil {
			lost = true
			if ctx.Err() == nil {
				hear(Outcome{Err: err})
			}
		} else {
			last[""] = ""
			for _, o := range Sync(ctx, f, s, names, who) {
				if ctx.Err() == nil {
					lost = lost || Unreachable(o.Err)
					hear(o)
				}
			}
		}
		if err := link.Rest(lost); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return link.Close()
		case <-t.C:
		}
	}
}

// AgentStatus is an agent in the store.
type AgentStatus struct {
	Agent     string `json:"agent"`
	Entries   uint64 `json:"entries"`
	Objects   int    `json:"objects"`
	Bytes     int64  `json:"bytes"`
	Snapshot  uint64 `json:"snapshot"`      // the newest one's entry, 0 for none
	Packed    uint64 `json:"packed"`        // entries up to this one are in packs
	Here      bool   `json:"here"`          // this machine has a copy
	At        uint64 `json:"at,omitempty"`  // the entry the copy is at
	Behind    uint64 `json:"behind"`        // entries that the copy has not seen
	Waiting   bool   `json:"waiting"`       // the copy has a commit with unknown outcome
	Unrelated bool   `json:"another_store"` // the copy here belongs to another store
	// Only in a syncing folder: how many entries each machine has, and the objects that are incomplete or wait for one that is.
	Machines map[string]int `json:"machines,omitempty"`
	Arriving []string       `json:"arriving,omitempty"`
	Foreign  []string       `json:"foreign,omitempty"` // objects whose names Tend does not write
	// Local are files and sections of the copy here that stay on this machine.
	Local []string `json:"local,omitempty"`
	// LeftOut are memory files here that are not in the store, with the reason.
	LeftOut map[vault.Path]string `json:"left_out,omitempty"`
}

// Status lists the agents in the store.
func Status(ctx context.Context, f *fleet.Fleet, s *dial.Connected) ([]AgentStatus, error) {
	objects, err := s.List(ctx, "agents/")
	if err != nil {
		return nil, Explain(err)
	}
	var list []AgentStatus
	for _, o := range objects {
		agent, ok := agentOf(o.Key)
		if !ok {
			continue
		}
		if len(list) == 0 || list[len(list)-1].Agent != agent {
			list = append(list, AgentStatus{Agent: agent})
		}
		list[len(list)-1].addObject(o, s.Syncing)
	}
	for i := range list {
		a := &list[i]
		if s.Syncing {
			all, err := syncfolder.New(s, a.Agent).Read(ctx)
			if err != nil {
				return nil, Explain(err)
			}
			a.Entries, a.Machines = all.Usable().Position().N, all.Machines()
			a.Arriving, a.Foreign = all.Stuck(), all.Foreign
		}
		if err := a.addCopyHere(f, s.ID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// agentOf returns the agent whose folder in the store an object is in: its key is agents/AGENT/KIND/NAME or longer.
func agentOf(key string) (string, bool) {
	parts := strings.Split(key, "/")
	if len(parts) < 4 {
		return "", false
	}
	return parts[1], true
}

// addObject counts an object of the agent. In a syncing folder the journals of the machines say what it is.
func (a *AgentStatus) addObject(o store.Object, syncing bool) {
	a.Objects++
	a.Bytes += o.Size
	if syncing {
		return
	}
	const digits = 12 // of an entry's number in a name
	rest := strings.TrimPrefix(o.Key, "agents/"+a.Agent+"/")
	kind, name, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseUint(name, 10, 64)
	switch {
	case err != nil || len(name) != digits:
		a.Foreign = append(a.Foreign, o.Key)
	case kind == "journal":
		a.Entries = max(a.Entries, n)
	case kind == "snapshots":
		a.Snapshot = max(a.Snapshot, n)
	case kind == "packs":
		a.Packed, a.Entries = max(a.Packed, n), max(a.Entries, n)
	default:
		a.Foreign = append(a.Foreign, o.Key)
	}
}

// addCopyHere adds what this machine has of the agent, if it has a copy.
func (a *AgentStatus) addCopyHere(f *fleet.Fleet, storeID string) error {
	records, err := f.Records(a.Agent)
	if err != nil {
		return nil // not configured here
	}
	saved, ok, err := records.Saved()
	if err != nil || !ok {
		return err
	}
	a.Here, a.Unrelated = true, saved.Store != storeID
	a.Local, a.LeftOut = records.Local(), saved.LeftOut
	a.At, a.Waiting = saved.Position.N, len(saved.Pushing) > 0
	if !a.Unrelated {
		a.Behind = a.Entries - min(a.Entries, saved.Position.N)
	}
	return nil
}

// Pack compacts old entries of the given agents, or of all, into packs.
func Pack(ctx context.Context, s *dial.Connected, names []string, now time.Time,
	age time.Duration) (done map[string]journal.Packed, err error) {
	if s.Syncing {
		return nil, Explain(fmt.Errorf("%s: %w", s.Name(), dial.ErrSyncing))
	}
	if names, err = namesIn(ctx, s, names); err != nil {
		return nil, err
	}
	done = map[string]journal.Packed{}
	for _, name := range names {
		p, err := journal.New(s, name).Compact(ctx, now, age)
		if done[name] = p; err != nil {
			return done, Explain(fmt.Errorf("%s: %w", name, err))
		}
	}
	return done, nil
}

// namesIn returns the given agents, or all that are in a store.
func namesIn(ctx context.Context, s *dial.Connected, names []string) ([]string, error) {
	if len(names) > 0 {
		return names, nil
	}
	objects, err := s.List(ctx, "agents/")
	for _, o := range objects {
		agent, ok := agentOf(o.Key)
		if ok && (len(names) == 0 || names[len(names)-1] != agent) { // objects are listed in order
			names = append(names, agent)
		}
	}
	return names, Explain(err)
}

// Check tests the store against its contract and reads every object of the given agents, or of all. Problems are
// findings.
func Check(ctx context.Context, s *dial.Connected, names []string) (entries int, found []finding.Finding, err error) {
	if err := s.Check(ctx); err != nil {
		return 0, nil, Explain(err)
	}
	if names, err = namesIn(ctx, s, names); err != nil {
		return 0, nil, err
	}
	for _, name := range names {
		n, err := verifyObjects(ctx, s, name, &found)
		entries += n
		switch {
		case err == nil:
		case errors.Is(err, store.ErrUnreachable), errors.Is(err, store.ErrUnclear), errors.Is(err, context.Canceled):
			return entries, found, Explain(err)
		default:
			kind := finding.StoreDamaged
			if errors.Is(err, journal.ErrForeign) {
				kind = finding.StoreForeign
			}
			f := kind.In("", "%v", err)
			f.Agent = name
			found = append(found, f)
		}
	}
	return entries, found, nil
}

// verifyObjects reads all of an agent's objects.
func verifyObjects(ctx context.Context, s *dial.Connected, agent string, found *[]finding.Finding) (entries int, err error) {
	if !s.Syncing {
		return journal.New(s, agent).Verify(ctx)
	}
	all, err := syncfolder.New(s, agent).Read(ctx)
	if err != nil {
		return 0, err
	}
	tell := func(f finding.Finding) {
		f.Agent = agent
		*found = append(*found, f)
	}
	if len(all.Foreign) > 0 {
		tell(workcopy.Foreign(all.Foreign))
	}
	if stuck := all.Stuck(); len(stuck) > 0 {
		tell(finding.StoreIncomplete.In("", "%s and %s more", stuck[0], strconv.Itoa(len(stuck)-1)))
	}
	seen := all.Usable()
	_, _, err = all.Merge(seen)
	return int(seen.Position().N), err
}

package keeper

import (
	"errors"
	"sync"
	"time"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
)

// generations hands out the fleet of the current configuration. Work that began with an older fleet finishes with it; an
// old fleet is closed when its last user is done.
type generations struct {
	clock  func() time.Time
	shared fleet.Shared // nil unless the agents live in a store

	mu        sync.Mutex
	now       *generation
	errs      []error
	abandoned bool
	wg        sync.WaitGroup
}

type generation struct {
	fleet *fleet.Fleet
	users sync.WaitGroup
}

func newGenerations(clock func() time.Time) *generations { return &generations{clock: clock} }

// open switches to a configuration.
func (g *generations) open(cfg *config.Config) error {
	f, err := fleet.Open(cfg, fleet.Options{Clock: g.clock, Write: true, Many: true, Shared: g.shared})
	if err != nil {
		return err
	}
	g.mu.Lock()
	old := g.now
	g.now = &generation{fleet: f}
	g.mu.Unlock()
	g.closeWhenUnused(old)
	return nil
}

// reopen reopens the fleet, to drop handles on replaced folders and a sync group that has failed.
func (g *generations) reopen() error { return g.open(g.config()) }

func (g *generations) closeWhenUnused(old *generation) {
	if old == nil {
		return
	}
	g.wg.Go(func() {
		old.users.Wait()
		if err := old.fleet.Close(); err != nil {
			g.mu.Lock()
			g.errs = append(g.errs, err)
			g.mu.Unlock()
		}
	})
}

// use returns the fleet, which stays open until done is called.
func (g *generations) use() (f *fleet.Fleet, done func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now
	now.users.Add(1)
	return now.fleet, sync.OnceFunc(now.users.Done)
}

func (g *generations) config() *config.Config {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now.fleet.Config
}

// abandon makes close return without waiting for users that hang.
func (g *generations) abandon() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.abandoned = true
}

func (g *generations) close() error {
	g.mu.Lock()
	old, abandoned := g.now, g.abandoned
	g.mu.Unlock()
	if abandoned {
		return nil
	}
	g.closeWhenUnused(old)
	g.wg.Wait()
	return errors.Join(g.errs...)
}

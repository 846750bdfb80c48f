// Package storedtest lets suites written for agents on a disk run on agents in a store,
// as a replica's are: every action becomes an entry of the journal first.
package storedtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tend/internal/engine/fleet"
	"tend/internal/state/ledger"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/store/storetest"
	"tend/internal/sync/store/storetest/memstore"
	"tend/internal/sync/workcopy"
	"tend/internal/sync/workcopy/workcopytest"
)

// Env selects the store for the suites: memory, folder or s3. Without it the agents are
// on disk only.
const Env = "TEND_TEST_STORE"

// Stored is a store with the mirrors of one process.
type Stored struct {
	store store.Store

	mu      sync.Mutex
	mirrors map[string]*workcopy.Mirror
	adopted map[key]bool
	actions int
}

type key struct {
	fleet *fleet.Fleet
	agent string
}

var _ fleet.Shared = (*Stored)(nil)

// New returns the store that Env names, nil if it is not set.
func New(t testing.TB) *Stored {
	t.Helper()
	s := &Stored{mirrors: map[string]*workcopy.Mirror{}, adopted: map[key]bool{}}
	switch kind := os.Getenv(Env); kind {
	case "":
		return nil
	case "memory":
		s.store = memstore.New()
	case "folder":
		s.open(t, t.TempDir())
	case "s3":
		s.open(t, fmt.Sprintf("s3://bucket/%d?endpoint=%s", total.stores.Add(1), server().Endpoint))
	default:
		t.Fatalf("%s=%s: memory, folder or s3", Env, kind)
	}
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		total.agents.Add(int64(len(s.mirrors)))
		total.actions.Add(int64(s.actions))
	})
	return s
}

var total struct{ stores, agents, actions atomic.Int64 }

// Main runs the tests of a package and prints what they did in a store.
func Main(m *testing.M, out io.Writer) int {
	code := m.Run()
	if kind := os.Getenv(Env); kind != "" {
		fmt.Fprintf(out, "in a store (%s): %d agents, %d actions\n", kind, total.agents.Load(), total.actions.Load())
		if total.actions.Load() == 0 {
			code = 1 // no suite ran on it
		}
		if kind == "s3" {
			s := server()
			s.Kill()
			_ = os.RemoveAll(s.Dir)
		}
	}
	return code
}

// server is shared by all tests of a process and ends with it.
var server = sync.OnceValue(func() *storetest.Server {
	for _, v := range [][2]string{{"AWS_ACCESS_KEY_ID", storetest.AccessKey}, {"AWS_SECRET_ACCESS_KEY", storetest.SecretKey}} {
		if err := os.Setenv(v[0], v[1]); err != nil {
			panic(err)
		}
	}
	dir, err := os.MkdirTemp("", "tend-stored")
	if err != nil {
		panic(err)
	}
	s, err := storetest.Launch(dir, "bucket")
	if err != nil {
		panic(err)
	}
	return s
})

func (s *Stored) open(t testing.TB, address string) {
	t.Helper()
	st, done, err := dial.Open(address, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { done() })
	s.store = st
}

const id = "store-1"

// Adopt adds the agent's local files to the journal, as `tend sync` does, and gives the
// agent a mirror like that of a new replica.
func (s *Stored) Adopt(ctx context.Context, f *fleet.Fleet, a *fleet.Agent) (err error) {
	p, err := a.WorkingCopy("test")
	if err != nil {
		return err
	}
	p.Run = workcopytest.Run(a.Ledger, "test")
	c := workcopy.New(p, s.store, id)
	sync := c.Sync
	if _, known, err := p.Load(); err != nil {
		return err
	} else if !known {
		sync = c.Push
	}
	if _, err := sync(ctx); err != nil {
		return fmt.Errorf("take %s into the store: %w", a.Name, err)
	}
	m := workcopy.NewMirror(s.store, id, a.Name)
	session, _, err := a.Begin(ctx, "test")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	if _, err := m.CatchUp(ctx, p, session); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mirrors[a.Name], s.adopted[key{f, a.Name}] = m, true
	return nil
}

func (s *Stored) mirror(agent string) *workcopy.Mirror {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mirrors[agent]
}

// Ready adopts an agent when it is first used.
func (s *Stored) Ready(ctx context.Context, f *fleet.Fleet, agent string) (err error) {
	s.mu.Lock()
	adopted := s.adopted[key{f, agent}]
	s.mu.Unlock()
	if adopted {
		return nil
	}
	a, err := f.Copy(ctx, agent)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return s.Adopt(ctx, f, a)
}

// Commit adds an action as the next entry.
func (s *Stored) Commit(ctx context.Context, a *fleet.Agent, c ledger.Commitment) (func(error), error) {
	m := s.mirror(a.Name)
	if m == nil {
		return nil, fmt.Errorf("%s is not in the store", a.Name)
	}
	p, err := a.WorkingCopy("test")
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.actions++
	s.mu.Unlock()
	return m.Commit(ctx, p, c, workcopy.Extra{})
}

// CommitRest commits changes other than actions.
func (s *Stored) CommitRest(ctx context.Context, a *fleet.Agent, session *ledger.Session) error {
	p, err := a.WorkingCopy("test")
	if err != nil {
		return err
	}
	return s.mirror(a.Name).CommitRest(ctx, p, session)
}

// Same compares a test's files with what the store has of an agent. Files are named as in
// the journal: workspace/MEMORY.md, ledger/2026-11.jsonl.
func (s *Stored) Same(t testing.TB, agent string, files map[string]string) {
	t.Helper()
	x, _, err := journal.New(s.store, agent).Rebuild(context.Background(), 0)
	if err != nil {
		t.Errorf("rebuild %s: %v", agent, err)
		return
	}
	for name, text := range files {
		if got, ok := x[name]; !ok || string(got) != text {
			t.Errorf("%s: the store has %q of %s, the copy %q", agent, got, name, text)
		}
	}
	for name := range x {
		if _, ok := files[name]; !ok && (strings.HasPrefix(name, journal.Workspace+"/") || strings.HasPrefix(name, journal.Ledger+"/")) {
			t.Errorf("%s: the store has %s, the copy has not", agent, name)
		}
	}
}

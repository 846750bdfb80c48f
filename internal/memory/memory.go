// Package memory is what an agent can do with its own memory: read, write,
// search and restore files, each call checked, atomic, durable and answered in
// words the agent can act on.
//
// It is the one service behind many doors. The command line, MCP, HTTP and the
// package for Anthropic's memory tool hand it typed requests and render its
// typed answers; none of them touches a file. It keeps no state for a
// connection: two calls have nothing in common but the files.
//
// What a caller may not do is refused here and nowhere else: leave the
// workspace, change the operator's part of a file, store a secret, overwrite
// what somebody else wrote meanwhile.
package memory

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"tend/internal/fleet"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/policy"
)

// Options say how an agent's memory is served.
type Options struct {
	// Who is recorded as the author of what is written.
	Who string
	// Refused, if not nil, hears of every call that was turned down.
	Refused func(call string, e *Error)
	// Log takes what the caller must not see, such as paths of this machine.
	Log *slog.Logger
}

// Service is one agent's memory. Its methods may be called at once from
// several goroutines.
type Service struct {
	agent *fleet.Agent
	files *files
	who   string
	heard func(call string, e *Error)
	log   *slog.Logger

	*shared
}

// shared is what all doors to one agent have in common.
type shared struct {
	// writing keeps one process's writers from contending for the agent's lock,
	// which they would have to poll for.
	writing sync.Mutex
	index   index
	follows follows
}

// follows are the calls of Follow, which read the agent's files until they end.
type follows struct {
	mu      sync.Mutex
	stops   map[int]func()
	next    int
	closed  bool
	running sync.WaitGroup
}

// begin gives a call a context that ends with the service; not ok if it has ended already.
func (f *follows) begin(ctx context.Context) (_ context.Context, end func(), ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ctx, nil, false
	}
	ctx, stop := context.WithCancel(ctx)
	n := f.next
	if f.next++; f.stops == nil {
		f.stops = map[int]func(){}
	}
	f.stops[n] = stop
	f.running.Add(1)
	return ctx, func() {
		stop()
		f.mu.Lock()
		delete(f.stops, n)
		f.mu.Unlock()
		f.running.Done()
	}, true
}

// close ends all calls and waits for them.
func (f *follows) close() {
	f.mu.Lock()
	f.closed = true
	for _, stop := range f.stops {
		stop()
	}
	f.mu.Unlock()
	f.running.Wait()
}

// files are the files of a workspace as tools see them: which names they may use, what is
// there and what it holds.
type files struct {
	agent *fleet.Agent
	names nameCache
}

// New serves an agent's memory. Close it before the agent.
func New(a *fleet.Agent, o Options) *Service {
	f := &files{agent: a}
	s := &Service{agent: a, files: f, who: o.Who, heard: o.Refused, log: o.Log, shared: &shared{index: index{files: f}}}
	if s.who == "" {
		s.who = "agent:" + a.Name
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// As is the same memory for another author.
func (s *Service) As(who string) *Service {
	t := *s
	t.who = who
	return &t
}

// Agent is the name of the agent this is the memory of.
func (s *Service) Agent() string { return s.agent.Name }

// Now is the time in the agent's zone.
func (s *Service) Now() time.Time { return s.agent.Now() }

// HasLog reports whether the layout keeps a daily log.
func (s *Service) HasLog() bool {
	return s.agent.Layout.Path(layout.Daily, note.DayOf(s.Now(), s.agent.Location).String()) != ""
}

// Policy is the agent's policy.
func (s *Service) Policy() policy.Policy { return s.agent.Policy }

// Close ends what serves searches and subscribers. The agent stays open.
func (s *Service) Close() error {
	s.follows.close()
	return s.index.close()
}

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
	"errors"
	"log/slog"
	"sync"
	"time"

	"tend/internal/fleet"
	"tend/internal/layout"
	"tend/internal/memory/index"
	"tend/internal/memory/reach"
	"tend/internal/memory/refusal"
	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/vault"
)

// Options say how an agent's memory is served.
type Options struct {
	// Who is recorded as the author of what is written.
	Who string
	// Refused, if not nil, hears of every call that was turned down.
	Refused func(call string, e *refusal.Error)
	// Log takes what the caller must not see, such as paths of this machine.
	Log *slog.Logger
}

// Service is one agent's memory, in parts by purpose. All may be used at once
// from several goroutines.
type Service struct {
	Reader  *Reader  // the files as they are
	Writer  *Writer  // changes, under the rules for an agent's own writes
	History *History // what happened, and how to take it back
	Finder  *Finder  // search
	Session *Session // what a session starts with
	Tasks   *Tasks   // the list of open work

	*caller
	*shared
}

// Reader lists and reads the files.
type Reader struct {
	*caller
	index   *index.Index
	follows *follows
}

// Writer changes files.
type Writer struct {
	*caller
	gate *gate
	// writing keeps one process's writers from contending for the agent's lock,
	// which they would have to poll for.
	writing *sync.Mutex
}

// History looks back at actions and takes them back.
type History struct {
	*caller
	writer *Writer
}

// Finder searches the files and what is kept of the past.
type Finder struct {
	*caller
	index *index.Index
}

// Session renders what a session starts with.
type Session struct{ *caller }

// Tasks is the harness's list of open work.
type Tasks struct {
	*caller
	writer *Writer
}

// gate decides what an agent may write.
type gate struct {
	agent *fleet.Agent
	files *reach.Files
	log   *slog.Logger
}

// caller is whom a service serves: one author, at the door they came through.
type caller struct {
	agent *fleet.Agent
	files *reach.Files
	who   string
	heard func(call string, e *refusal.Error)
	log   *slog.Logger
}

// shared is what all callers of one agent have in common.
type shared struct {
	writing sync.Mutex
	index   *index.Index
	follows follows
}

// New serves an agent's memory. Close it before the agent.
func New(a *fleet.Agent, o Options) *Service {
	f := reach.New(a)
	c := &caller{agent: a, files: f, who: o.Who, heard: o.Refused, log: o.Log}
	if c.who == "" {
		c.who = "agent:" + a.Name
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	return assemble(c, &shared{index: index.New(a, f)})
}

func assemble(c *caller, sh *shared) *Service {
	w := &Writer{caller: c, gate: &gate{c.agent, c.files, c.log}, writing: &sh.writing}
	return &Service{
		Reader: &Reader{c, sh.index, &sh.follows}, Writer: w, History: &History{c, w}, Finder: &Finder{c, sh.index},
		Session: &Session{c}, Tasks: &Tasks{c, w}, caller: c, shared: sh,
	}
}

// As is the same memory for another author.
func (s *Service) As(who string) *Service {
	c := *s.caller
	c.who = who
	return assemble(&c, s.shared)
}

// Agent is the name of the agent this is the memory of.
func (s *Service) Agent() string { return s.agent.Name }

// Now is the time in the agent's zone.
func (s *Service) Now() time.Time { return s.agent.Now() }

// HasLog reports whether the layout keeps a daily log.
func (s *Service) HasLog() bool {
	return s.agent.Layout.Path(layout.Daily, note.DayOf(s.Now(), s.agent.Location).String()) != ""
}

// HasTasks reports whether the layout keeps a list of tasks.
func (s *Service) HasTasks() bool { return s.taskFile() != "" }

// Policy is the agent's policy.
func (s *Service) Policy() policy.Policy { return s.agent.Policy }

// Close ends what serves searches and subscribers. The agent stays open.
func (s *Service) Close() error {
	s.follows.close()
	return s.index.Close()
}

// fail ends a call with an error: the door hears of it, and the log has what the
// agent must not see.
func (c *caller) fail(call, doing string, p vault.Path, err error) error {
	e := refusal.Translate(doing, p, err)
	if cause := errors.Unwrap(e); cause != nil {
		c.log.Warn("call failed", "agent", c.agent.Name, "call", call, "code", e.Code, "error", cause)
	}
	if c.heard != nil {
		c.heard(call, e)
	}
	return e
}

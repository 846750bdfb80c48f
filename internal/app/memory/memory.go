// Package memory is what an agent can do with its own memory: read, write, search and restore files. Each call is
// checked, atomic, durable and answered in words the agent can act on.
//
// All front ends share this service. The command line, MCP, HTTP and the package for Anthropic's memory tool pass it
// typed requests and render its typed answers; none of them touches a file. It keeps no state per connection: calls
// share nothing but the files.
//
// All limits on a caller are enforced here and nowhere else: leaving the workspace, changing the operator's part of a
// file, storing a secret, and overwriting concurrent edits are refused.
package memory

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"tend/internal/app/memory/index"
	"tend/internal/app/memory/scope"
	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// The requests carry the names of their arguments in Tend's own MCP tools: one with the tag "-" is not offered there.

// Options configure how an agent's memory is served.
type Options struct {
	// Who is recorded as the author of writes.
	Who string
	// Refused, if not nil, is called for every rejected call.
	Refused func(call string, e *toolerr.Error)
	// Log receives what the caller must not see, such as paths of this machine.
	Log *slog.Logger
}

// Service is one agent's memory, split by purpose. All parts may be used concurrently.
type Service struct {
	Reader  *Reader  // the files as they are
	Writer  *Writer  // changes, under the rules for an agent's own writes
	History *History // past actions, and undo
	Finder  *Finder  // search
	Session *Session // the session context
	Tasks   *Tasks   // the task list

	*caller
	*shared
}

// Reader lists and reads the files.
type Reader struct {
	*caller
	index *index.Index
}

// Writer changes files.
type Writer struct {
	*caller
	gate *gate
	// writing keeps one process's writers from contending for the agent's lock, which they would have to poll.
	writing *sync.Mutex
}

// History shows past actions and reverts them.
type History struct {
	*caller
	writer *Writer
}

// Finder searches the files and what is kept of the past.
type Finder struct {
	*caller
	index *index.Index
}

// Session renders the session context.
type Session struct{ *caller }

// Tasks is the harness's task list.
type Tasks struct {
	*caller
	writer *Writer
}

// gate decides what an agent may write.
type gate struct {
	agent *fleet.Agent
	files *scope.Files
	log   *slog.Logger
}

// caller is the author a service works for, and the front end they use.
type caller struct {
	agent     *fleet.Agent
	files     *scope.Files
	who       string
	onRefused func(call string, e *toolerr.Error)
	log       *slog.Logger
}

// shared is the state all callers of one agent share.
type shared struct {
	writing sync.Mutex
	index   *index.Index
}

// New serves an agent's memory.
func New(a *fleet.Agent, o Options) *Service {
	f := scope.New(a)
	c := &caller{agent: a, files: f, who: o.Who, onRefused: o.Refused, log: o.Log}
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
		Reader: &Reader{c, sh.index}, Writer: w, History: &History{c, w}, Finder: &Finder{c, sh.index},
		Session: &Session{c}, Tasks: &Tasks{c, w}, caller: c, shared: sh,
	}
}

// As returns the same memory for another author.
func (s *Service) As(who string) *Service {
	c := *s.caller
	c.who = who
	return assemble(&c, s.shared)
}

// Agent returns the agent's name.
func (s *Service) Agent() string { return s.agent.Name }

// Now returns the time in the agent's zone.
func (s *Service) Now() time.Time { return s.agent.Now() }

// HasLog reports whether the layout keeps a daily log.
func (s *Service) HasLog() bool {
	return s.agent.Layout.Path(layout.Daily, note.DayOf(s.Now(), s.agent.Location).String()) != ""
}

// HasTasks reports whether the layout has a task list. Without one the calls of Tasks must not be offered.
func (s *Service) HasTasks() bool { return s.taskFile() != "" }

// Policy returns the agent's policy.
func (s *Service) Policy() policy.Policy { return s.agent.Policy }

// fail ends a call with an error: the front end gets it, and the log gets what the agent must not see.
func (c *caller) fail(call, doing string, p vault.Path, err error) error {
	e := toolerr.Translate(doing, p, err)
	if cause := errors.Unwrap(e); cause != nil {
		c.log.Warn("call failed", "agent", c.agent.Name, "call", call, "code", e.Code, "error", cause)
	}
	if c.onRefused != nil {
		c.onRefused(call, e)
	}
	return e
}

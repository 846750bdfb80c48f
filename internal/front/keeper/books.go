package keeper

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/state/findinglog"
)

// books are the findings of all agents. Each has its own lock, so that writing one does not block the others.
type books struct {
	state fsys.FS
	clock func() time.Time

	mu     sync.Mutex
	byName map[string]*agentBook
}

type agentBook struct {
	mu      sync.Mutex
	book    *findinglog.Book
	unsaved bool // newer than its file
}

func newBooks(state fsys.FS, clock func() time.Time) *books {
	return &books{state: state, clock: clock, byName: map[string]*agentBook{}}
}

// set reads the books of all configured agents and drops the others.
func (b *books) set(cfg *config.Config) {
	names := append([]string{findinglog.NoAgent}, cfg.Names()...)
	list := make([]*agentBook, len(names))
	fleet.Parallel(len(names), runtime.GOMAXPROCS(0), func(i int) {
		if list[i] = b.get(names[i]); list[i] == nil {
			book, _ := findinglog.Read(b.state, names[i]) // after a read error, findings are found again
			list[i] = &agentBook{book: book}
		}
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.byName = make(map[string]*agentBook, len(names))
	for i, name := range names {
		b.byName[name] = list[i]
	}
}

// get returns an agent's book, nil if it is no longer configured.
func (b *books) get(agent string) *agentBook {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.byName[agent]
}

// filledBooks returns the books that are not empty, by name.
func (b *books) filledBooks() map[string]*agentBook {
	b.mu.Lock()
	list := b.byName // never changed, only replaced
	b.mu.Unlock()
	out := map[string]*agentBook{}
	for name, s := range list {
		s.mu.Lock()
		if s.book.Len() > 0 {
			out[name] = s
		}
		s.mu.Unlock()
	}
	return out
}

// changeBook changes an agent's book with do, saves it, and returns the notices to send.
func (b *books) changeBook(agent string, al config.Alerts, synced bool,
	do func(*findinglog.Book, time.Time) bool) ([]findinglog.Notice, error) {
	s := b.get(agent)
	if s == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := b.clock()
	changed := do(s.book, now)
	if s.book.Len() == 0 && !changed {
		return nil, nil
	}
	err := s.book.ReadAcks(b.state)
	tell := s.book.DueAlerts(al.From, al.Remind.Std(), channelsOf(al), now)
	if changed || len(tell) > 0 || s.unsaved {
		werr := s.book.Write(b.state, synced)
		if s.unsaved = werr != nil; err == nil {
			err = werr
		}
	}
	return tell, err
}

// pendingNotice returns a notice that is undelivered on a channel.
func (b *books) pendingNotice(o pendingAlert, channel string) (findinglog.Notice, bool) {
	s := b.get(o.agent)
	if s == nil {
		return findinglog.Notice{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.book.ReadAcks(b.state) // if they cannot be read, it is sent
	return s.book.PendingOn(o.id, channel)
}

// noteDelivered records that an alert arrived, and reports whether a newer one is undelivered.
func (b *books) noteDelivered(o pendingAlert, channel string, alerted time.Time) (more bool, err error) {
	s := b.get(o.agent)
	if s == nil {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	more = s.book.Delivered(o.id, channel, alerted)
	err = s.book.Write(b.state, false)
	s.unsaved = err != nil
	return more, err
}

// allPending returns all undelivered notices.
func (b *books) allPending() (out []findinglog.Notice) {
	for _, s := range b.filledBooks() {
		s.mu.Lock()
		out = append(out, s.book.Pending()...)
		s.mu.Unlock()
	}
	slices.SortFunc(out, func(x, y findinglog.Notice) int { return x.Alerted.Compare(*y.Alerted) })
	return out
}

// list returns all findings, or those of some agents.
func (b *books) list(agents ...string) []findinglog.Notice {
	out := []findinglog.Notice{}
	books := map[string]*agentBook{}
	for _, name := range agents { // reads only their books
		if s := b.get(name); s != nil {
			books[name] = s
		}
	}
	if len(agents) == 0 {
		books = b.filledBooks()
	}
	for _, s := range books {
		s.mu.Lock()
		_ = s.book.ReadAcks(b.state) // after a read error, findings show as unacknowledged
		out = append(out, s.book.List()...)
		s.mu.Unlock()
	}
	slices.SortFunc(out, func(x, y findinglog.Notice) int {
		return cmp.Or(int(y.Severity)-int(x.Severity), x.First.Compare(y.First))
	})
	return out
}

// byCode counts the unacknowledged findings by code.
func (b *books) byCode() map[string]int {
	n := map[string]int{}
	b.eachOpen(func(x findinglog.Notice) { n[x.Code]++ })
	return n
}

func (b *books) eachOpen(do func(findinglog.Notice)) {
	for _, s := range b.filledBooks() {
		s.mu.Lock()
		for _, x := range s.book.List() {
			if x.Ack == nil {
				do(x)
			}
		}
		s.mu.Unlock()
	}
}

// agentsWithFindings returns the agents that have findings.
func (b *books) agentsWithFindings() []string {
	return slices.Collect(maps.Keys(b.filledBooks()))
}

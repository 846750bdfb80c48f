package keeper

import (
	"slices"
	"sync"
	"time"

	"tend/internal/config"
	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/notice"
)

// books are the findings of all agents.
type books struct {
	state fsys.FS
	clock func() time.Time

	mu     sync.Mutex
	byName map[string]*notice.Book
}

func newBooks(state fsys.FS, clock func() time.Time) *books {
	return &books{state: state, clock: clock, byName: map[string]*notice.Book{}}
}

func (b *books) readAll(cfg *config.Config) {
	list := make([]*notice.Book, len(cfg.Agents))
	inParallel(len(list), func(i int) { list[i], _ = notice.Read(b.state, cfg.Agents[i].Name) })
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, a := range cfg.Agents {
		b.byName[a.Name] = list[i]
	}
	b.byName[notice.House], _ = notice.Read(b.state, notice.House)
}

// change lets do change an agent's book, keeps it, and returns what is to be told.
func (b *books) change(agent string, al config.Alerts, do func(*notice.Book, time.Time) bool) ([]notice.Notice, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	book := b.byName[agent]
	if book == nil {
		book, _ = notice.Read(b.state, agent)
		b.byName[agent] = book
	}
	now := b.clock()
	changed := do(book, now)
	if book.Len() == 0 && !changed {
		return nil, nil
	}
	err := book.ReadAcks(b.state)
	tell := book.ToTell(al.From, al.Remind.Std(), now)
	if changed || len(tell) > 0 {
		if werr := book.Write(b.state); err == nil {
			err = werr
		}
	}
	return tell, err
}

// list is all findings, or those of some agents.
func (b *books) list(agents ...string) []notice.Notice {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []notice.Notice{}
	for name, book := range b.byName {
		if book.Len() > 0 && (len(agents) == 0 || slices.Contains(agents, name)) {
			_ = book.ReadAcks(b.state) // an acknowledgement that cannot be read is asked for again
			out = append(out, book.List()...)
		}
	}
	slices.SortFunc(out, func(x, y notice.Notice) int {
		if x.Severity != y.Severity {
			return int(y.Severity) - int(x.Severity)
		}
		return x.First.Compare(y.First)
	})
	return out
}

// count is how many findings of each severity nobody has acknowledged.
func (b *books) count() map[finding.Severity]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := map[finding.Severity]int{}
	for _, book := range b.byName {
		if book.Len() == 0 {
			continue
		}
		for _, x := range book.List() {
			if x.Ack == nil {
				n[x.Severity]++
			}
		}
	}
	return n
}

// names are the agents that have findings.
func (b *books) names() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for name, book := range b.byName {
		if book.Len() > 0 {
			out = append(out, name)
		}
	}
	return out
}

// tell takes in what a source found, and lets people know of what is new to them.
func (k *Keeper) tell(agent, source string, found []finding.Finding, event bool) {
	if event && len(found) == 0 {
		return
	}
	tell, err := k.books.change(agent, k.gen.config().Alerts, func(b *notice.Book, now time.Time) bool {
		if event {
			return b.Happened(source, found, now)
		}
		return b.Holds(source, found, now)
	})
	k.failed(agent, "keep findings", err)
	k.alerts.send(tell)
}

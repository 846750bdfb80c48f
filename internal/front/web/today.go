package web

import (
	"cmp"
	"context"
	"net/url"
	"runtime"
	"slices"
	"time"

	"tend/internal/app/baseline"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/state/findinglog"
)

// Limits of the page: how many agents it reads, the ones that acted last first, how many things it lists, how far back.
const agentsToday, mostToday, todaySpan = 20, 60, 24 * time.Hour

type todayPage struct {
	Agents int // all of them
	Wants  int // those that need attention
	Items  []todayItem
	More   int
}

// todayItem is something that happened or needs a decision, with what a person does next.
type todayItem struct {
	At          time.Time
	Agent       string
	Kind, Tone  string
	Text        string
	Link, Label string
	Change      string // the rewrite whose lost lines a button puts back
}

// Page returns the page where a person decides what a notice is about.
func Page(n findinglog.Notice) string {
	switch {
	case n.Agent == "":
		return "/"
	case len(baseline.Answered([]findinglog.Notice{n}, vault.Path(n.File))) > 0:
		return inboxOf(n.Agent) + "#edit-" + url.PathEscape(n.File)
	case n.Code == finding.ProposalsWaiting.Code, n.Code == finding.ProposalMade.Code:
		return inboxOf(n.Agent)
	}
	return "/a/" + escapePath(n.Agent) + "#findings"
}

func inboxOf(agent string) string { return "/inbox?" + url.Values{"agent": {agent}}.Encode() }

// todayPage lists what changed, what was lost and what needs a decision, the newest first.
func (s *Site) todayPage(ctx context.Context, v *visit) error {
	all := s.board.page(0, 0, "", 0, perPage)
	soon, cancel := context.WithTimeout(ctx, firstLook)
	s.board.fresh(soon, all.rows)
	cancel()
	c := s.board.page(orderNamed("recent"), 0, "", 0, agentsToday)
	names := c.names()
	lists := make([][]todayItem, len(names))
	fleet.Parallel(len(names), runtime.GOMAXPROCS(0), func(i int) { lists[i] = s.todayOf(ctx, names[i]) })
	p := todayPage{Agents: c.total, Wants: s.board.counts()[1], Items: slices.Concat(lists...)}
	slices.SortStableFunc(p.Items, func(a, b todayItem) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Agent, b.Agent)) })
	if len(p.Items) > mostToday {
		p.More, p.Items = len(p.Items)-mostToday, p.Items[:mostToday]
	}
	return v.render("today", "Today", p)
}

// todayOf collects what is new about an agent.
func (s *Site) todayOf(ctx context.Context, name string) (list []todayItem) {
	here := "/a/" + escapePath(name)
	inbox := inboxOf(name)
	add := func(x todayItem) {
		x.Agent = name
		list = append(list, x)
	}
	f, done := s.backend.Use()
	defer done()
	a, err := f.Agent(ctx, name)
	if err != nil {
		add(todayItem{At: f.Clock(), Kind: "Cannot be read", Tone: "bad", Text: err.Error(), Link: here, Label: "Look"})
		return list
	}
	defer a.Close()
	since := a.Now().Add(-todaySpan)
	var known []event // changes that are already in the list
	if snap, err := a.Snapshot(ctx); err == nil {
		lost, _ := lostText(a, snap.Input) // what cannot be read is a finding
		for _, x := range lost {
			item := todayItem{At: x.At, Kind: "Lost", Tone: "warn", Change: x.Change, Link: here + "#lost-" + x.Change, Label: "See the lines",
				Text: string(x.File) + " was rewritten: " + x.Summary()}
			if snap.File(x.File).Version == vault.Absent {
				item.Kind, item.Text = "Deleted", string(x.File)+" is gone"
			}
			add(item)
			known = append(known, event{At: x.At, Files: []eventFile{{Path: string(x.File)}}})
		}
		few, _ := a.Losses(snap.Input, since, mostEvents)
		for _, r := range few {
			if slices.ContainsFunc(lost, func(x fleet.Loss) bool { return x.Change == r.Ref }) || !r.Recorded() || len(r.After) == 0 {
				continue
			}
			add(todayItem{At: r.At, Kind: "Lost", Tone: "warn", Change: r.Ref, Link: historyOf(name, string(r.File)), Label: "See the change",
				Text: string(r.File) + ": " + r.Verdict.String()})
			known = append(known, event{At: r.At, Files: []eventFile{{Path: string(r.File)}}})
		}
	}
	notices := s.backend.Findings([]string{name})
	changed, _ := guardedEdits(ctx, a, notices)
	for _, e := range changed {
		add(todayItem{At: s.editedAt(notices, e, a.Now()), Kind: "Decide", Tone: "warn", Text: "your text of " + string(e.File) + " was changed",
			Link: inbox + "#edit-" + string(e.File), Label: "Keep or restore"})
	}
	waiting, _ := a.Proposals.List()
	for _, p := range waiting {
		if p.State == fleet.Waiting {
			add(todayItem{At: p.At, Kind: "Decide", Tone: "warn", Text: "a proposal for " + string(p.Target) + ": " + p.Text, Link: inbox,
				Label: "Approve or reject"})
		}
	}
	for _, n := range findinglog.Open(notices) {
		shown := n.Code == finding.RewriteLost.Code && slices.ContainsFunc(known, func(k event) bool { return k.Files[0].Path == n.File })
		if !shown && !slices.ContainsFunc(changed, func(e guardedEdit) bool { return slices.Contains(e.Answers, n.ID) }) {
			add(todayItem{At: n.Last, Kind: title(n.Code), Tone: tone(n.Severity), Text: s.near(n.Text), Link: here + "#findings", Label: "Look"})
		}
	}
	for _, e := range s.happened(ctx, a, since, known, changed) {
		add(e)
	}
	for i := range list {
		list[i].At = list[i].At.In(a.Location)
	}
	return list
}

// happened lists the changes of the last day that touched files, without those that are known, and without guarded files whose
// change waits for a decision. What is gone now comes first in a change of several files.
func (s *Site) happened(ctx context.Context, a *fleet.Agent, since time.Time, known []event, waiting []guardedEdit) (list []todayItem) {
	recent, _ := events(ctx, a, past.Filter{Since: since, Limit: mostEvents})
	for _, e := range recent {
		e.Files = slices.DeleteFunc(e.Files, func(f eventFile) bool {
			return slices.ContainsFunc(known, func(k event) bool { return k.Files[0].Path == f.Path && k.At.Equal(e.At) }) ||
				slices.ContainsFunc(waiting, func(w guardedEdit) bool { return string(w.File) == f.Path })
		})
		if len(e.Files) == 0 || e.Lost {
			continue
		}
		slices.SortStableFunc(e.Files, func(f, g eventFile) int { return -cmp.Compare(gone(f), gone(g)) })
		text := cmp.Or(e.Summary, e.Files[0].Path)
		if more := len(e.Files) + e.More - 1; e.Summary == "" && more > 0 {
			text += " and " + textfmt.Count(more, "more file")
		}
		x := todayItem{At: e.At, Kind: doing(e.What), Tone: "calm", Text: text + ", by " + person(e.Who), Label: "See the change",
			Link: historyOf(a.Name, e.Files[0].Path)}
		if e.Action == "" && e.Files[0].Gone {
			x.Kind, x.Tone, x.Label = "Deleted", "warn", "See it, or restore it"
		}
		list = append(list, x)
	}
	return list
}

func gone(f eventFile) int {
	if f.Gone {
		return 1
	}
	return 0
}

func historyOf(agent, file string) string {
	return "/a/" + escapePath(agent) + "/time/" + escapePath(file)
}

// doing names an action for people.
func doing(what string) string {
	if what == "restore-zone" {
		return "Restored your text"
	}
	return capital(what)
}

// editedAt is when a change was noticed.
func (s *Site) editedAt(notices []findinglog.Notice, e guardedEdit, otherwise time.Time) time.Time {
	for _, n := range notices {
		if slices.Contains(e.Answers, n.ID) && n.Event {
			return n.Last
		} else if slices.Contains(e.Answers, n.ID) {
			return n.First // it is noticed again at each start
		}
	}
	return otherwise
}

package web

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/app/memory"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/words"
	"tend/internal/state/ledger"
	"tend/internal/text/note"
	"tend/internal/text/recall"
)

type factPage struct {
	Agent  string
	Query  string
	Whence past.Whence
	Steps  []step
	More   int // steps left out in the middle
	Others []other
	Cut    time.Time // nothing before it was read
	Error  string
}

// step is a moment in the life of an entry.
type step struct {
	At       time.Time
	WholeDay bool   // the hour is unknown
	Kind     string // a class: came, left, moved, waits
	What     string // "promoted", "taken out by the reset"
	Who      string
	Job      string
	Reason   string
	Action   string
	Source   *link // where it came from
	Moments  []link
	Archives []string
	Text     string // what it said then, if it was reworded since
	Undo     bool
}

// link is a link of a step.
type link struct{ Title, URL string }

// other is another statement about the same subject: one that replaced the entry, or one the entry replaced.
type other struct {
	What string
	At   string
	Text string
	Link link
}

// mostSteps is how many steps a page shows.
const mostSteps = 60

// factPage follows an entry from where it was first written to where it is now.
func (s *Site) factPage(ctx context.Context, v *visit) error {
	query := words.Clip(strings.TrimSpace(v.r.URL.Query().Get("q")), 1000)
	return v.agent(ctx, func(_ *fleet.Fleet, a *fleet.Agent) error {
		p := factPage{Agent: a.Name, Query: query}
		if query == "" {
			return v.render("fact", "Life of a fact", p)
		}
		w, err := past.Of(a).Why(ctx, query)
		switch {
		case errors.Is(err, past.ErrNoEntry), errors.Is(err, vault.ErrAbsent):
			p.Error = "No entry begins on that line. Name some of its words."
			return v.render("fact", "Life of a fact", p)
		case err != nil:
			return err
		}
		p.Whence = w
		if err := p.live(ctx, a); err != nil {
			return err
		}
		m := memory.New(a, memory.Options{Log: s.o.Log})
		defer m.Close()
		if f, err := m.Finder.Search(ctx, memory.SearchRequest{Query: plainQuery(w.Entry), Past: true, Limit: 12}); err == nil {
			p.others(f)
		}
		return v.render("fact", "Life of a fact", p)
	})
}

// plainQuery turns an entry into a search query without operators.
func plainQuery(entry string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`":+-*[]()#`, r) {
			return ' '
		}
		return r
	}, words.Clip(entry, 300))), " ")
}

// live collects the steps: from the kept texts, from the sources that actions recorded, and from proposals.
func (p *factPage) live(ctx context.Context, a *fleet.Agent) error {
	list, cut, err := past.Of(a).Life(ctx, p.Whence.Entry)
	if err != nil {
		return err
	}
	p.Cut = cut
	told := map[string]int{} // actions that have a step
	if f := p.Whence.First; f != nil && (len(list) == 0 || f.At.Before(list[0].At)) {
		what := "first seen"
		if f.Ref == "" {
			what = "written to the daily log"
		}
		p.Steps = append(p.Steps, step{At: f.At.In(a.Location), WholeDay: f.Ref == "", Kind: "came", What: what, Moments: []link{fileLink(p.Agent, string(f.File), f.Line)}})
	}
	for i, x := range list {
		if f := p.Whence.First; f != nil && f.Ref == "" && x.Action == nil && len(x.Came) == 1 && x.Came[0].Path == f.File &&
			!slices.ContainsFunc(list[:i], func(y past.Step) bool { return slices.Contains(filesOf(y.Left), string(f.File)) }) {
			continue // the log was read some time after it was written
		}
		if x.Action != nil {
			told[x.Action.ID] = len(p.Steps)
		}
		p.Steps = append(p.Steps, p.stepOf(x, a.Location))
	}
	for _, o := range p.Whence.Origins {
		source := fileLink(p.Agent, string(o.Path), o.Line)
		if o.Now != nil {
			source = fileLink(p.Agent, string(o.Now.Path), o.Now.Line)
		}
		i, ok := told[o.Action]
		if !ok {
			i = len(p.Steps)
			told[o.Action] = i
			p.Steps = append(p.Steps, step{At: o.At.In(a.Location), Kind: "came", What: "copied to " + string(o.Target), Who: o.Who, Job: o.Job, Action: o.Action, Moments: []link{momentLink(p.Agent, string(o.Target), o.Action)}})
		}
		if x := &p.Steps[i]; x.Kind == "came" && string(o.Target) != string(o.Path) {
			x.What, x.Source, x.Text = "promoted to "+string(o.Target), &source, o.Was
		}
	}
	for _, x := range p.Whence.Proposals {
		p.Steps = append(p.Steps, step{At: x.At.In(a.Location), Kind: "waits", What: "proposed for " + string(x.Target) + ", " + string(x.State), Who: cmp.Or(x.By, x.Job), Reason: x.Why, Action: x.Action})
	}
	slices.SortStableFunc(p.Steps, func(x, y step) int { return x.At.Compare(y.At) })
	if n := len(p.Steps) - mostSteps; n > 0 { // the beginning says where it came from, the end where it is
		p.More = n
		p.Steps = slices.Delete(p.Steps, mostSteps/3, mostSteps/3+n)
	}
	return nil
}

// stepOf describes one step.
func (p *factPage) stepOf(x past.Step, zone *time.Location) step {
	s := step{At: x.At.In(zone), Archives: x.Archives, Who: "the agent or a person"}
	came, left := filesOf(x.Came), filesOf(x.Left)
	into, from := strings.Join(came, ", "), strings.Join(left, ", ")
	switch {
	case len(came) > 0 && len(left) > 0:
		s.Kind, s.What = "moved", "moved from "+from+" to "+into
		if slices.ContainsFunc(came, func(f string) bool { return strings.Contains(f, "superseded") }) {
			s.What = "superseded: moved from " + from + " to " + into
		}
	case len(came) > 0:
		s.Kind, s.What = "came", "written to "+into
	default:
		s.Kind, s.What = "left", "removed from "+from
	}
	if act := x.Action; act != nil {
		s.Who, s.Job, s.Reason, s.Action = act.Who, cmp.Or(act.Job, "write"), reasonOf(act, append(x.Came, x.Left...)), act.ID
		s.Undo = act.Outcome != ledger.TakenBack
		switch {
		case act.Job == "reset" && s.Kind == "left":
			s.What = "reset: removed from " + from
		case act.Undoes != "" && s.Kind == "came":
			s.What = "returned to " + into
		case act.Job == "restore" && s.Kind == "came":
			s.What = "restored to " + into
		}
	} else if s.Kind == "left" {
		s.What = "removed from " + from
	}
	for _, f := range append(came, left...) {
		s.Moments = append(s.Moments, momentLink(p.Agent, f, x.Ref))
	}
	return s
}

// reasonOf returns why an action was done, with its remarks on the files.
func reasonOf(act *ledger.Action, places []past.Place) string {
	reasons := []string{act.Reason}
	for _, f := range act.Files {
		if f.Why != "" && !slices.Contains(reasons, f.Why) && slices.ContainsFunc(places, func(p past.Place) bool { return p.Path == f.Path }) {
			reasons = append(reasons, f.Why)
		}
	}
	if act.Reason == "" {
		reasons = reasons[1:]
	}
	return strings.Join(reasons, "; ")
}

func filesOf(places []past.Place) (out []string) {
	for _, x := range places {
		out = append(out, string(x.Path))
	}
	return out
}

func fileLink(agent, file string, line int) link {
	return link{file + ":" + strconv.Itoa(line), "/a/" + escapePath(agent) + "/file/" + escapePath(file) + "?from=" + strconv.Itoa(max(1, line-5)) + "#L" + strconv.Itoa(line)}
}

// momentLink links to a file as it was at a moment.
func momentLink(agent, file, ref string) link {
	return link{words.Clip(file, 100) + " at that moment", "/a/" + escapePath(agent) + "/time/" + escapePath(file) + "?" + url.Values{"at": {ref}}.Encode()}
}

// others adds what replaced the entry or was replaced by it.
func (p *factPage) others(f memory.Found) {
	want := note.Normal(p.Whence.Entry)
	for _, h := range f.Hits {
		if h.Superseded == nil {
			continue
		}
		x := other{What: "An older statement", Text: words.Clip(h.Snippet.Text, 300), Link: p.hitLink(h.Path, h.Line, h.Tier)}
		if want != "" && strings.Contains(note.Normal(h.Snippet.Text), want) {
			by := h.Superseded.By
			x = other{What: "Superseded by", Link: p.hitLink(by.Path, by.Line, "")}
			for _, y := range f.Hits {
				if y.Path == by.Path && y.Line == by.Line {
					x.Text, h.Date = words.Clip(y.Snippet.Text, 300), y.Date
				}
			}
		}
		if !h.Date.IsZero() {
			x.At = h.Date.Format(time.DateOnly)
		}
		if len(p.Others) < 8 && !slices.ContainsFunc(p.Others, func(y other) bool { return x.Link == y.Link && x.What == y.What }) {
			p.Others = append(p.Others, x)
		}
	}
}

func (p *factPage) hitLink(path string, line int, tier recall.Tier) link {
	if file, ref, ok := strings.Cut(path, "@"); ok && ref != "" { // a kept version
		return momentLink(p.Agent, file, ref)
	}
	if tier == recall.Archive || tier == recall.History || strings.Contains(path, ":") {
		return link{Title: path + ":" + strconv.Itoa(line)}
	}
	return fileLink(p.Agent, path, line)
}

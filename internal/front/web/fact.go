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

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
	"tend/internal/engine/past"
	"tend/internal/model/textfmt"
	"tend/internal/state/ledger"
	"tend/internal/text/scan"
)

type factPage struct {
	Agent      string
	Query      string
	Provenance past.Provenance
	Steps      []step
	More       int // steps left out in the middle
	Earlier    []wording
	Cut        time.Time // nothing before it was read
	Seen       string    // by the model, and when; "" if no session is known
	Unseen     string    // why the newest session did not have it
	Error      string
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

// wording is what the line said before.
type wording struct {
	Until time.Time
	Text  string
	Link  link
}

// mostSteps is how many steps a page shows.
const mostSteps = 60

// factPage follows an entry from where it was first written to where it is now.
func (s *Site) factPage(ctx context.Context, v *visit) error {
	query := textfmt.Clip(strings.TrimSpace(v.r.URL.Query().Get("q")), 1000)
	return v.agent(ctx, func(_ *fleet.Fleet, a *fleet.Agent) error {
		p := factPage{Agent: a.Name, Query: query}
		if query == "" {
			return v.render("fact", "Life of a fact", p)
		}
		w, err := past.Open(a).Why(ctx, query)
		switch {
		case errors.Is(err, past.ErrNoEntry), errors.Is(err, vault.ErrAbsent):
			p.Error = "No entry begins on that line. Name some of its words."
			return v.render("fact", "Life of a fact", p)
		case err != nil:
			return err
		}
		p.Provenance = w
		if w.Seen != nil {
			p.Seen, p.Unseen = w.Seen.Says()
		}
		if err := p.live(ctx, a); err != nil {
			return err
		}
		p.earlier(a.Location)
		return v.render("fact", "Life of a fact", p)
	})
}

// live collects the steps: from the kept texts, from the sources that actions recorded, and from proposals.
func (p *factPage) live(ctx context.Context, a *fleet.Agent) error {
	list, cut, err := past.Open(a).Life(ctx, p.Provenance.Entry)
	if err != nil {
		return err
	}
	p.Cut = cut
	reported := map[string]int{} // actions that have a step
	if f := p.Provenance.First; f != nil && (len(list) == 0 || f.At.Before(list[0].At)) {
		what := "first seen"
		if f.Ref == "" {
			what = "written to the daily log"
		}
		p.Steps = append(p.Steps,
			step{At: f.At.In(a.Location), WholeDay: f.Ref == "", Kind: "came", What: what,
				Moments: []link{fileLink(p.Agent, string(f.File), f.Line)}})
	}
	for i, x := range list {
		if f := p.Provenance.First; f != nil && f.Ref == "" && onlyCame(x, f.File) && !leftBefore(list[:i], f.File) {
			continue // the log was read some time after it was written
		}
		if x.Action != nil {
			reported[x.Action.ID] = len(p.Steps)
		}
		p.Steps = append(p.Steps, p.stepOf(x, a.Location))
	}
	for _, o := range p.Provenance.Origins {
		source := fileLink(p.Agent, string(o.Path), o.Line)
		if o.Now != nil {
			source = fileLink(p.Agent, string(o.Now.Path), o.Now.Line)
		}
		i, ok := reported[o.Action]
		if !ok {
			i = len(p.Steps)
			reported[o.Action] = i
			p.Steps = append(p.Steps, step{At: o.At.In(a.Location), Kind: "came", What: "copied to " + string(o.Target), Who: o.Who, Job: o.Job,
				Action: o.Action, Moments: []link{momentLink(p.Agent, string(o.Target), o.Action)}})
		}
		if x := &p.Steps[i]; x.Kind == "came" && string(o.Target) != string(o.Path) {
			x.What, x.Source, x.Text = "promoted to "+string(o.Target), &source, o.Was
		}
	}
	for _, x := range p.Provenance.Proposals {
		p.Steps = append(p.Steps,
			step{At: x.At.In(a.Location), Kind: "waits", What: "proposed for " + string(x.Target) + ", " + string(x.State),
				Who: cmp.Or(x.By, x.Job), Reason: x.Why, Action: x.Action})
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
		s.Undo = act.Outcome != ledger.RolledBack
		row, _ := table.Named(act.Job)
		switch {
		case row.Baseline && s.Kind == "left":
			s.What = act.Job + ": removed from " + from
		case act.Undoes != "" && s.Kind == "came":
			s.What = "returned to " + into
		case act.Job == "restore" && s.Kind == "came":
			s.What = "restored to " + into
		}
	}
	for _, f := range append(came, left...) {
		s.Moments = append(s.Moments, momentLink(p.Agent, f, x.Ref))
	}
	return s
}

// reasonOf returns why an action was done, with its remarks on the files.
func reasonOf(act *ledger.Action, places []past.Location) string {
	reasons := []string{act.Reason}
	for _, f := range act.Files {
		if f.Why != "" && !slices.Contains(reasons, f.Why) &&
			slices.ContainsFunc(places, func(p past.Location) bool { return p.Path == f.Path }) {
			reasons = append(reasons, f.Why)
		}
	}
	if act.Reason == "" {
		reasons = reasons[1:]
	}
	return strings.Join(reasons, "; ")
}

func filesOf(places []past.Location) (out []string) {
	for _, x := range places {
		out = append(out, string(x.Path))
	}
	return out
}

func fileLink(agent, file string, line int) link {
	return link{file + ":" + strconv.Itoa(line), "/a/" + escapePath(agent) + "/file/" + escapePath(file) + "?from=" +
		strconv.Itoa(max(1, line-5)) + "#L" + strconv.Itoa(line)}
}

// momentLink links to a file as it was at a moment.
func momentLink(agent, file, ref string) link {
	return link{textfmt.Clip(file, 100) + " at that moment",
		"/a/" + escapePath(agent) + "/time/" + escapePath(file) + "?" + url.Values{"at": {ref}}.Encode()}
}

// earlier adds what the line said before.
func (p *factPage) earlier(zone *time.Location) {
	for _, w := range p.Provenance.Before {
		at := momentLink(p.Agent, string(w.File), strings.TrimPrefix(w.Ref, string(w.File)+"@"))
		p.Earlier = append(p.Earlier, wording{w.Until.In(zone), scan.Quote(w.Text, 300), at})
	}
}

// onlyCame reports whether an observed edit added the entry to this file alone.
func onlyCame(x past.Step, file vault.Path) bool {
	return x.Action == nil && len(x.Came) == 1 && x.Came[0].Path == file
}

// leftBefore reports whether the entry left a file in one of these steps.
func leftBefore(steps []past.Step, file vault.Path) bool {
	return slices.ContainsFunc(steps, func(y past.Step) bool { return slices.Contains(filesOf(y.Left), string(file)) })
}

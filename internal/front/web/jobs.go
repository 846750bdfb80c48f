package web

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/table"
	"tend/internal/engine/jobruns"
	"tend/internal/engine/runner"
	"tend/internal/engine/schedule"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// agentsPerJobs is how many agents a page of jobs has.
const agentsPerJobs = 25

type jobsPage struct {
	Agent  string
	Jobs   []jobRow
	Agents []jobsAgent
	pager
	Zone  string
	Error string
	Runs  runPage // of one agent
}

// jobRow is a job with its schedule.
type jobRow struct {
	Name, Short, When string
	Day, Week         template.HTML
	Runs              jobruns.Run
	NextAt            time.Time
	Overdue           time.Time
	Scheduled         bool
	Reads             bool
	Agents            int // that have it on this page
}

type jobsAgent struct {
	Name       string
	Last, Next *moment
	Failed     string
}

// jobsPage shows when jobs run and how they went, for one agent or many.
func (s *Site) jobsPage(_ context.Context, v *visit) error {
	q := v.r.URL.Query()
	p := jobsPage{Agent: q.Get("agent")}
	f, done := s.backend.Use()
	defer done()
	names := []string{p.Agent}
	if p.Agent != "" {
		if err := v.known(p.Agent); err != nil {
			return err
		}
	} else {
		from, _ := strconv.Atoi(q.Get("from"))
		c := s.board.page(orderNamed("name"), 0, "", from, agentsPerJobs)
		names = c.names()
		p.pager = pageAt(from, len(names), agentsPerJobs, c.total, pageLink("/jobs"))
	}
	entries := map[string][]schedule.Entry{}
	runs, ran := map[string]fleet.JobState{}, map[string][]runMark{}
	now := s.o.Clock()
	for _, name := range names {
		a, err := f.Records(name)
		if err != nil {
			return err
		}
		now, p.Zone = a.Now(), a.Location.String()
		mine, err := a.Jobs()
		if err != nil {
			p.Error = err.Error()
		}
		row := jobsAgent{Name: name}
		row.Last, row.Next = lastAndNext(mine, a.Location)
		var all []runRow
		if p.Agent != "" {
			if all, err = runsOf(a); err != nil {
				p.Error = err.Error()
			}
			p.Runs = cutRuns(all, name, q)
			ran = timesOf(all, mine, a.Location)
		}
		for job, r := range mine {
			if r.Error != "" {
				row.Failed = job + ": " + r.Error
			}
			runs[job] = r
		}
		p.Agents = append(p.Agents, row)
		for _, e := range s.backend.Timetable(name) {
			entries[e.Job] = append(entries[e.Job], e)
		}
	}
	for _, r := range table.Rows() {
		p.Jobs = append(p.Jobs, rowOf(r, entries[r.Name], runs[r.Name], ran[r.Name], now, p.Agent != ""))
	}
	title := "Jobs"
	if p.Agent != "" {
		title = "Jobs of " + p.Agent
	}
	return v.render("jobs", title, p)
}

// runMark is a run of a job in a chart.
type runMark struct {
	at  time.Time
	bad bool
}

// timesOf returns when each job ran: every remembered run, and for the last day also those that were counted
// together.
func timesOf(all []runRow, last map[string]fleet.JobState, zone *time.Location) map[string][]runMark {
	out := map[string][]runMark{}
	for _, r := range all {
		for _, name := range r.Jobs {
			out[name] = append(out[name], runMark{r.At, r.Bad})
		}
	}
	for name, r := range last {
		for _, t := range r.Recent {
			out[name] = append(out[name], runMark{t.In(zone), false})
		}
	}
	return out
}

func rowOf(r table.Row, entries []schedule.Entry, ran fleet.JobState, marks []runMark, now time.Time, one bool) jobRow {
	x := jobRow{Name: r.Name, Short: r.Short, Reads: r.Reads(), Scheduled: len(entries) > 0, Agents: len(entries)}
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	monday := midnight.AddDate(0, 0, -(int(now.Weekday())+6)%7)
	var specs []string
	for _, e := range entries {
		if say := inWords(e.Spec); !slices.Contains(specs, say) {
			specs = append(specs, say)
		}
		if at := e.Next(now).In(now.Location()); x.NextAt.IsZero() || at.Before(x.NextAt) {
			x.NextAt = at
		}
	}
	if x.When = strings.Join(specs[:min(len(specs), 3)], ", "); len(specs) > 3 {
		x.When += " and others"
	}
	if x.Scheduled || len(marks) > 0 {
		x.Day = chart(entries, marks, midnight, midnight.AddDate(0, 0, 1), now, 24)
		x.Week = chart(entries, marks, monday, monday.AddDate(0, 0, 7), now, 7)
	}
	if one {
		x.Runs = ran.Run
		if !ran.Last.IsZero() {
			x.Runs.Last = ran.Last.In(now.Location())
		}
		if ran.Overdue != nil {
			x.Overdue = *ran.Overdue
		}
	}
	return x
}

// chart draws when jobs are due between two moments and when they ran, with marks at equal intervals and a line at
// now.
func chart(entries []schedule.Entry, marks []runMark, from, to, now time.Time, parts int) template.HTML {
	const width, height = 240.0, 18.0
	place := func(t time.Time) float64 { return width * float64(t.Sub(from)) / float64(to.Sub(from)) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" aria-hidden="true" preserveAspectRatio="none">`,
		width, height, width, height)
	for i := range parts + 1 {
		fmt.Fprintf(&b, `<rect class="grid-line" x="%.1f" y="0" width="0.500" height="%.0f"/>`, width*float64(i)/float64(parts), height)
	}
	due := map[int]bool{} // by drawn point, so that a dense schedule takes no more space than a sparse one
	for _, e := range entries {
		pixel := to.Sub(from) / time.Duration(width)
		for t := e.Next(from.Add(-time.Second)); !t.IsZero() && t.Before(to); {
			due[int(place(t))] = true
			later := e.Next(t)
			if early := t.Add(pixel / 2); later.Before(early) {
				later = e.Next(early)
			}
			t = later
		}
	}
	b.WriteString(`<path class="ticks" d="`)
	for _, x := range slices.Sorted(maps.Keys(due)) {
		fmt.Fprintf(&b, "M%d 2v9", x+1)
	}
	b.WriteString(`"/>`)
	drawn := map[int]bool{} // by point; true if it failed
	for _, m := range marks {
		if !m.at.Before(from) && m.at.Before(to) {
			drawn[int(place(m.at))] = m.bad || drawn[int(place(m.at))]
		}
	}
	for _, x := range slices.Sorted(maps.Keys(drawn)) {
		class := "ran"
		if drawn[x] {
			class = "failed"
		}
		fmt.Fprintf(&b, `<circle class="%s" cx="%d" cy="15" r="2"/>`, class, x+1)
	}
	if now.After(from) && now.Before(to) {
		fmt.Fprintf(&b, `<rect class="now" x="%.1f" y="0" width="1.500" height="%.0f"/>`, place(now), height)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

type resultPage struct {
	Agent, Job string
	Result     runner.Result
	Diff       []diffLine
	More       int
}

// run runs a job now. A dry run shows what it would do, and changes nothing.
func (s *Site) run(v *visit) error {
	agent, name := v.r.PostFormValue("agent"), v.r.PostFormValue("job")
	if err := v.known(agent); err != nil {
		return err
	}
	if _, ok := table.Named(name); !ok {
		return notFound("No job %q.", name)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.r.Context()), 2*time.Minute)
	defer cancel()
	o := v.options()
	o.DryRun, o.Force = v.r.PostFormValue("dry") != "", v.r.PostFormValue("force") != ""
	r := s.backend.Perform(ctx, agent, name, o)
	if !o.DryRun {
		if r.Err != nil {
			return r.Err
		}
		s.backend.FilesChanged(agent)
		v.session.flash.Store(&flash{Text: name + " of " + agent + ": " + cmp.Or(r.Summary, string(r.Outcome))})
		http.Redirect(v.w, v.r, v.back("/jobs?agent="+url.QueryEscape(agent)), http.StatusSeeOther)
		return nil
	}
	p := resultPage{Agent: agent, Job: name, Result: r}
	p.Diff, p.More = diffOf(r.Diff)
	p.Result.Findings = p.Result.Findings[:min(len(p.Result.Findings), mostFindings)]
	return v.render("result", "Dry run of "+name, p)
}

// runRow is a run of a job, or of several that ran together.
type runRow struct {
	At      time.Time
	Jobs    []string
	Outcome string
	Bad     bool
	Took    string
	What    string
	Action  string
	Times   int // runs of that day with the same outcome
}

// Name returns the jobs' names, the chain they ran in first.
func (r runRow) Name() string {
	if len(r.Jobs) == 1 {
		return r.Jobs[0]
	}
	for _, name := range r.Jobs {
		if row, ok := table.Named(name); ok && len(row.Chain) > 0 {
			return name
		}
	}
	return strings.Join(r.Jobs, ", ")
}

// runPage is a part of the runs of an agent.
type runPage struct {
	Rows []runRow
	Jobs []option
	pager
}

// runsPerPage is how many runs a page shows, and mostRuns how many actions of the ledger are read for them.
const runsPerPage, mostRuns = 40, 2000

// runsOf lists the runs of an agent's jobs, newest first: remembered runs with their duration, and earlier ones from
// the ledger that changed something.
func runsOf(a *fleet.Agent) ([]runRow, error) {
	history, err := a.Runs.History()
	if err != nil {
		return nil, err
	}
	type key struct {
		at      int64
		outcome job.Outcome
	}
	together := map[key]*runRow{}
	byAction := map[string]*runRow{}
	var list []*runRow
	for name, runs := range history {
		for _, e := range runs {
			r := together[key{e.At.UnixNano(), e.Outcome}]
			if r == nil {
				r = &runRow{At: e.At.In(a.Location), Outcome: string(e.Outcome), Took: e.Took, What: e.Error, Action: e.Action, Times: e.Times}
				r.Bad = e.Error != "" || e.Outcome == plan.Failed || e.Outcome == plan.Refused
				together[key{e.At.UnixNano(), e.Outcome}] = r
				list = append(list, r)
			}
			r.Jobs = append(r.Jobs, name)
			if e.Action != "" {
				byAction[e.Action] = r
			}
		}
	}
	n := 0
	for act, err := range a.Ledger.Actions() {
		if err != nil {
			return nil, err
		}
		if n++; n > mostRuns {
			break
		}
		if _, known := table.Named(act.Job); !known {
			continue
		}
		if r := byAction[act.ID]; r != nil {
			r.What = cmp.Or(r.What, act.Summary)
			continue
		}
		r := &runRow{At: act.At.In(a.Location), Jobs: []string{act.Job}, Outcome: string(plan.Changed), What: act.Summary, Action: act.ID}
		if act.Outcome == ledger.RolledBack {
			r.Outcome, r.Bad = "rolled back", true
		}
		if took := act.Ended.Sub(act.At); took > 0 {
			r.Took = took.Round(time.Millisecond).String()
		}
		list = append(list, r)
	}
	out := make([]runRow, len(list))
	for i, r := range list {
		slices.Sort(r.Jobs)
		out[i] = *r
	}
	slices.SortStableFunc(out, func(x, y runRow) int { return cmp.Or(y.At.Compare(x.At), strings.Compare(x.Name(), y.Name())) })
	return out, nil
}

// cutRuns selects the runs of a job and cuts the page out of them.
func cutRuns(all []runRow, agent string, q url.Values) runPage {
	var p runPage
	link := func(name string, from int) string {
		u := url.Values{"agent": {agent}}
		if name != "" {
			u.Set("job", name)
		}
		if from > 0 {
			u.Set("runs", strconv.Itoa(from))
		}
		return "/jobs?" + u.Encode() + "#runs"
	}
	counts, only := map[string]int{}, q.Get("job")
	for _, r := range all {
		for _, name := range r.Jobs {
			counts[name]++
		}
	}
	if counts[only] == 0 {
		only = ""
	}
	p.Jobs = append(p.Jobs, option{Title: "all", URL: link("", 0), Count: len(all), On: only == ""})
	for _, r := range table.Rows() {
		if n := counts[r.Name]; n > 0 {
			p.Jobs = append(p.Jobs, option{Title: r.Name, URL: link(r.Name, 0), Count: n, On: r.Name == only})
		}
	}
	list := all
	if only != "" {
		list = nil
		for _, r := range all {
			if slices.Contains(r.Jobs, only) {
				list = append(list, r)
			}
		}
	}
	p.Rows, p.pager = pageOf(list, q.Get("runs"), runsPerPage, func(from int) string { return link(only, from) })
	p.Label = " of runs"
	return p
}

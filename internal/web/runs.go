package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/fleet"
	"tend/internal/job"
	"tend/internal/ledger"
	"tend/internal/plan"
)

// runRow is a run of a job, or of several that ran together.
type runRow struct {
	At      time.Time
	Jobs    []string
	Outcome string
	Bad     bool
	Took    string
	What    string
	Action  string
	Times   int // runs of that day that came to the same
}

// Name names the jobs, the chain they ran in first.
func (r runRow) Name() string {
	if len(r.Jobs) == 1 {
		return r.Jobs[0]
	}
	for _, name := range r.Jobs {
		if row, ok := job.Named(name); ok && len(row.Chain) > 0 {
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

// runsPerPage is how many runs a page shows, and mostRuns how far back the ledger is read for them.
const runsPerPage, mostRuns = 40, 2000

// runsOf lists the runs of an agent's jobs, newest first: those that are remembered with how long they took, and from the
// ledger those before them that changed something.
func runsOf(a *fleet.Agent) ([]runRow, error) {
	history, err := a.Hints.History()
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
		if _, known := job.Named(act.Job); !known {
			continue
		}
		if r := byAction[act.ID]; r != nil {
			r.What = cmp.Or(r.What, act.Summary)
			continue
		}
		r := &runRow{At: act.At.In(a.Location), Jobs: []string{act.Job}, Outcome: string(plan.Changed), What: act.Summary, Action: act.ID}
		if act.Outcome == ledger.TakenBack {
			r.Outcome, r.Bad = "taken back", true
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

// cutRuns picks the runs of a job and cuts the page out of them.
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
	for _, r := range job.Table() {
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

package web

import (
	"context"
	"maps"
	"slices"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/audit"
	"tend/internal/engine/job/table"
	"tend/internal/engine/past"
	"tend/internal/state/findinglog"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
)

// lookFor is how long one agent may take to answer.
const lookFor = 5 * time.Second

// look gathers what the fleet page shows of an agent. It cannot be cancelled: an abandoned look would continue in the
// background, and it would be unknown when the fleet may be closed.
func (s *Site) look(name string) *row {
	ctx, cancel := context.WithTimeout(context.Background(), lookFor)
	defer cancel()
	f, done := s.backend.Use()
	defer done()
	st := s.state(ctx, f, name)
	if st.Err == nil && len(f.Config.Agents) <= fleet.FewAgents {
		st.AddExamination(f.Examine(ctx, name, audit.Examine))
	}
	r := &row{Name: name, Seen: true, Layout: st.Layout, Drift: st.Drift, Waiting: st.Waiting, Verdict: st.Verdict()}
	r.Open = len(findinglog.Open(st.Notices))
	s.shorten(&r.Verdict)
	r.More = r.Verdict.Rest
	if st.Last != nil {
		r.Acted = st.Last.At
	}
	r.Buffer = sizeGauge(st.Buffer)
	if st.Err != nil {
		r.Inbox = true
		return r
	}
	a, err := f.Agent(ctx, name)
	if err != nil {
		return r
	}
	defer a.Close()
	r.Loaded = loaded(ctx, a, st.Hot)
	r.Last, r.Next = lastAndNext(st.Jobs, a.Location)
	x := inboxAgent{Baselines: baselinesOf(a)}
	x.nights(ctx, s, a)
	r.Inbox = r.Open > 0 || r.Waiting > 0 || !x.Empty()
	if st.Hot != nil {
		r.Spark = history(ctx, a, st.Hot.File, f.Clock())
	}
	return r
}

// begin returns what is known of an agent before it was examined: the keeper's findings.
func (s *Site) begin(cfg func(string) (string, bool)) func(string) *row {
	found := map[string][]findinglog.Notice{}
	for _, n := range s.backend.Findings(nil) {
		found[n.Agent] = append(found[n.Agent], n)
	}
	return func(name string) *row {
		ref, enabled := cfg(name)
		st := fleet.State{Status: fleet.Status{Agent: name, Enabled: enabled, Layout: ref}, Notices: found[name]}
		return &row{Name: name, Layout: ref, Verdict: st.Verdict(), Open: len(findinglog.Open(found[name])),
			Inbox: len(findinglog.Open(found[name])) > 0}
	}
}

// state gathers the state of an agent, with the keeper's findings as they are in memory.
func (s *Site) state(ctx context.Context, f *fleet.Fleet, name string) fleet.State {
	noticed := func(agent string) []findinglog.Notice { return s.backend.Findings([]string{agent}) }
	return f.State(ctx, name, fleet.Survey{Wait: lookFor, Jobs: true, Noticed: noticed})
}

// lastAndNext returns the job that ran last and the one that is due next. One that runs all day counts only if it did
// something, or if there is nothing else.
func lastAndNext(jobs map[string]fleet.JobState, zone *time.Location) (last, next *moment) {
	often := true
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		j := jobs[name]
		row, _ := table.Named(name)
		if idle := row.Frequent && j.Outcome == job.Unchanged; !idle && !j.Last.IsZero() && (last == nil || j.Last.After(last.At)) {
			last = &moment{j.Last.In(zone), name}
			if string(j.Outcome) != name {
				last.What += ": " + string(j.Outcome)
			}
		}
		if j.Next == nil {
			continue
		}
		rarer := often && !row.Frequent
		sooner := next != nil && often == row.Frequent && j.Next.Before(next.At)
		if next == nil || rarer || sooner {
			next, often = &moment{j.Next.In(zone), name}, row.Frequent
		}
	}
	return last, next
}

// loaded measures the always-loaded file against what the harness shows of it.
func loaded(ctx context.Context, a *fleet.Agent, hot *fleet.Size) *gauge {
	if hot == nil {
		return nil
	}
	files, _, err := a.Files.Shown(ctx, a.Layout)
	if err != nil {
		return sizeGauge(hot)
	}
	return gaugeOf(loadview.Inject(a.Layout, files, loadview.Options{Root: a.Workspace.Path}), hot)
}

func gaugeOf(r loadview.Result, hot *fleet.Size) *gauge {
	if hot == nil {
		return nil
	}
	in, ok := r.File(string(hot.File))
	for _, f := range r.Files { // a cut file matters more than the first one
		if f.Lost > in.Lost {
			in, ok = f, true
		}
	}
	if !ok || in.Limit == 0 && in.Lost == 0 {
		return sizeGauge(hot)
	}
	g := &gauge{File: in.Name, Value: in.Raw, Limit: in.Limit, Lost: in.Lost, Unit: unitWord(r.Unit)}
	if in.Limit == 0 || in.Starve {
		g.Limit = in.Raw - in.Lost
	}
	return g
}

func unitWord(u layout.Unit) string {
	switch u {
	case layout.UTF16, layout.Runes:
		return "characters"
	}
	return string(u)
}

// sizeGauge measures a file against the policy's limit.
func sizeGauge(s *fleet.Size) *gauge {
	if s == nil {
		return nil
	}
	if s.MaxLines > 0 {
		return &gauge{File: string(s.File), Value: s.Lines, Limit: s.MaxLines, Unit: "lines"}
	}
	return &gauge{File: string(s.File), Value: s.Bytes, Limit: s.MaxBytes, Unit: "bytes"}
}

// sparkDays is how far back a spark line goes.
const sparkDays = 30

// history returns the size of a file at the end of each of the last days; -1 if unknown.
func history(ctx context.Context, a *fleet.Agent, file vault.Path, now time.Time) spark {
	list, err := past.Open(a).Versions(ctx, file)
	if err != nil || len(list) == 0 {
		return nil
	}
	return daily(list, now, sparkDays)
}

func daily(list []past.Version, now time.Time, days int) spark {
	out := make(spark, days)
	at, size := 0, -1
	for i := range days {
		end := now.Add(-time.Duration(days-1-i) * 24 * time.Hour)
		for ; at < len(list) && !list[at].At.After(end); at++ {
			if size = list[at].Size; list[at].Gone {
				size = 0
			}
		}
		out[i] = size
	}
	return out
}

package web

import (
	"context"
	"time"

	"tend/internal/finding"
	"tend/internal/fleet"
	"tend/internal/job"
	"tend/internal/layout"
	"tend/internal/layout/inject"
	"tend/internal/notice"
	"tend/internal/past"
	"tend/internal/vault"
)

// lookFor is how long one agent may take to answer.
const lookFor = 5 * time.Second

// look gathers what the fleet page shows of an agent. It cannot be cancelled: an abandoned look would continue in the
// background, and it would be unknown when the fleet may be closed.
func (s *Site) look(name string) *row {
	ctx, cancel := context.WithTimeout(context.Background(), lookFor)
	defer cancel()
	f, done := s.house.Use()
	defer done()
	st := f.Status(ctx, name)
	noticed := s.house.Findings([]string{name})
	r := &row{Name: name, Seen: true, Layout: st.Layout, Drift: st.Drift, Waiting: st.Waiting, Verdict: st.Verdict(noticed)}
	r.Open = len(notice.Open(noticed))
	s.shorten(&r.Verdict)
	for _, x := range st.Findings {
		if x.Severity > finding.Info {
			r.More++
		}
	}
	r.More = max(0, r.More-1)
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
	r.Last, r.Next = s.jobs(a)
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
	found := map[string][]notice.Notice{}
	for _, n := range s.house.Findings(nil) {
		found[n.Agent] = append(found[n.Agent], n)
	}
	return func(name string) *row {
		ref, enabled := cfg(name)
		st := fleet.Status{Agent: name, Enabled: enabled, Layout: ref}
		return &row{Name: name, Layout: ref, Verdict: st.Verdict(found[name]), Open: len(notice.Open(found[name])), Inbox: len(notice.Open(found[name])) > 0}
	}
}

// jobs returns the job that ran last and the one that is due next. A rotate counts only if it did something, or if
// there is nothing else.
func (s *Site) jobs(a *fleet.Agent) (last, next *moment) {
	runs, err := a.Hints.Runs()
	if err != nil {
		return nil, nil
	}
	for name, r := range runs {
		if name == "rotate" && r.Outcome == job.Unchanged {
			continue // it runs all day, mostly without effect
		}
		if !r.Last.IsZero() && (last == nil || r.Last.After(last.At)) {
			last = &moment{r.Last.In(a.Location), name}
			if string(r.Outcome) != name {
				last.What += ": " + string(r.Outcome)
			}
		}
	}
	now := a.Now()
	often := true
	for _, e := range s.house.Timetable(a.Name) {
		at, rotate := e.Next(now), e.Job == "rotate"
		if next == nil || often && !rotate || often == rotate && at.Before(next.At) {
			next, often = &moment{at.In(a.Location), e.Job}, rotate
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
	return gaugeOf(inject.Inject(a.Layout, files, inject.Options{Root: a.Workspace.Path}), hot)
}

func gaugeOf(r inject.Result, hot *fleet.Size) *gauge {
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
	list, err := past.Of(a).Versions(ctx, file)
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

package job

import (
	"maps"
	"slices"
	"time"

	"tend/internal/finding"
	"tend/internal/policy"
)

func jobErrors(l *look) []finding.Finding {
	var out []finding.Finding
	for _, name := range slices.Sorted(maps.Keys(l.Facts.Audit.Errors)) {
		out = append(out, finding.JobErrors.In("", "%s: %s", name, clip(l.Facts.Audit.Errors[name], 200)))
	}
	return out
}

// scheduleKept looks for jobs that are overdue and for jobs that run far more often than
// they are due. A job that has never run is nobody's promise yet.
func scheduleKept(l *look) []finding.Finding {
	var out []finding.Finding
	grace, factor := policy.ScheduleGrace.Of(l.Policy).Std(), policy.ScheduleOverfire.Of(l.Policy)
	for _, s := range Timetable(l.Policy) {
		last, ran := l.Facts.Runs[s.Job]
		due, planned := l.Facts.Audit.Due[s.Job]
		if !planned && ran {
			due = s.Next(last.In(l.Now.Location()))
		}
		if (planned || ran) && !due.IsZero() && l.Now.After(due.Add(grace)) {
			out = append(out, finding.Schedule.In("", "%s is overdue since %s", s.Job, due.In(l.Now.Location()).Format("2006-01-02 15:04")))
		}
		fired := l.Facts.Fired[s.Job]
		if most := factor * float64(max(1, s.times(l.Now, 24*time.Hour))); factor > 0 && float64(fired) > most {
			out = append(out, finding.Schedule.In("", "%s ran %d times in 24 h, it is due %d times (%s)", s.Job, fired, s.times(l.Now, 24*time.Hour), s.Spec))
		}
	}
	return out
}

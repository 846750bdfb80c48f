package job

import (
	"maps"
	"slices"
	"strings"
	"time"

	"tend/internal/finding"
	"tend/internal/policy"
	"tend/internal/schedule"
	"tend/internal/words"
)

func jobErrors(l *look) []finding.Finding {
	var out []finding.Finding
	for _, name := range slices.Sorted(maps.Keys(l.Facts.Audit.Errors)) {
		out = append(out, finding.JobErrors.In("", "%s: %s", name, words.Clip(strings.Join(strings.Fields(l.Facts.Audit.Errors[name]), " "), 200)))
	}
	return out
}

// scheduleKept looks for jobs that are overdue and for jobs that run far more often than they are due. A job is overdue only
// where a keeper has planned it: who runs jobs by hand has promised nothing.
func scheduleKept(l *look) []finding.Finding {
	var parser schedule.Parser
	slots, err := parser.Of(l.Agent, Scheduled(l.Policy, hasBaseline(l)), l.Policy, l.Now.Location())
	if err != nil {
		return []finding.Finding{finding.Schedule.In("", "%v", err)}
	}
	var out []finding.Finding
	factor := policy.ScheduleOverfire.Of(l.Policy)
	for _, s := range slots {
		var since time.Time
		if due, planned := l.Facts.Audit.Due[s.Job]; planned && l.Now.Sub(due) > policy.ScheduleGrace.Of(l.Policy).Std() {
			since = due
		}
		if !since.IsZero() {
			out = append(out, finding.Schedule.In("", "%s is overdue since %s", s.Job, since.In(l.Now.Location()).Format(words.Minute)))
		}
		fired := l.Facts.Fired[s.Job]
		if factor <= 0 || float64(fired) <= factor {
			continue // counting what was due is work
		}
		if due := s.Count(l.Now.Add(-24*time.Hour), l.Now); float64(fired) > factor*float64(max(1, due)) {
			out = append(out, finding.Schedule.In("", "%s ran %d times in 24 h, %d were due (%s)", s.Job, fired, due, s.Spec))
		}
	}
	return out
}

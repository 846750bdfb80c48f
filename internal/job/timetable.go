package job

import (
	"strings"
	"time"

	"github.com/netresearch/go-cron"

	"tend/internal/policy"
)

// Slot is when a job is due.
type Slot struct {
	Job  string
	Spec string // as the policy has it
	cron.Schedule
}

// Timetable is what runs by itself under a policy, and when. With automation off nothing
// does.
func Timetable(p policy.Policy) []Slot {
	level := policy.Automation.Of(p)
	if level == policy.AutomationOff {
		return nil
	}
	reset := policy.ScheduleReset.Of(p)
	if every := policy.ResetEvery.Of(p); reset == "" && every > 0 {
		reset = "@every " + every.String()
	}
	specs := []struct{ job, spec string }{
		{"reset", reset},
		{"check", policy.ScheduleCheck.Of(p)},
		{"audit", policy.ScheduleAudit.Of(p)},
		{"archive", policy.ScheduleArchive.Of(p)},
		{"rotate", policy.ScheduleRotate.Of(p)},
		{"compare", policy.ScheduleCompare.Of(p)},
	}
	if level == policy.AutomationCurate {
		specs = append(specs, []struct{ job, spec string }{
			{"curate", policy.ScheduleCurate.Of(p)},
			{"prune", policy.SchedulePrune.Of(p)},
			{"review", policy.ScheduleReview.Of(p)},
		}...)
	}
	var out []Slot
	for _, s := range specs {
		if sched, ok := parseSchedule(s.spec); ok {
			out = append(out, Slot{s.job, s.spec, sched})
		}
	}
	return out
}

// parseSchedule reads a schedule of the policy, which has refused bad ones already.
func parseSchedule(spec string) (cron.Schedule, bool) {
	if spec == "" {
		return nil, false
	}
	if every, ok := strings.CutPrefix(spec, "@every "); ok {
		d, err := policy.ParseDuration(every)
		return cron.Every(d.Std()), err == nil
	}
	s, err := cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(spec)
	return s, err == nil
}

// times counts how often a slot is due in the time before now.
func (s Slot) times(now time.Time, within time.Duration) int {
	n := 0
	for t := s.Next(now.Add(-within)); !t.IsZero() && !t.After(now); t = s.Next(t) {
		n++
	}
	return n
}

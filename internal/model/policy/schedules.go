package policy

import (
	"strings"
	"time"
)

// How schedules are kept. The job table defines the jobs and their default schedules; its rows create their keys with
// Scheduled.
var (
	ScheduleGap = duration("schedule.gap", Duration(30*time.Minute), span{float64(time.Minute), float64(Day), "no gap"}, doc{
		"least time between audit, curation and pruning",
		"OpenClaw protocol: 30 minutes or more"})
	ScheduleJitter = duration("schedule.jitter", Duration(2*time.Minute), span{float64(time.Second), float64(Day), "no jitter"}, doc{
		"window over which agents with a job at the same hour are spread; each has a fixed place in it",
		"Memory Shepherd: 2 minutes"})
	ScheduleGrace = duration("schedule.grace", Duration(30*time.Minute), span{float64(time.Second), float64(30 * Day), ""}, doc{
		"how late a job may be before it is reported as overdue",
		"Tend: nothing is silent"})
	ScheduleOverfire = ratio("schedule.overfire", Factor, 3, span{1.1, 1000, "never"}, doc{
		"how many times its due count a job may run in 24 h before it is reported",
		"OpenClaw #65589: 60-100 times the configured rate went unnoticed"})
)

func scheduleKeys() []key {
	return []key{&ScheduleGap, &ScheduleJitter, &ScheduleGrace, &ScheduleOverfire}
}

// schedulePrefix begins the keys that say when a job runs.
const schedulePrefix = "schedule."

// Scheduled returns the key for a job's schedule, in the agent's time zone.
func Scheduled(job, def, help, origin string) Key[string] {
	return schedule(schedulePrefix+job, def, doc{help, origin})
}

// ScheduledJob returns the job that a key schedules, "" if the key is about something else.
func ScheduledJob(name string) string {
	job, ok := strings.CutPrefix(name, schedulePrefix)
	if _, fixed := byName()[name]; !ok || fixed {
		return ""
	}
	return job
}

// lookUp finds a key by name. It accepts the schedule of any job, because this package does not know the jobs.
func lookUp(name string) (key, bool) {
	if k, ok := byName()[name]; ok {
		return k, true
	}
	if job := ScheduledJob(name); job != "" {
		return Scheduled(job, "", "when "+job+" runs", ""), true
	}
	return nil, false
}

package policy

import (
	"strings"
	"time"
)

// How schedules are kept. Which jobs there are and when each runs by default is the job table's to say: its rows make
// their keys with Scheduled.
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

// Scheduled is the key that says when a job runs, in the agent's time zone.
func Scheduled(job, def, help, origin string) Key[string] {
	return schedule(schedulePrefix+job, def, doc{help, origin})
}

// ScheduledJob is the job that a key schedules, "" if the key is about something else.
func ScheduledJob(name string) string {
	job, ok := strings.CutPrefix(name, schedulePrefix)
	if _, fixed := byName()[name]; !ok || fixed || retired(name) {
		return ""
	}
	return job
}

// lookUp finds a key by its name. The schedule of any job is accepted here, for the jobs are known further up.
func lookUp(name string) (key, bool) {
	if k, ok := byName()[name]; ok {
		return k, true
	}
	if job := ScheduledJob(name); job != "" {
		return Scheduled(job, "", "when "+job+" runs", ""), true
	}
	return nil, false
}

// retired reports whether a key had a meaning once. Configurations that still have it load, and it does nothing.
func retired(name string) bool {
	return name == "schedule.stagger" // every agent has a moment of its own in its interval
}

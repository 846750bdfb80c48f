package policy

import "time"

// When the keeper runs each job, in the agent's time zone.
var (
	ScheduleReset = schedule("schedule.reset", "", doc{
		"fixed hours for resets; when off, reset.every counts",
		"Tend"})
	ScheduleAudit = schedule("schedule.audit", "0 22 * * *", doc{
		"when the nightly audit runs",
		"OpenClaw protocol: 22:00"})
	ScheduleCheck = schedule("schedule.check", "45 21 * * *", doc{
		"when the invariants are checked",
		"Tend: before the audit"})
	ScheduleCurate = schedule("schedule.curate", "0 23 * * *", doc{
		"when the nightly curation runs",
		"OpenClaw protocol: 23:00"})
	SchedulePrune = schedule("schedule.prune", "45 23 * * *", doc{
		"when pruning runs, after curation",
		"OpenClaw protocol: 23:45"})
	ScheduleArchive = schedule("schedule.archive", "15 0 * * *", doc{
		"when old daily logs are archived and retention is applied",
		"Tend: after the day has ended"})
	ScheduleRotate = schedule("schedule.rotate", "@every 15m", doc{
		"how often a buffer is looked at for rotation",
		"Tend: left to the model, rotation is not done (Memory v4's own evidence)"})
	ScheduleReview = schedule("schedule.review", "0 9 * * 1", doc{
		"when the weekly review runs",
		"Memory v4: Monday 9:00"})
	ScheduleCompare = schedule("schedule.compare", "30 8 * * 1", doc{
		"when files are compared for contradictions",
		"OpenClaw protocol: weekly"})
	ScheduleGap = duration("schedule.gap", Duration(30*time.Minute), lasting(Duration(time.Minute), Day, "no gap"), doc{
		"least time between audit, curation and pruning",
		"OpenClaw protocol: 30 minutes or more"})
	ScheduleStagger = duration("schedule.stagger", Duration(10*time.Minute), lasting(Duration(time.Second), Day, "no stagger"), doc{
		"time between two agents' resets in generated timers; they share the interval when there are many",
		"Memory Shepherd: 10 minutes"})
	ScheduleJitter = duration("schedule.jitter", Duration(2*time.Minute), lasting(Duration(time.Second), Day, "no jitter"), doc{
		"window over which agents are spread that have a job at the same hour; each has its own place in it",
		"Memory Shepherd: 2 minutes"})
	ScheduleGrace = duration("schedule.grace", Duration(30*time.Minute), lasting(Duration(time.Second), 30*Day, ""), doc{
		"how late a job may be before it is reported as overdue",
		"Tend: nothing is silent"})
	ScheduleOverfire = ratio("schedule.overfire", Factor, 3, span{1.1, 1000, "never"}, doc{
		"how many times its due count a job may run in 24 h before it is reported",
		"OpenClaw #65589: 60-100 times the configured rate went unnoticed"})
)

func scheduleKeys() []key {
	return []key{
		ScheduleReset, ScheduleAudit, ScheduleCheck, ScheduleCurate, SchedulePrune, ScheduleArchive, ScheduleRotate,
		ScheduleReview, ScheduleCompare, ScheduleGap, ScheduleStagger, ScheduleJitter, ScheduleGrace, ScheduleOverfire,
	}
}

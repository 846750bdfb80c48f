package policy

import "slices"

// Needs is the automation level a job must have before it may change an agent's files
// unasked. This is the one place that says so: schedules, jobs, the keeper's guard and the
// command line all ask here. Off stands for what only reads, and for what is itself an
// explicit call of a person or of the agent: note, undo, approve.
func Needs(job string) AutomationLevel {
	switch job {
	case "reset", "rotate", "archive", "review", "replay", "guard":
		return AutomationMaintain
	case "curate", "prune":
		return AutomationCurate
	}
	return AutomationOff
}

// Allows reports whether the automation level of a policy lets a job change files.
func Allows(p Policy, job string) bool {
	levels := []AutomationLevel{AutomationOff, AutomationMaintain, AutomationCurate}
	return slices.Index(levels, Automation.Of(p)) >= slices.Index(levels, Needs(job))
}

package fleet

import (
	"fmt"

	"tend/internal/finding"
	"tend/internal/job"
	"tend/internal/policy"
)

// Held is the outcome of a job that the agent's automation level does not allow: it says
// what it would do, and changes nothing.
const Held job.Outcome = "held"

// needs is what each job wants before it may change an agent's files. Whatever is not
// listed is an explicit call of a person or of the agent itself, and never held.
var needs = map[string]policy.AutomationLevel{
	"reset":   policy.AutomationMaintain,
	"rotate":  policy.AutomationMaintain,
	"archive": policy.AutomationMaintain,
	"review":  policy.AutomationMaintain,
	"replay":  policy.AutomationMaintain,
	"curate":  policy.AutomationCurate,
	"prune":   policy.AutomationCurate,
}

// Allows reports whether an automation level lets a job change files.
func Allows(level policy.AutomationLevel, name string) bool {
	need, limited := needs[name]
	return !limited || rankOf(level) >= rankOf(need)
}

func rankOf(level policy.AutomationLevel) int {
	switch level {
	case policy.AutomationMaintain:
		return 1
	case policy.AutomationCurate:
		return 2
	}
	return 0
}

// held tells whether a job is to be held for this agent. This is the one place that
// decides it: every job of the fleet runs through [Agent.Run].
func (a *Agent) held(name string, o RunOptions) bool {
	return !o.Force && !Allows(a.Automation(), name)
}

// consented is an input for a job that a person forced: its parts, too, may do all they can.
func consented(in job.Input, o RunOptions) job.Input {
	if !o.Force {
		return in
	}
	if p, err := in.Policy.With("--force", map[string]any{policy.Automation.Name(): string(policy.AutomationCurate)}); err == nil {
		in.Policy = p
	}
	return in
}

// hold makes the result of a held job.
func (a *Agent) hold(name string, r Result) Result {
	if r.Outcome == job.Unchanged {
		return r
	}
	level := a.Automation()
	r.Outcome, r.Diff, r.Findings = Held, "", []finding.Finding{
		finding.Held.In("", "%s was held: automation is %s, it needs %s", name, level, needs[name]),
	}
	r.Summary = fmt.Sprintf("automation is %s; it would have: %s", level, r.Summary)
	return r
}

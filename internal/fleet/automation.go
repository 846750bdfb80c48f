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

// held tells whether a job is to be held for this agent. Every job of the fleet asks here;
// which level each job needs is the policy's to say.
//
// A reset does one thing, which whoever names the agent asked for: that is consent. The
// other jobs choose by themselves what to change, so naming the agent is not enough.
func (a *Agent) held(name string, o RunOptions) bool {
	return !o.Force && !(o.ByHand && name == "reset") && !policy.Allows(a.Policy, name)
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
		finding.Held.In("", "%s was held: automation is %s, it needs %s", name, level, policy.Needs(name)),
	}
	r.Summary = fmt.Sprintf("automation is %s; it would have: %s", level, r.Summary)
	return r
}

package runner

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// leaveToAgent takes changes out of a plan that would make the harness stop loading a file. OpenClaw records the text that its
// agent's tools wrote; if anyone else changes it, the agent's next write excludes the file from every later session.
//
// What was asked for by hand is refused: the person may repeat it with AcceptUnload. A job leaves such a file alone. New
// entries become proposals; any other change stays undone, together with the rest of its plan, because text that moves
// between files must be in one of them.
func leaveToAgent(a *fleet.Agent, in job.Input, pl *plan.Plan, o Options, yields bool) error {
	if o.AcceptUnload || pl.Empty() {
		return nil
	}
	records, unreadable := a.Files.Recorded()
	var changes []plan.Change
	for _, c := range pl.Changes {
		if a.Files.Guards(c.Path, textAfter(c), records, unreadable) {
			changes = append(changes, c)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	if !yields {
		return refuseGuarded(changes[0].Path, unreadable)
	}
	left := plan.Plan{Changes: changes}
	f := finding.LeftToAgent.In(string(changes[0].Path), "%s left it alone: %s", pl.Job, whyGuarded(unreadable)).WithDiff(left.Diff())
	if slices.ContainsFunc(changes, func(c plan.Change) bool { return !onlyAdds(c) }) {
		*pl = plan.Plan{Job: pl.Job, Reason: pl.Reason, Findings: pl.Findings, Proposals: pl.Proposals}
		pl.Summary = fmt.Sprintf("left to the agent: %s", joinPaths(changes))
		pl.Findings = append(pl.Findings, f)
		return nil
	}
	before := len(pl.Proposals)
	for _, c := range changes {
		proposeInstead(in, pl, c)
	}
	proposed := textfmt.Count(len(pl.Proposals)-before, "entry")
	pl.Summary = fmt.Sprintf("proposed %s for %s, which only its agent may write", proposed, joinPaths(changes))
	if !pl.Empty() {
		pl.Summary += "; changed " + joinPaths(pl.Changes)
	}
	pl.Findings = append(pl.Findings, f)
	return nil
}

func refuseGuarded(p vault.Path, unreadable error) error {
	return &job.Refusal{
		Why: fmt.Sprintf("%s: %s", p, whyGuarded(unreadable)), OwnTool: true,
		Try: "let the agent make the change with its own tool (--dry-run shows it), or add --accept-unload",
	}
}

func whyGuarded(unreadable error) string {
	if unreadable != nil {
		return fmt.Sprintf("OpenClaw may stop loading it after a change from outside, and its records cannot be read (%v)", unreadable)
	}
	return "OpenClaw recorded its agent's text; after a change from outside, the agent's next write makes OpenClaw stop loading the file"
}

// textAfter returns a file's text after a change, nil if it is removed.
func textAfter(c plan.Change) []byte {
	switch c.Op {
	case plan.Remove:
		return nil
	case plan.Append:
		return append(slices.Clip(c.Old), c.New...)
	}
	return append([]byte{}, c.New...)
}

// onlyAdds reports whether a change only inserts lines.
func onlyAdds(c plan.Change) bool {
	if c.Op == plan.Remove {
		return false
	}
	rest := bytes.Split(textAfter(c), []byte("\n"))
	for line := range bytes.SplitSeq(bytes.TrimSuffix(c.Old, []byte("\n")), []byte("\n")) {
		i := slices.IndexFunc(rest, func(l []byte) bool { return bytes.Equal(l, line) })
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}

// proposeInstead replaces a change by proposals of the entries it would add.
func proposeInstead(in job.Input, pl *plan.Plan, c plan.Change) {
	pl.Changes = slices.DeleteFunc(pl.Changes, func(o plan.Change) bool { return o.Path == c.Path })
	syntax := in.Syntax(c.Path)
	has := map[string]bool{}
	for _, e := range syntax.Parse(c.Old).Entries(in.Today()) {
		has[e.Normal()] = true
	}
	text := textAfter(c)
	for _, e := range syntax.Parse(text).Entries(in.Today()) {
		if has[e.Normal()] {
			continue
		}
		p := plan.Proposal{
			ID: plan.ProposalID(c.Path, e.Normal()), Job: pl.Job, Text: entryText(text, e), Target: c.Path,
			Why: "OpenClaw loads this file only while its agent alone writes it: the agent should add the entry with its own tool",
		}
		for _, s := range pl.Sources {
			if s.Target == c.Path && s.Entry == e.Normal() {
				p.Sources = append(p.Sources, s)
			}
		}
		pl.Proposals = append(pl.Proposals, p)
	}
	pl.Sources = slices.DeleteFunc(pl.Sources, func(s plan.Source) bool { return s.Target == c.Path })
}

func entryText(text []byte, e note.Entry) string {
	return strings.TrimRight(string(text[e.Start:e.End]), "\r\n")
}

func joinPaths(changes []plan.Change) string {
	var names []string
	for _, c := range changes {
		names = append(names, string(c.Path))
	}
	return strings.Join(names, ", ")
}

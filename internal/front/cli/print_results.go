package cli

import (
	"errors"
	"slices"

	"tend/internal/engine/job"
	"tend/internal/engine/runner"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
)

// report prints the results of a job and turns them into an exit code.
func (a *app) report(results []runner.Result) error {
	code := 0
	for _, r := range results {
		code = worse(code, resultCode(r))
	}
	return errors.Join(a.emit(results, func() { printResults(&a.printer, results) }), usererr.Quiet(code))
}

func printResults(pr *printer, results []runner.Result) {
	var rows [][]cell
	var found []finding.Finding
	for _, r := range results {
		what := r.Summary
		if r.Error != "" {
			what = r.Error
		}
		if r.Action != "" {
			what += "  (" + r.Action + ")"
		}
		if pr.quiet && resultCode(r) == 0 {
			continue
		}
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Code == finding.Drift.Code && r.Action != "" {
				f.Remedy = "it is archived (`tend past show " + r.Action + "`); to keep the change, edit the baseline and approve it"
			}
		}
		rows = append(rows, []cell{{r.Agent, bold}, {string(r.Outcome), outcomeStyle(r.Outcome)}, {what, ""}})
		if r.Outcome != job.Refused || len(results) == 1 {
			found = append(found, r.Findings...)
		} else {
			for _, f := range r.Findings {
				f.Diff = ""
				found = append(found, f)
			}
		}
	}
	if len(rows) > 0 {
		pr.table([]string{"agent", "outcome", ""}, rows)
	}
	fresh := slices.DeleteFunc(slices.Clone(found), func(f finding.Finding) bool { return f.Known })
	if len(fresh) > 0 {
		pr.printf("\n")
		pr.findings(fresh)
	}
	if n := len(found) - len(fresh); n > 0 && !pr.quiet {
		pr.printf("\n%s from before: `tend check` lists what is wrong.\n", textfmt.Count(n, "finding"))
	}
	var hints []string
	for _, r := range results {
		if hint := hintFor(r.Err); hint != "" && !slices.Contains(hints, hint) {
			hints = append(hints, hint)
		}
	}
	for _, hint := range hints {
		pr.labelled(bold, "Try:", hint)
	}
	for _, r := range results {
		if r.Diff != "" {
			pr.printf("\n")
			pr.diff(r.Diff)
		}
	}
}

func resultCode(r runner.Result) int {
	switch r.Outcome {
	case job.Failed:
		if r.Err != nil {
			return max(codeOf(r.Err), usererr.CodeFindings)
		}
		return usererr.CodeFailed
	case job.Refused:
		return usererr.CodeRefused
	case job.Locked:
		return usererr.CodeLocked
	}
	// What was done could not be recorded or cleaned up after: the disk fails.
	if slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Code == finding.JobFailed.Code }) {
		return usererr.CodeFailed
	}
	if slices.ContainsFunc(r.Findings, finding.Finding.NeedsPerson) {
		return usererr.CodeFindings
	}
	return usererr.CodeFine
}

// worse orders exit codes by importance: failures before refusals, refusals before locks, locks before findings.
func worse(a, b int) int {
	rank := map[int]int{usererr.CodeFine: 0, usererr.CodeFindings: 1, usererr.CodeLocked: 2, usererr.CodeRefused: 3,
		usererr.CodeUsage: 4, usererr.CodeFailed: 5}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

func outcomeStyle(o job.Outcome) style {
	switch o {
	case job.WasReset, job.Created:
		return green
	case job.Drifted, job.Deferred, job.Locked:
		return yellow
	case job.Refused, job.Failed:
		return red
	}
	return dim
}

// reportOne prints the result of an action on one agent.
func (a *app) reportOne(r runner.Result) error {
	return errors.Join(a.emit(r, func() { printOne(&a.printer, r) }), oneCode(r))
}

func oneCode(r runner.Result) error {
	if finding.Worst(r.Findings) == finding.Error {
		return usererr.Quiet(usererr.CodeFindings)
	}
	return nil
}

func printOne(pr *printer, r runner.Result) {
	if r.Diff != "" {
		pr.diff(r.Diff)
	}
	if pr.quiet {
		return
	}
	if r.Summary != "" {
		pr.printf("%s", textfmt.Safe(r.Summary))
		if r.Action != "" {
			pr.printf("  (%s)", r.Action)
		}
		pr.printf("\n")
	}
	pr.findings(r.Findings)
}

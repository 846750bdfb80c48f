package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"tend/internal/engine/act"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/front/cli/collect"
	"tend/internal/model/fault"
	"tend/internal/model/finding"
	"tend/internal/model/metric"
)

// chosen returns the agents a command works on: those named, all, or the only one.
func (a *app) chosen(args []string, all bool) ([]string, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	if all && len(args) > 0 {
		return nil, fault.Usagef("name agents or use --all, not both", "--all and agents")
	}
	if all && len(cfg.Agents) == 0 {
		return nil, fault.Usagef("`tend init DIR` adds one", "%s", cfg.Path+" has no agents")
	}
	if all {
		var names []string
		for _, ag := range cfg.Agents {
			if ag.Enabled {
				names = append(names, ag.Name)
			}
		}
		return names, nil
	}
	if len(args) == 0 {
		ag, err := a.theAgent("")
		return []string{ag.Name}, err
	}
	var names []string
	for _, name := range args {
		if name == "all" {
			return nil, fault.Usagef("say --all", "no agent is called all")
		}
		if _, err := cfg.Agent(name); err != nil {
			return nil, err
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// each runs a job for many agents concurrently, with results in the order of the names.
func (a *app) each(ctx context.Context, names []string, write bool, run func(*fleet.Fleet, string) act.Result) ([]act.Result, error) {
	results := make([]act.Result, len(names))
	err := a.withFleet(fleet.Options{Write: write, Many: len(names) > 1}, func(f *fleet.Fleet) error {
		a.parallel(len(names), atOnce(), func(i int) {
			if ctx.Err() != nil {
				results[i] = act.Result{Agent: names[i], Outcome: job.Failed, Error: "interrupted before it began", Err: ctx.Err()}
				return
			}
			results[i] = run(f, names[i])
		})
		return nil
	})
	return results, err
}

// parallel is fleet.Parallel with a progress line for large jobs.
func (a *app) parallel(n, atOnce int, do func(i int)) {
	bar := a.working(n)
	fleet.Parallel(n, atOnce, func(i int) {
		do(i)
		bar.step()
	})
	bar.end()
}

// working begins work on a number of agents, with a progress line if there are many.
func (a *app) working(n int) *bar {
	if n > fewAgents {
		collect.Brisk.Keep()
	}
	return a.progress(n)
}

// atOnce is how many agents are processed at a time: more than there are cores, because they mostly wait for the disk
// together, but within the limit of open files.
func atOnce() int {
	n := 64 * runtime.GOMAXPROCS(0)
	const each, spare = 8, 16
	if limit, ok := metric.MaxFiles(); ok && limit < uint64(n*each+spare) {
		n = max(1, (int(limit)-spare)/each)
	}
	return n
}

// report prints the results of a job and turns them into an exit code.
func (a *app) report(results []act.Result) error {
	code := 0
	for _, r := range results {
		code = worse(code, resultCode(r))
	}
	return errors.Join(a.emit(results, func() { printResults(&a.printer, results) }), fault.Quiet(code))
}

func printResults(pr *printer, results []act.Result) {
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
				f.Remedy = "it is archived (`tend archives show " + r.Action + "`); to keep the change, edit the baseline and approve it"
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
	if len(found) > 0 {
		pr.printf("\n")
		pr.findings(found)
	}
	var hints []string
	for _, r := range results {
		if hint := hintFor(r.Err); hint != "" && !slices.Contains(hints, hint) {
			hints = append(hints, hint)
		}
	}
	for _, hint := range hints {
		pr.errorf("%s %s\n", pr.paintErr(bold, "Try:"), hint)
	}
	for _, r := range results {
		if r.Diff != "" {
			pr.printf("\n")
			pr.diff(r.Diff)
		}
	}
}

func resultCode(r act.Result) int {
	switch r.Outcome {
	case job.Failed:
		if r.Err != nil {
			return max(codeOf(r.Err), fault.CodeFindings)
		}
		return fault.CodeFailed
	case job.Refused:
		return fault.CodeRefused
	case job.Locked:
		return fault.CodeLocked
	}
	if slices.ContainsFunc(r.Findings, finding.Finding.NeedsPerson) {
		return fault.CodeFindings
	}
	return fault.CodeFine
}

// worse orders exit codes by importance: failures before refusals, refusals before locks, locks before findings.
func worse(a, b int) int {
	rank := map[int]int{fault.CodeFine: 0, fault.CodeFindings: 1, fault.CodeLocked: 2, fault.CodeRefused: 3, fault.CodeUsage: 4, fault.CodeFailed: 5}
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

// bar is a progress line on a terminal, shown for large jobs.
type bar struct {
	a     *app
	total int
	mu    sync.Mutex
	done  int
	shown time.Time
}

func (a *app) progress(total int) *bar {
	if total < 20 || a.quiet || a.json || !isTerminal(a.errw) {
		return &bar{}
	}
	return &bar{a: a, total: total}
}

func (b *bar) step() {
	if b.a == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done++
	if b.done < b.total && time.Since(b.shown) < 100*time.Millisecond {
		return
	}
	b.shown = time.Now()
	const width = 30
	full := b.done * width / b.total
	fmt.Fprintf(b.a.errw, "\r[%-*s] %d/%d", width, "##############################"[:full], b.done, b.total)
}

func (b *bar) end() {
	if b.a != nil {
		fmt.Fprint(b.a.errw, "\r\x1b[K")
	}
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

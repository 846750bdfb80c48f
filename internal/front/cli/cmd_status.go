package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/disk/fsys"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/audit"
	"tend/internal/front/keeper"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/state/findinglog"
	"tend/internal/state/ledger"
)

func newStatusCommand(a *app) *cobra.Command {
	var watch bool
	var o statusOptions
	var every time.Duration
	cmd := a.command("status [AGENT…]", func(ctx context.Context, args []string) error {
		if o.cost {
			return statusCost(ctx, a, firstArg(args))
		}
		for {
			if watch && isTerminal(a.out) {
				_, _ = io.WriteString(a.out, "\x1b[H\x1b[2J")
			}
			err := runStatus(ctx, a, args, o)
			if !watch {
				return err
			}
			var done *usererr.Error
			if err != nil && !errors.As(err, &done) {
				return err
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(every):
			}
		}
	})
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "refresh until interrupted")
	cmd.Flags().DurationVar(&every, "every", 2*time.Second, "how often to refresh with --watch")
	cmd.Flags().BoolVar(&o.needy, "needy", false, "only agents that need attention")
	cmd.Flags().BoolVar(&o.all, "all", false, "a row for every agent, however many there are")
	cmd.Flags().BoolVar(&o.cost, "cost", false, "what a session's start costs in tokens, by file and section, and what Tend adds")
	return cmd
}

type statusOptions struct{ needy, all, cost bool }

func runStatus(ctx context.Context, a *app, args []string, o statusOptions) (err error) {
	if o.needy && o.all {
		return usererr.Usagef("use one of them", "--needy and --all")
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	names := cfg.Names()
	if len(args) > 0 {
		if names, err = a.chosen(args, false); err != nil {
			return err
		}
	}
	f, err := a.fleet(fleet.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	all, err := gather(ctx, a, f, names)
	if err != nil {
		return err
	}
	if len(names) <= fleet.FewAgents {
		fleet.Parallel(len(names), runtime.GOMAXPROCS(0), func(i int) {
			if st := all.Agents[i]; st.Err == nil {
				if gets, _ := a.connected(st.Agent); gets || a.json {
					all.Agents[i].Context, _ = contextOf(ctx, f, st.Agent) // what cannot be read is in the findings
				}
				ctx, cancel := context.WithTimeout(ctx, statusWait)
				defer cancel()
				all.Agents[i].AddExamination(f.Examine(ctx, st.Agent, audit.Examine))
			}
		})
	}
	if len(args) == 0 && !o.all && !a.json {
		_, height, ok := a.screen()
		o.needy = o.needy || ok && len(names) > height
	}
	code := usererr.CodeFine
	if len(all.Findings) > 0 || len(findinglog.Open(all.Notices)) > 0 {
		code = usererr.CodeFindings
	}
	shown := make([]agentStatus, 0, len(names))
	for _, st := range all.Agents {
		c := statusCode(st)
		code = worse(code, c)
		if !o.needy || c != usererr.CodeFine {
			shown = append(shown, st)
		}
	}
	all.Agents = shown
	return errors.Join(a.emit(all, func() {
		printStatus(a, f.Clock(), all, len(names))
	}), usererr.Quiet(code))
}

// statusWait is how long an agent's files may take to answer.
const statusWait = 30 * time.Second

func statusCode(st agentStatus) int {
	switch {
	case st.Err != nil:
		return max(codeOf(st.Err), usererr.CodeFindings)
	case len(st.Wanting()) > 0:
		return usererr.CodeFindings
	}
	return usererr.CodeFine
}

func printStatus(a *app, now time.Time, all fleetStatus, total int) {
	var rows [][]cell
	found, noticed := all.Findings, len(findinglog.Open(all.Notices))
	wants, drafts := 0, 0
	unread := total > fleet.FewAgents && all.Keeper.State != keeper.Alive // the memories were not read
	for _, st := range all.Agents {
		if statusCode(st) != usererr.CodeFine {
			wants++
		}
		found = append(found, st.Wanting()...)
		for _, f := range st.Findings {
			switch {
			case f.Code == finding.BaselineUnapproved.Code:
				drafts++
			case f.Severity == finding.Info:
				found = append(found, f)
			}
		}
		if a.quiet {
			continue
		}
		rows = append(rows, []cell{
			{st.Agent, bold}, sizeCell(st.Hot), {count(st.Notes, "line"), ""}, sizeCell(st.Buffer), driftCell(st.Status),
			lastCell(now, st.Status), stateCell(st, unread),
		})
	}
	finding.Rank(found)
	for i := range found {
		found[i].Diff = "" // `tend baseline diff` shows it
	}
	if a.quiet {
		a.findings(found)
		return
	}
	if total == 0 {
		a.printf("No agents are configured. `tend init DIR` adds one.\n")
		return
	}
	if len(rows) > 0 {
		a.table(withoutEmpty([]string{"agent", "memory", "notes", "buffer", "drift", "last action", "state"}, rows))
	}
	if len(found) > 0 {
		a.printf("\n")
		most := 1
		if len(all.Agents) == 1 {
			most = linesPerAgent
		}
		a.findings(append(summary(found, most), advice(found)...))
	}
	printWeeks(&a.printer, all.Agents)
	printContexts(&a.printer, all.Agents)
	if drafts > 0 {
		a.printf("\n%s: `tend baseline list` shows them, `tend baseline approve` accepts them.\n", waiting(drafts))
	}
	if noticed > 0 {
		a.printf("\n%s\n", a.paint(yellow, fmt.Sprintf("The keeper has %s: `tend findings`.", count(noticed, "unacknowledged finding"))))
	}
	printKeeper(&a.printer, all.Keeper)
	printSum(&a.printer, all, sum{total: total, wants: wants, unread: unread})
}

// withoutEmpty leaves out the columns about notes, buffers and drift where no agent has any.
func withoutEmpty(head []string, rows [][]cell) ([]string, [][]cell) {
	for i := len(head) - 1; i >= 0; i-- {
		used := func(r []cell) bool { return r[i].text != "none" && r[i].text != "–" }
		if !slices.Contains([]string{"notes", "buffer", "drift"}, head[i]) || slices.ContainsFunc(rows, used) {
			continue
		}
		head = slices.Delete(head, i, i+1)
		for k := range rows {
			rows[k] = slices.Delete(rows[k], i, i+1)
		}
	}
	return head, rows
}

// printWeeks prints what others' consolidation did in the last week.
func printWeeks(pr *printer, agents []agentStatus) {
	for _, st := range agents {
		for _, line := range st.Week {
			pr.printf("\n%s: in the last week %s.\n", textfmt.InLine(st.Agent), textfmt.InLine(line))
		}
	}
}

// sum is how a fleet does: how many agents there are, how many need attention, and whether their memories were not read.
type sum struct {
	total, wants int
	unread       bool
}

// printSum closes a status with one line.
func printSum(pr *printer, all fleetStatus, s sum) {
	total, wants, unread := s.total, s.wants, s.unread
	well := ""
	if n := total - len(all.Agents); n > 0 && wants > 0 && unread {
		well = fmt.Sprintf(" The memories of the others (%d) were not read: `tend check` does.", n)
	} else if n > 0 && wants > 0 {
		well = fmt.Sprintf(" The others (%d) are fine.", n)
	}
	switch {
	case wants == 1:
		pr.printf("\n%s%s\n", pr.paint(yellow, fmt.Sprintf("1 of %s needs attention.", textfmt.Count(total, "agent"))), well)
	case wants > 1:
		pr.printf("\n%s%s\n", pr.paint(yellow, fmt.Sprintf("%d of %d agents need attention.", wants, total)), well)
	case total > 1 && len(all.Findings) == 0:
		if len(all.Agents) > 0 {
			pr.printf("\n")
		}
		if unread {
			pr.printf("The sizes, baselines and jobs of all %d agents are fine. `tend check` reads their memories too.\n", total)
			return
		}
		pr.printf("%s\n", pr.paint(green, fmt.Sprintf("All %d agents are fine.", total)))
	}
}

func sizeCell(s *fleet.Size) cell {
	if s == nil {
		return cell{"–", dim}
	}
	text, st := policy.Size(int64(s.Bytes)), style("")
	switch {
	case s.MaxLines > 0:
		text = fmt.Sprintf("%d/%d lines", s.Lines, s.MaxLines)
	case s.MaxBytes > 0:
		text = fmt.Sprintf("%.1f/%.0f KB", float64(s.Bytes)/1024, float64(s.MaxBytes)/1024)
	}
	if s.Over() {
		st = yellow
	}
	return cell{text, st}
}

func driftCell(st fleet.Status) cell {
	if st.Drift {
		return cell{"drifted", yellow}
	}
	return cell{"none", dim}
}

func lastCell(now time.Time, st fleet.Status) cell {
	if st.Last == nil {
		return cell{"never", dim}
	}
	name := cmp.Or(st.Last.Job, "action")
	if st.Last.Outcome == ledger.RolledBack {
		return cell{name + " rolled back", dim}
	}
	return cell{name + " " + ago(now, st.Last.At), ""}
}

// printKeeper prints whether a keeper runs. A dead one is a finding.
func printKeeper(pr *printer, l keeper.Heartbeat) {
	switch age := time.Duration(l.Age * float64(time.Second)).Round(time.Second); l.State {
	case keeper.Alive:
		pr.printf("\n%s\n", pr.paint(dim, fmt.Sprintf("Keeper running (pid %d on %s, last heartbeat %s ago).", l.PID, l.Host, age)))
	case keeper.Stopped:
		pr.printf("\n%s\n", pr.paint(yellow, fmt.Sprintf("No keeper running: it was stopped %s ago. `tend up` starts one.", age)))
	}
}

func stateCell(st agentStatus, unread bool) cell {
	v := st.Verdict()
	switch {
	case v.Word == fleet.Well && unread:
		return cell{"–", dim}
	case v.Word == fleet.Well:
		return cell{v.Word, green}
	case v.Word == fleet.Disabled:
		return cell{v.Word, dim}
	}
	return cell{v.Word, severityStyle(v.Severity)}
}

// fleetStatus is the output of `tend status --json`: enough for any monitor.
type fleetStatus struct {
	Keeper   keeper.Heartbeat    `json:"keeper"`
	Findings []finding.Finding   `json:"findings"` // about the keeper, as it is now
	Notices  []findinglog.Notice `json:"noticed"`  // the keeper's findings without an agent
	Agents   []agentStatus       `json:"agents"`
}

// agentStatus is an agent in it.
type agentStatus struct {
	fleet.State
	// Context is filled in for few agents, in text for those connected to their harness: it reads everything a session starts with.
	Context *contextSize `json:"context,omitempty"`
}

func heartbeatFindings(l keeper.Heartbeat) []finding.Finding {
	found := []finding.Finding{}
	age := time.Duration(l.Age * float64(time.Second)).Round(time.Second)
	switch l.State {
	case keeper.Dead:
		found = append(found, finding.KeeperDead.In("", "pid %d on %s ended; its last heartbeat was %s ago", l.PID, l.Host, age))
	case keeper.Hung:
		found = append(found, finding.KeeperHung.In("", "pid %d on %s has had no heartbeat for %s", l.PID, l.Host, age))
	}
	return found
}

// gather returns the state of agents and what is known of the keeper.
func gather(ctx context.Context, a *app, f *fleet.Fleet, names []string) (fleetStatus, error) {
	all := fleetStatus{Notices: []findinglog.Notice{}, Agents: make([]agentStatus, len(names))}
	err := inState(f.Config.StateDir, func(state fsys.FS) error {
		all.Keeper = keeper.ReadHeartbeat(state)
		if book, err := findinglog.Read(state, findinglog.NoAgent); err == nil {
			all.Notices = book.List()
		}
		return nil
	})
	all.Findings = append(heartbeatFindings(all.Keeper), keeper.DiskFindings(f.Config.StateDir)...)
	bar := a.progress(len(names))
	for i, st := range f.States(ctx, names, fleet.Survey{Wait: statusWait, Jobs: a.json, Step: bar.step}) {
		all.Agents[i].State = st
	}
	bar.end()
	return all, err
}

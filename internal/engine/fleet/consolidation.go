package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet/harness"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/state/history"
	"tend/internal/text/referee"
	"tend/internal/text/scan"
)

// Consolidation is one run of a harness's own program that tidies memory: OpenClaw's dreaming, Claude Code's Auto Dream,
// Hermes's curator, Codex's memories. Tend checks it and leaves it alone.
type Consolidation struct {
	Change   string    `json:"change"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
	Added    int       `json:"added"`
	Replaced int       `json:"replaced"`
	Lost     int       `json:"lost"`
	Perhaps  int       `json:"perhaps,omitempty"` // lines that perhaps stand somewhere in other words
	// Other is set for a burst that somebody else made. It is here for By: transcripts and commits go away.
	Other bool `json:"other,omitempty"`
}

// consolidationWeek is the time that is summed up for people.
const consolidationWeek = 7 * 24 * time.Hour

func (a *Agent) consolidationsFile() string { return "agents/" + a.Name + "/consolidations.json" }

// Consolidations returns the recorded runs and bursts, oldest first. They are recorded because the marks that tell who made them
// are overwritten by the next run.
func (a *Agent) Consolidations() ([]Consolidation, error) {
	var list []Consolidation
	err := vault.ReadJSON(a.fleet.state, a.consolidationsFile(), &list)
	return list, err
}

// Judge reports the recent rewrites that lost a page of text, and records the consolidations among them. The history is to be
// brought up to date first.
func (a *Agent) Judge(ctx context.Context) ([]finding.Finding, error) {
	in, err := a.Input(ctx)
	if err != nil {
		return nil, err
	}
	list, look, err := a.rewrites(in, true)
	if err != nil {
		return nil, err
	}
	err = errors.Join(a.record(list, in.Now), a.saveLook(in, look, list))
	return a.lostText(slices.DeleteFunc(list, func(r Rewrite) bool { return in.Layout.IsSkill(string(r.File)) })), err
}

// record adds the consolidations among rewrites, and the bursts of which it is known who made them.
func (a *Agent) record(list []Rewrite, now time.Time) error {
	known, err := a.Consolidations()
	if err != nil {
		return err
	}
	before := len(known)
	for _, r := range list {
		c, ok := r.consolidation()
		if ok && !slices.ContainsFunc(known, func(k Consolidation) bool { return k.Change == c.Change }) {
			known = append(known, c)
		}
	}
	if len(known) == before {
		return nil
	}
	known = slices.DeleteFunc(known, func(c Consolidation) bool { return now.Sub(c.At) > RecentRewrites })
	return vault.WriteJSON(a.fleet.state, a.fleet.dur, a.consolidationsFile(), known)
}

// consolidation counts what a program of the harness did, or says who else made a burst.
func (r Rewrite) consolidation() (Consolidation, bool) {
	v := r.Verdict
	switch {
	case r.By == "" || !r.Recorded():
		return Consolidation{}, false
	case !r.byHarness:
		return Consolidation{Change: r.Ref, By: r.By, At: r.At, Other: true}, v.Burst
	}
	replaced := 0
	for _, m := range v.Moved {
		if m.Source == "" {
			replaced++
		}
	}
	return Consolidation{
		Change: r.Ref, By: r.By, At: r.At, Added: max(0, v.AddedSize.Lines-replaced), Replaced: replaced,
		Lost: v.LostSize.Lines, Perhaps: v.Perhaps.Lines,
	}, true
}

// WeekOf sums up the consolidations of the last seven days, one line for each program.
func WeekOf(list []Consolidation, now time.Time) []string {
	var sums []Consolidation
	for _, c := range list {
		if age := now.Sub(c.At); age > consolidationWeek || c.Other {
			continue
		}
		i := slices.IndexFunc(sums, func(s Consolidation) bool { return s.By == c.By })
		if i < 0 {
			sums = append(sums, Consolidation{By: c.By})
			i = len(sums) - 1
		}
		sums[i].Added += c.Added
		sums[i].Replaced += c.Replaced
		sums[i].Lost += c.Lost
		sums[i].Perhaps += c.Perhaps
	}
	slices.SortFunc(sums, func(a, b Consolidation) int { return cmp.Compare(a.By, b.By) })
	lines := make([]string, len(sums))
	for i, s := range sums {
		lines[i] = fmt.Sprintf("%s added %s, replaced %d, lost %d that stand nowhere else",
			s.By, textfmt.Count(s.Added, "line"), s.Replaced, s.Lost)
		if s.Perhaps > 0 {
			lines[i] += fmt.Sprintf(" and %d that perhaps do in other words", s.Perhaps)
		}
	}
	return lines
}

// consolidator names the harness's program that made a rewrite, by marks in the text or beside it.
func (a *Agent) consolidator(r Rewrite) string {
	if by := referee.Author(r.Verdict.Added); by != "" || a.Workspace.Kind != config.Local {
		return by
	}
	return harness.Consolidator(a.Layout, a.Workspace.Path, harness.Change{File: r.File, At: r.At})
}

// author names who else made a rewrite, as far as it can be known: a session by its transcript, the agent by its harness's
// records, a commit of the workspace's own repository.
func (a *Agent) author(r Rewrite) string {
	if a.Workspace.Kind != config.Local {
		return ""
	}
	if by := harness.Session(a.Layout, a.Workspace.Path, harness.Change{File: r.File, At: r.At}); by != "" {
		return by
	}
	if records, err := a.Files.Recorded(); err == nil && records[r.File].Holds(r.After) && len(r.After) > 0 {
		return "the agent"
	}
	if c, ok := history.CommitOf(a.ws, string(r.File), r.After); ok {
		subject := textfmt.InLine(string(scan.Mask([]byte(c.Subject))))
		return fmt.Sprintf("%s in commit %s (%s)", textfmt.InLine(c.Author), c.ID[:8], strings.TrimSpace(subject))
	}
	return ""
}

// judge sets the referee's verdict on a rewrite, and who made it. Other texts are looked at only if the change alone would be a
// burst, as they can only excuse it, or if it is a consolidation, whose lines are counted.
func (a *Agent) judge(r *Rewrite, in job.Input, known []Consolidation, more ...referee.Source) {
	r.Verdict = referee.Verify(r.Before, r.After, nil, referee.Options{})
	i := slices.IndexFunc(known, func(c Consolidation) bool { return c.Change == r.Ref })
	if i >= 0 {
		r.By, r.byHarness = known[i].By, !known[i].Other
	} else {
		r.By = a.consolidator(*r)
		r.byHarness = r.By != ""
	}
	r.suspect = r.Verdict.Burst || r.byHarness && i < 0
	if r.suspect {
		r.Verdict = referee.Verify(r.Before, r.After, currentTexts(in, more...), referee.Options{Now: in.File(r.File).Data})
	}
	if r.Verdict.Burst && r.By == "" && !r.asked {
		r.By = a.author(*r)
	}
}

package job

import (
	"bytes"
	"fmt"
	"strings"

	"tend/internal/finding"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// RestoreZone puts the operator's text back above the line of each file where it is not
// what the baseline says, and leaves the notes below it. What was there is archived whole,
// as by a reset. A missing file is written again; what stands in its
// place and is no file is set aside. A file that lost its line becomes notes altogether: nobody can tell what of it is
// the agent's.
func RestoreZone(in Input) (plan.Plan, error) {
	pl := plan.Plan{Job: "restore-zone", Outcome: Unchanged, Reason: "the operator's text was changed"}
	var done []string
	for _, g := range in.Guarded {
		if what := restoreFile(&pl, g, in.Policy); what != "" {
			pl.Outcome = Drifted
			done = append(done, what)
		}
	}
	pl.Summary = strings.Join(done, "; ")
	return pl, nil
}

// Missing is what to say of a guarded file that does not exist.
func Missing(path vault.Path) finding.Finding {
	return finding.Drift.In(string(path), "%s is missing: it was removed or moved, or something that is no file stands in its place", path)
}

func restoreFile(pl *plan.Plan, g Guarded, p policy.Policy) string {
	doc, path := g.Doc, g.Doc.Path
	if doc.Version == vault.Absent {
		// Removed, moved away, or something that is no file stands there: that is no smaller harm than a changed text.
		pl.Changes = append(pl.Changes, plan.Change{
			Path: path, Op: plan.Write, New: g.Baseline, From: g.From, Force: true, Why: "restore the operator's file",
		})
		pl.Findings = append(pl.Findings, finding.ZoneRestored.In(string(path), "%s was missing: it was restored from its baseline", path))
		return fmt.Sprintf("%s: restored from its baseline", path)
	}
	z, waits := g.Zones(policy.BaselineSeparator.Of(p))
	if Kept(z) && !waits {
		return ""
	}
	text, kind, from := g.Baseline, "drift", ""
	why := "The text above the line was not the baseline's. The whole file follows."
	if doc.Head {
		from, why = g.From, tooMuch(doc)
	}
	head := operators(g.Baseline, p)
	_, _, lined := note.FindLine(g.Baseline, policy.BaselineSeparator.Of(p))
	switch {
	case doc.Head: // its notes cannot be taken over: the trash has them
	case waits && (z.Equal || !lined): // there are no notes, or the baseline has no place for them
	case z.Overwrite:
		kind = "full"
	case z.Marked:
		text = append(bytes.Clone(head), z.Notes()...)
	default:
		kind = "full"
		if rest := bytes.TrimSpace(doc.Data); len(rest) > 0 {
			text = append(append(bytes.Clone(head), '\n'), doc.Data...)
		}
	}
	diff := driftDiff(path, head, z.Above())
	pl.Archives = append(pl.Archives, plan.Archive{File: path, Kind: kind, Text: doc.Data, Diff: diff,
		Why: why})
	pl.Changes = append(pl.Changes, plan.Change{
		Path: path, Op: plan.Write, Before: doc.Version, Old: g.Old(), New: text, From: from, Why: "restore the operator's text",
	})
	if waits {
		pl.Findings = append(pl.Findings, finding.BaselineCarried.In(string(path), "the new baseline of %s was put above the line, the notes were left", path))
		return fmt.Sprintf("%s: the new baseline put above the line", path)
	}
	pl.Findings = append(pl.Findings, finding.ZoneRestored.In(string(path), "%s", restoredText(path, z)).AtLine(driftLine(head, z)).WithDiff(diff))
	return fmt.Sprintf("%s: the operator's text restored", path)
}

func restoredText(path vault.Path, z note.Zones) string {
	switch {
	case z.Overwrite:
		return fmt.Sprintf("%s was changed, and all of it is the operator's: it was restored", path)
	case !z.Marked:
		return fmt.Sprintf("the line is gone from %s: the operator's text was restored above what was there", path)
	}
	return fmt.Sprintf("%s was changed above the line: the operator's text was restored, the notes stay", path)
}

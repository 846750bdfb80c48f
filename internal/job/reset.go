package job

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/finding"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// Reset archives the notes of each file and restores its baseline.
func Reset(in Input) (plan.Plan, error) {
	pl := plan.Plan{Job: resetJob, Outcome: Unchanged}
	var done []string
	for _, g := range in.Guarded {
		out, what := resetFile(&pl, g, in.Policy)
		if what != "" {
			done = append(done, what)
		}
		// Drift is what a person must see; a file made again says more than a mere reset.
		if rank(out) > rank(pl.Outcome) {
			pl.Outcome = out
		}
	}
	pl.Summary = strings.Join(done, "; ")
	return pl, nil
}

func rank(o Outcome) int {
	for i, x := range []Outcome{Unchanged, WasReset, Created, Drifted} {
		if x == o {
			return i
		}
	}
	return -1
}

func resetFile(pl *plan.Plan, g Guarded, p policy.Policy) (Outcome, string) {
	doc, path := g.Doc, g.Doc.Path
	size := max(int(doc.Size), len(doc.Data))
	if limit := policy.HotMaxBytes.Of(p); limit > 0 && size > limit && size > len(g.Baseline) {
		pl.Findings = append(pl.Findings, finding.Oversize.In(string(path), "%d bytes, the limit is %d", size, limit))
	}
	change := plan.Change{
		Path: path, Op: plan.Write, Before: doc.Version, Old: g.Old(), New: g.Baseline, From: g.From,
		Force: true, // safe here: all that is displaced is archived, and what is no file is set aside
		Why:   "restore the baseline",
	}
	if doc.Version == vault.Absent {
		pl.Changes = append(pl.Changes, change)
		return Created, fmt.Sprintf("%s made from its baseline", path)
	}
	z, waits := g.Zones(policy.BaselineSeparator.Of(p))
	kept, all := g.keeps(z)
	if doc.Head {
		kept, all = nil, false // what was not read cannot be told apart
	}
	if (z.Equal || len(kept) > 0 && all) && !waits {
		return Unchanged, ""
	}
	if len(kept) > 0 {
		change.New, change.From = g.with(kept), ""
		change.Why = "restore the baseline, keep what was promoted"
	}
	news := ""
	if waits {
		news = "the new baseline put in place, "
	}
	pl.Changes = append(pl.Changes, change)
	archive := func(kind string, text []byte, diff, why string) {
		if doc.Head {
			text, why = doc.Data, tooMuch(doc)
		}
		pl.Archives = append(pl.Archives, plan.Archive{File: path, Kind: kind, Text: text, Diff: diff, Why: why})
	}
	switch {
	case z.Fresh() && waits:
		return WasReset, fmt.Sprintf("%s: the new baseline put in place", path)
	case z.Overwrite, !z.Marked, z.Drift:
		kind, why := "drift", "The text above the line was not the baseline's. The whole file follows."
		if !z.Marked {
			kind, why = "full", "The file had no line, so all of it is kept."
		}
		if z.Overwrite {
			kind, why = "full", "The baseline has no line: the whole file is the operator's."
		}
		diff := driftDiff(path, operators(g.Baseline, p), z.Above())
		archive(kind, doc.Data, diff, why)
		pl.Findings = append(pl.Findings, finding.Drift.In(string(path), "%s", driftText(path, z)).AtLine(driftLine(operators(g.Baseline, p), z)).WithDiff(diff))
		return Drifted, fmt.Sprintf("%s: drift archived with the full text", path)
	case z.Fresh():
		return WasReset, fmt.Sprintf("%s: no notes", path)
	default:
		archive("notes", z.Added(), "", "")
		if doc.Head {
			return WasReset, fmt.Sprintf("%s: %s%s moved to the trash", path, news, policy.Size(doc.Size))
		}
		what := fmt.Sprintf("%s: %s%s of notes archived", path, news, several(note.Lines(bytes.TrimSpace(z.Added())), "line"))
		if len(kept) > 0 {
			what += fmt.Sprintf(", %s kept that was promoted", several(note.Lines(kept), "line"))
		}
		return WasReset, what
	}
}

// with is the baseline with entries below it.
func (g Guarded) with(kept []byte) []byte {
	out := bytes.Clone(g.Baseline)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return append(out, kept...)
}

// tooMuch says where the rest of a file is of which only the beginning was read.
func tooMuch(doc vault.Doc) string {
	return fmt.Sprintf("The file has %s, too much to archive: this is how it begins. All of it is in the trash, under the id of this action.", policy.Size(doc.Size))
}

// driftDiff shows what became of the operator's text. With drift the line is the
// last separator, so notes that hold separators of their own stand above it;
// they come after everything of the operator's and would only hide the drift.
func driftDiff(path vault.Path, baseline, above []byte) string {
	edits := udiff.Lines(string(baseline), string(above))
	if n := len(edits); n > 1 && edits[n-1].Start == len(baseline) {
		if shown, err := udiff.Apply(string(baseline), edits[:n-1]); err == nil {
			above = []byte(shown)
		}
	}
	return udiff.Unified("baseline", string(path), string(baseline), string(above))
}

// operators is the part of the baseline above its line.
func operators(baseline []byte, p policy.Policy) []byte {
	if _, end, ok := note.FindLine(baseline, policy.BaselineSeparator.Of(p)); ok {
		return baseline[:end]
	}
	return baseline
}

func driftText(path vault.Path, z note.Zones) string {
	switch {
	case z.Overwrite:
		return fmt.Sprintf("%s was changed; all of it is the operator's", path)
	case !z.Marked:
		return fmt.Sprintf("the line is gone from %s; the whole file is kept as a backup", path)
	}
	return fmt.Sprintf("%s was changed above the line", path)
}

// driftLine is the first line of the file that is not the operator's, 0 if there is no telling.
func driftLine(baseline []byte, z note.Zones) int {
	if !z.Marked {
		return 0
	}
	above := z.Above()
	n := 0
	for n < len(above) && n < len(baseline) && above[n] == baseline[n] {
		n++
	}
	return note.LineAt(above, n)
}

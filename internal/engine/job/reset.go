package job

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Reset archives the notes of each file and restores its baseline.
func Reset(in Input) (plan.Plan, error) {
	pl := plan.Plan{Job: "reset", Outcome: Unchanged}
	var done []string
	for _, g := range in.Guarded {
		out, what := resetFile(&pl, g, in)
		if what != "" {
			done = append(done, what)
		}
		// Drift must be seen by a person; a created file says more than a reset.
		if rank(out) > rank(pl.Outcome) {
			pl.Outcome = out
		}
	}
	pl.Summary = strings.Join(done, "; ")
	return pl, nil
}

func rank(o Outcome) int { return slices.Index([]Outcome{Unchanged, WasReset, Created, Drifted}, o) }

func resetFile(pl *plan.Plan, g Guarded, in Input) (Outcome, string) {
	doc, path := g.Doc, g.Doc.Path
	sep := in.Line(path, g.Baseline)
	size := max(int(doc.Size), len(doc.Data))
	if limit := policy.HotMaxBytes.Of(in.Policy); limit > 0 && size > limit && size > len(g.Baseline) {
		pl.Findings = append(pl.Findings, finding.Oversize.In(string(path), "%d bytes, the limit is %d", size, limit))
	}
	change := plan.Change{
		Path: path, Op: plan.Write, Before: doc.Version, Old: g.Old(), New: g.Baseline, From: g.From,
		Force: true, // safe here: everything displaced is archived, and anything but a file is set aside
		Why:   "restore the baseline",
	}
	if doc.Version == vault.Absent {
		pl.Changes = append(pl.Changes, change)
		return Created, fmt.Sprintf("%s made from its baseline", path)
	}
	z, waits := g.Zones(sep)
	kept, all := g.keeps(z)
	if doc.Head {
		kept, all = nil, false // the unread part cannot be compared
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
		diff := driftDiff(path, operators(g.Baseline, sep), z.Above())
		archive(kind, doc.Data, diff, why)
		pl.Findings = append(pl.Findings, Drift(path, g.Baseline, z, sep).AtLine(driftLine(operators(g.Baseline, sep), z)))
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

// with returns the baseline with entries below it.
func (g Guarded) with(kept []byte) []byte {
	out := bytes.Clone(g.Baseline)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return append(out, kept...)
}

// tooMuch says where the rest of a file is if only the beginning was read.
func tooMuch(doc vault.Doc) string {
	return fmt.Sprintf("The file has %s, too much to archive: this is how it begins. All of it is in the trash, under the id "+
		"of this action.", policy.Size(doc.Size))
}

// Drift is the finding for a file whose text is not the operator's.
func Drift(path vault.Path, baseline []byte, z note.Zones, sep string) finding.Finding {
	return finding.Drift.In(string(path), "%s", driftText(z)).WithDiff(driftDiff(path, operators(baseline, sep), z.Above()))
}

// driftDiff shows how the operator's text was changed. With drift the line is the last
// separator, so notes with separators of their own are above it; they come after all of the
// operator's text and would only hide the drift.
func driftDiff(path vault.Path, baseline, above []byte) string {
	was, is := withoutLongLines(baseline), withoutLongLines(above)
	edits := udiff.Lines(was, is)
	if n := len(edits); n > 1 && edits[n-1].Start == len(was) {
		if shown, err := udiff.Apply(was, edits[:n-1]); err == nil {
			is = shown
		}
	}
	return udiff.Unified("baseline", string(path), was, is)
}

// longestInDiff is how much of a line a diff shows: it is for reading, and the full text is kept beside it.
const longestInDiff = 64 << 10

// withoutLongLines cuts the lines that are too long to read, and says how long they are.
func withoutLongLines(text []byte) string {
	var b strings.Builder
	for line := range bytes.Lines(text) {
		if len(line) <= longestInDiff {
			b.Write(line)
			continue
		}
		b.WriteString(strings.ToValidUTF8(string(line[:longestInDiff]), ""))
		fmt.Fprintf(&b, "… (a line of %d bytes)\n", len(line))
	}
	return b.String()
}

// operators is the part of the baseline above its line.
func operators(baseline []byte, sep string) []byte {
	if _, end, ok := note.FindLine(baseline, sep); ok {
		return baseline[:end]
	}
	return baseline
}

func driftText(z note.Zones) string {
	switch {
	case z.Overwrite:
		return "it differs from the approved text"
	case !z.Marked:
		return "its line is gone; the whole file is kept as a backup"
	}
	return "it was changed above the line"
}

// driftLine is the first line of the file that is not the operator's, 0 if unknown.
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

// RestoreZone restores the operator's text above the line of each file that differs from its
// baseline, and keeps the notes below it. The whole file is archived, as by a reset. A missing
// file is written again; anything but a file in its place is set aside. A file that lost its
// line becomes notes completely, because the agent's part is unknown.
func RestoreZone(in Input) (plan.Plan, error) { return restoreZone(in, false) }

func restoreZone(in Input, asked bool) (plan.Plan, error) {
	pl := plan.Plan{Job: "restore-zone", Outcome: Unchanged, Reason: "the approved text was changed"}
	var done []string
	for _, g := range in.Guarded {
		sep := in.Line(g.Doc.Path, g.Baseline)
		if z, waits := g.Zones(sep); !asked && g.invited(in.Policy) && !waits {
			if !ZoneIntact(z) {
				pl.Findings = append(pl.Findings, Drift(g.Doc.Path, g.Baseline, z, sep).AtLine(driftLine(operators(g.Baseline, sep), z)))
			}
			continue
		}
		if what := restoreFile(&pl, g, sep); what != "" {
			pl.Outcome = Drifted
			done = append(done, what)
		}
	}
	pl.Summary = strings.Join(done, "; ")
	return pl, nil
}

// CarryBaselines puts newly approved baselines into the files that still have the former ones. What else was changed stays.
func CarryBaselines(in Input) (plan.Plan, error) {
	pl := plan.Plan{Job: "restore-zone", Outcome: Unchanged}
	var done []string
	for _, g := range in.Guarded {
		sep := in.Line(g.Doc.Path, g.Baseline)
		if _, waits := g.Zones(sep); waits {
			pl.Outcome = WasReset
			done = append(done, restoreFile(&pl, g, sep))
		}
	}
	pl.Summary = strings.Join(done, "; ")
	return pl, nil
}

// RestoreText restores the operator's text of one file.
func RestoreText(in Input, file vault.Path) (plan.Plan, error) {
	in.Guarded = slices.DeleteFunc(slices.Clone(in.Guarded), func(g Guarded) bool { return g.Doc.Path != file })
	return restoreZone(in, true)
}

// invited reports whether a change of the file is only reported, because the baseline itself invites the agent to make
// changes. A file that is gone is restored all the same.
func (g Guarded) invited(p policy.Policy) bool {
	return g.Doc.Version != vault.Absent && policy.GuardInvited.Of(p) == policy.GuardReport && layout.Invites(g.Baseline)
}

// Missing is the finding for a guarded file that does not exist.
func Missing(path vault.Path) finding.Finding {
	return finding.Drift.In(string(path), "%s is missing: it was removed or moved, or something else is in its place", path)
}

func restoreFile(pl *plan.Plan, g Guarded, sep string) string {
	doc, path := g.Doc, g.Doc.Path
	if doc.Version == vault.Absent {
		// Removed, moved away, or replaced by something that is not a file: as bad as a changed text.
		pl.Changes = append(pl.Changes, plan.Change{
			Path: path, Op: plan.Write, New: g.Baseline, From: g.From, Force: true, Why: "restore the approved file",
		})
		pl.Findings = append(pl.Findings, finding.ZoneRestored.In(string(path), "%s was missing: it was restored from its baseline", path))
		return fmt.Sprintf("%s: restored from its baseline", path)
	}
	z, waits := g.Zones(sep)
	if ZoneIntact(z) && !waits {
		return ""
	}
	text, kind, from := g.Baseline, "drift", ""
	why := "The text above the line was not the baseline's. The whole file follows."
	if doc.Head {
		from, why = g.From, tooMuch(doc)
	}
	head := operators(g.Baseline, sep)
	_, _, lined := note.FindLine(g.Baseline, sep)
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
		Path: path, Op: plan.Write, Before: doc.Version, Old: g.Old(), New: text, From: from, Why: "restore the approved text",
	})
	if waits {
		pl.Findings = append(pl.Findings,
			finding.BaselineCarried.In(string(path), "the new baseline of %s was put above the line, the notes were left", path))
		return fmt.Sprintf("%s: the new baseline put in place", path)
	}
	pl.Findings = append(pl.Findings, finding.ZoneRestored.In(string(path), "%s", restoredText(z)).AtLine(driftLine(head, z)).
		WithDiff(diff))
	return fmt.Sprintf("%s: the approved text restored", path)
}

func restoredText(z note.Zones) string {
	switch {
	case z.Overwrite:
		return "it was changed, and the approved text was restored"
	case !z.Marked:
		return "its line was gone: the approved text was restored above what was there"
	}
	return "it was changed above the line: the approved text was restored, the notes stay"
}

// Guarded is a file with its verified baseline.
type Guarded struct {
	Doc      vault.Doc // its Version is vault.Absent if the file is missing
	Baseline []byte
	Approved vault.Version // of the baseline
	From     string        // the ledger's name for the baseline's text
	// Former is the approved text Tend last wrote to the file, if the operator has approved
	// another since: a file that still has it has not drifted.
	Former []byte
	// Promoted are the entries that jobs have promoted, which a reset keeps.
	Promoted Marks
}

// keeps returns the notes that a reset keeps: the entries that jobs promoted, unchanged. all reports that there is
// nothing else.
func (g Guarded) keeps(z note.Zones) (kept []byte, all bool) {
	if len(g.Promoted) == 0 || !z.Marked || z.Equal {
		return nil, false
	}
	added := z.Added()
	rest := added
	for _, e := range note.Parse(added).Entries(0) {
		if g.Promoted.Has(MarkOf(e.Normal())) {
			kept = append(append(kept, bytes.TrimRight(e.Raw, "\r\n")...), '\n')
			rest = bytes.Replace(rest, e.Raw, nil, 1)
		}
	}
	return kept, onlyHeadings(rest) && !z.Drift
}

// onlyHeadings reports whether a text has only headings.
func onlyHeadings(text []byte) bool {
	for line := range bytes.Lines(text) {
		if t := bytes.TrimSpace(line); len(t) > 0 && t[0] != '#' {
			return false
		}
	}
	return true
}

// Old returns the file's text, nil if only its beginning was read.
func (g Guarded) Old() []byte {
	if g.Doc.Head {
		return nil
	}
	return g.Doc.Data
}

// Zones divides the file at the line. waits reports that the agent changed nothing above it:
// the operator did, and the new text has not reached the file yet.
func (g Guarded) Zones(separator string) (z note.Zones, waits bool) {
	z = note.Split(g.Doc.Data, g.Baseline, separator)
	if ZoneIntact(z) || len(g.Former) == 0 {
		return z, false
	}
	if was := note.Split(g.Doc.Data, g.Former, separator); ZoneIntact(was) {
		return was, true
	}
	return z, false
}

// ZoneIntact reports whether the operator's part of a file matches the baseline.
func ZoneIntact(z note.Zones) bool {
	return z.Equal || !z.Drift && (z.Marked || z.Overwrite)
}

package job

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// Prune brings the hot file below its limit, trims observations, and cuts from the
// buffer exactly the text that receipts cover.
func Prune(in Input) plan.Plan {
	d := newDraft(in, "prune")
	did := []string{d.pruneHot(), d.pruneObservations(), d.pruneBuffer(), d.takeLeftBuffer()}
	d.pl.Summary = strings.Join(slices.DeleteFunc(did, func(part string) bool { return part == "" }), "; ")
	return d.plan()
}

// pruneBuffer cuts from the buffer what jobs have read. While the agent writes in it, only what is in the day's log already goes:
// the rest is what the agent works with.
func (d *draft) pruneBuffer() string {
	doc := d.File(d.Sole(layout.Buffer))
	if d.atWork(doc, note.ParseBuffer(doc.Data, d.Now.Location())) {
		return d.cutBuffer("prune", "rotate")
	}
	return d.cutBuffer("prune")
}

// takeLeftBuffer moves an abandoned buffer into the day's log, where agents write the buffer before every reply.
func (d *draft) takeLeftBuffer() string {
	doc := d.File(d.Sole(layout.Buffer))
	b := note.ParseBuffer(doc.Data, d.Now.Location())
	if policy.BufferExpect.Of(d.Policy) == policy.BufferEmpty || doc.Version == vault.Absent || b.Empty() ||
		!d.ours(b) || !d.LeftBehind(doc, b) {
		return ""
	}
	return d.rotateBuffer()
}

// pruneHot brings the hot file below its limit. Where the operator chose a limit in lines, as the layered protocols do,
// single entries leave by its rules. Otherwise only what the harness would cut is a reason, and only whole sections move.
func (d *draft) pruneHot() string {
	path := d.Sole(layout.Hot)
	doc := d.File(path)
	if doc.Version == vault.Absent {
		return ""
	}
	if policy.Promotion.Of(d.Policy) == policy.PromotionPropose && !d.BeyondCaps {
		return fmt.Sprintf("%s is left alone: promotion is propose", path)
	}
	if policy.HotMaxLines.Of(d.Policy) > 0 {
		return d.pruneByLines(path)
	}
	if d.fits(path, doc.Data) {
		return fmt.Sprintf("%s is within what the harness loads", path)
	}
	return d.moveSections(path)
}

// pruneByLines removes or moves entries of the hot file until it has few enough lines.
func (d *draft) pruneByLines(path vault.Path) string {
	doc := d.File(path)
	text := d.Parse(doc)
	list := d.leaving(doc, text)
	due := 0 // expired and repeated entries come first and go whatever the file's size
	for due < len(list) && (list[due].why == expired || list[due].why == saidTwice) {
		due++
	}
	within := d.over(path, doc.Data) == ""
	if within && due == 0 {
		return fmt.Sprintf("%s is within its limit", path)
	}
	allowed, capped := d.allowed(list, d.loaded(doc, text))
	list = list[:allowed]
	due = min(due, len(list))
	// Every removed entry makes the file smaller, so a binary search finds the fewest that suffice.
	list = list[:due+sort.Search(len(list)-due, func(k int) bool { return d.over(path, without(text, list[:due+k])) == "" })]
	if within && len(list) == 0 {
		return fmt.Sprintf("%s is within its limit", path)
	}
	d.apply(path, text, list)
	after := d.File(path).Data
	if why := d.over(path, after); why != "" {
		if capped != "" {
			d.find(finding.LossCap.In(string(path), "%s; the file is at %s", capped, why))
		} else {
			d.find(finding.HotOver.In(string(path), "%s, and nothing more may go: the rest is young, pinned, open or the operator's", why))
		}
	}
	removed, moved := 0, 0
	for _, l := range list {
		if l.to == "" {
			removed++
		} else {
			moved++
		}
	}
	return fmt.Sprintf("%s %d → %d lines: %d removed, %d moved", path, note.Lines(doc.Data), note.Lines(after), removed, moved)
}

// over describes the limit of the hot file that a text exceeds, "" if none. Lines do not count
// in a file with a baseline: the baseline alone may have more.
func (in homes) over(path vault.Path, text []byte) string {
	if most := policy.HotMaxLines.Of(in.Policy); most > 0 && in.Baselines[path] == nil && note.Lines(text) > most {
		return fmt.Sprintf("%d lines of at most %d", note.Lines(text), most)
	}
	if most := in.harnessLimit(path); most > 0 && in.count(text) > most {
		return fmt.Sprintf("%d of the %d characters that the harness loads", in.count(text), most)
	}
	return ""
}

// loaded counts the entries of a file that are not the operator's.
func (in homes) loaded(doc vault.Doc, text *note.Doc) int {
	n, line := 0, in.Owned(doc)
	for _, e := range text.Entries(0) {
		if e.Start >= line {
			n++
		}
	}
	return n
}

func without(d *note.Doc, list []leaver) []byte {
	gone := make([]note.Entry, len(list))
	for i, l := range list {
		gone[i] = l.Entry
	}
	return spliced(d.Text, d.Remove(gone)...)
}

// allowed returns how many of list may leave before a loss cap stops it; total is the number of entries in the file.
// A moved entry is off the page and counts like a removed one; repeated entries and those that Tend wrote are no loss.
func (in homes) allowed(list []leaver, total int) (n int, capped string) {
	most, lost := in.allowance(total), 0
	for i, l := range list {
		if !l.loss {
			continue
		}
		if lost++; lost > most {
			return i, fmt.Sprintf("one night may take %d of %d entries off the page, and 30 days %d %% of them", most+in.Facts.Remembered.Lost,
				total+in.Facts.Remembered.Lost, int(100*policy.PruneMaxLoss30d.Of(in.Policy)))
		}
	}
	return len(list), ""
}

// allowance is how many of so many entries may leave the page before a loss cap stops it. Two runs in one night count as
// one.
func (in homes) allowance(total int) int {
	if in.BeyondCaps {
		return total
	}
	before := in.Facts.Remembered.Lost
	run := max(1, int(policy.PruneMaxLossRun.Of(in.Policy)*float64(total+before))) - before
	month := max(1, int(policy.PruneMaxLoss30d.Of(in.Policy)*float64(total+in.Facts.Removed))) - in.Facts.Removed
	return max(0, min(run, month))
}

// apply removes the leavers from the file: it writes those with a new home there and
// archives the others.
func (d *draft) apply(path vault.Path, text *note.Doc, list []leaver) {
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b leaver) int { return a.Start - b.Start })
	var gone []leaver
	for _, l := range list {
		if l.to == "" {
			gone = append(gone, l)
			d.find(finding.Pruned.In(string(path), "%s: %s", l.why, briefly(l.Entry)).AtLine(l.Line))
			if l.loss {
				d.consume(receipts("prune", vault.Doc{Path: path, Data: text.Text}, extents{{l.Start, l.End}})...)
			}
			continue
		}
		if !d.move(path, l) {
			gone = append(gone, l)
		}
	}
	d.archive(path, text, gone)
	d.set(path, without(text, list), fmt.Sprintf("%s forgotten or moved", entries(len(list))))
}

// move writes an entry to the file that owns it, whole and under its day, unless that file has the same words already. It
// reports whether the file now has the entry unchanged.
func (d *draft) move(path vault.Path, l leaver) bool {
	d.find(finding.Moved.In(string(path), "%s, to %s: %s", l.why, l.to, briefly(l.Entry)).AtLine(l.Line))
	d.promoted(plan.Source{Entry: l.Normal(), Target: l.to, Path: path, Line: l.Line, Hash: vault.VersionOf(l.Raw), Moved: true})
	for _, e := range d.Parse(d.File(l.to)).Entries(0) {
		if e.Normal() == l.Normal() {
			return bytes.Equal(bytes.TrimSpace(e.Raw), bytes.TrimSpace(l.Raw))
		}
	}
	day := l.Day
	if l.DayFrom == note.Mentioned || l.DayFrom == note.FromText && d.Delimits(l.to) {
		day = 0 // the date belongs to something else, or the entry's text contains it
	}
	d.set(l.to, d.shelved(l.to, day, []string{strings.TrimRight(string(l.Raw), "\r\n")}), "take in what "+path.Base()+" has no room for")
	return true
}

// archive keeps entries that leave memory altogether, under the headings they had.
func (d *draft) archive(path vault.Path, text *note.Doc, gone []leaver) {
	if len(gone) == 0 {
		return
	}
	var b bytes.Buffer
	section := -1
	for _, l := range gone {
		if l.Section != section && l.Section >= 0 {
			s := text.Sections[l.Section]
			b.Write(text.Text[s.Start:s.Body])
		}
		section = l.Section
		b.Write(l.Raw)
		if !note.FinalNewline(l.Raw) {
			b.WriteByte('\n')
		}
	}
	reasons := []string{}
	for _, l := range gone {
		if !slices.Contains(reasons, l.why) {
			reasons = append(reasons, l.why)
		}
	}
	d.pl.Archives = append(d.pl.Archives, plan.Archive{
		File: path, Kind: "pruned", Text: b.Bytes(),
		Why: fmt.Sprintf("%s pruned: %s.", entries(len(gone)), strings.Join(reasons, "; ")),
	})
}

// briefRunes is how much of an entry a finding quotes.
const briefRunes = 80

// briefly returns the beginning of an entry, for people, with secrets masked.
func briefly(e note.Entry) string { return scan.Quote(e.Text(), briefRunes) }

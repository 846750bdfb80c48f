package job

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Prune brings the hot file below its limit, trims observations, and cuts from the
// buffer exactly the text that receipts cover.
func Prune(in Input) plan.Plan { return prune(in, false) }

// PruneBeyondCaps prunes without loss caps: a person asked for it after a cap stopped pruning.
func PruneBeyondCaps(in Input) plan.Plan { return prune(in, true) }

func prune(in Input, uncapped bool) plan.Plan {
	d := newDraft(in, "prune")
	d.pruneAll(uncapped)
	return d.plan()
}

func (d *draft) pruneAll(uncapped bool) {
	var did []string
	for _, part := range []string{d.pruneHot(uncapped), d.pruneObservations(), d.pruneBuffer(), d.takeLeftBuffer()} {
		if part != "" {
			did = append(did, part)
		}
	}
	d.pl.Summary = strings.Join(did, "; ")
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
	if policy.BufferExpect.Of(d.Policy) == policy.BufferEmpty || doc.Version == vault.Absent || b.Empty() || !d.LeftBehind(doc, b) {
		return ""
	}
	return d.rotateBuffer()
}

// pruneHot removes or moves entries of the hot file until it fits.
func (d *draft) pruneHot(uncapped bool) string {
	path := d.Sole(layout.Hot)
	doc := d.File(path)
	if doc.Version == vault.Absent {
		return ""
	}
	text := d.Parse(doc)
	within := d.over(path, doc.Data) == ""
	if within && !slices.ContainsFunc(text.Entries(0), func(e note.Entry) bool { return e.Expired(d.Today()) }) && len(d.repeated(text, d.veterans(doc, text))) == 0 {
		return fmt.Sprintf("%s is within its limit", path)
	}
	if !within {
		d.foldHeadings(path)
		d.moveToUser(path, doc.ModTime)
		written := doc.ModTime
		doc = d.File(path)
		doc.ModTime = written
		text = d.Parse(doc)
	}
	list := d.leaving(doc, text)
	allowed, capped := d.allowed(list, d.loaded(doc, text), uncapped)
	list = list[:allowed]
	due := 0 // expired and repeated entries come first and go whatever the file's size
	for due < len(list) && (list[due].why == expired || list[due].why == saidTwice) {
		due++
	}
	// Every removed entry makes the file smaller, so a binary search finds the fewest that suffice.
	list = list[:due+sort.Search(len(list)-due, func(k int) bool {
		return d.over(path, append(without(text, list[:due+k]), d.indexLineFor(path, text, list[:due+k])...)) == ""
	})]
	if within && len(list) == 0 {
		return fmt.Sprintf("%s is within its limit", path)
	}
	d.apply(path, text, list)
	d.writeIndex()
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

// indexLineFor is the line that the index gets if some entries are the first that move to a shelf. Without room for it the file would be
// over its limit again.
func (d *draft) indexLineFor(path vault.Path, text *note.Doc, list []leaver) string {
	if !slices.ContainsFunc(text.Sections, func(s note.Section) bool { return s.Title == elsewhereTitle }) || strings.Contains(d.elsewhereText(path), shelfWords) {
		return ""
	}
	i := slices.IndexFunc(list, func(l leaver) bool { return l.to != "" && !d.shown(l.to) && l.to != d.Sole(layout.User) })
	if i < 0 {
		return ""
	}
	return "- " + string(list[i].to) + shelfWords + "\n"
}

// moveToUser moves the most useful rules and wishes to the user file until the hot file fits or the user file is nearly
// full. It does so only for harnesses that load a user file beside a small hot file.
func (d *draft) moveToUser(path vault.Path, written time.Time) {
	user := d.Sole(layout.User)
	if !d.scarce() || user == "" || user == path || !d.shown(user) || !d.open(user) {
		return
	}
	doc := d.File(path)
	doc.ModTime = written
	text := d.Parse(doc)
	var list []note.Entry
	value, hands := map[int]int{}, handwrittenOf(d.memory().list)
	for _, e := range d.veterans(doc, text) {
		c := candidate{fact: fact{text: e.Text(), tags: e.Tags, day: d.since(doc, e)}}.read("")
		if dated(e) && (c.firmForm() || c.worth.Form == "wish") && d.Facts.Past.Promoted.Has(MarkOf(e.Normal())) {
			list = append(list, e)
			value[e.Start] = d.value(doc, e, hands)
		}
	}
	slices.SortStableFunc(list, func(a, b note.Entry) int { return value[b.Start] - value[a.Start] })
	var gone []leaver
	for _, e := range list {
		if d.over(path, without(text, gone)) == "" {
			break
		}
		l := leaver{Entry: e, why: "it says what people want", to: user}
		if d.makeRoom(user, l, value[e.Start], hands) && d.move(path, l) {
			gone = append(gone, l)
		}
	}
	if len(gone) > 0 {
		d.set(path, without(text, gone), several(len(gone), "entry")+" moved to "+string(user))
	}
}

// makeRoom moves promoted entries that are less useful than l out of the user file until l fits.
func (d *draft) makeRoom(user vault.Path, l leaver, value int, hands handwritten) bool {
	for !d.fits(user, append(d.moved(l), make([]byte, headroom)...)) {
		doc := d.File(user)
		text := d.Parse(doc)
		var least leaver
		worst := value
		for _, e := range d.veterans(doc, text) {
			if v := d.value(doc, e, hands); v < worst && dated(e) && d.Facts.Past.Promoted.Has(MarkOf(e.Normal())) {
				least, worst = leaver{Entry: e, why: "least useful", to: d.lower(fact{text: e.Text(), tags: e.Tags})}, v
			}
		}
		if least.to == "" || least.to == user || !d.move(user, least) {
			return false
		}
		d.set(user, without(text, []leaver{least}), "make room for what is more useful")
	}
	return true
}

// headroom is how many characters Tend leaves free for the agent in the user file.
const headroom = 100

// scarce reports whether the hot file may hold only a few thousand characters.
func (in view) scarce() bool {
	most := policy.HotMaxChars.Of(in.Policy)
	return most > 0 && most <= 4000
}

// over describes the limit of the hot file that a text exceeds, "" if none. Lines do not count
// in a file with a baseline: the baseline alone may have more.
func (in places) over(path vault.Path, text []byte) string {
	if most := policy.HotMaxLines.Of(in.Policy); most > 0 && in.Baselines[path] == nil && note.Lines(text) > most {
		return fmt.Sprintf("%d lines of at most %d", note.Lines(text), most)
	}
	if most := policy.HotMaxChars.Of(in.Policy); most > 0 && in.count(text) > most {
		return fmt.Sprintf("%d characters of at most %d", in.count(text), most)
	}
	if most := policy.HotMaxBytes.Of(in.Policy); most > 0 && len(text) > most {
		return fmt.Sprintf("%d bytes of at most %d", len(text), most)
	}
	return ""
}

// below reports whether a file is below some percent of each of its limits.
func (in places) below(path vault.Path, percent int) bool {
	text, bytes := in.File(path).Data, policy.HotMaxBytes.Of(in.Policy)
	if bytes <= 0 || bytes > pageBytes {
		bytes = pageBytes
	}
	below := func(n, most int) bool { return most <= 0 || 100*n < percent*most }
	return below(note.Lines(text), policy.HotMaxLines.Of(in.Policy)) && below(in.count(text), policy.HotMaxChars.Of(in.Policy)) && below(len(text), bytes)
}

// Below half of its limits, in percent, a file takes every entry that looks like a rule or a fact; below spare it takes what merits it.
const half, spare = 50, 85

// pageBytes is how long a page is that a person still reads: longer ones get no entries without a tag, whatever the limits allow.
const pageBytes = 9500

// loaded counts the entries of a file that are not the operator's.
func (in places) loaded(doc vault.Doc, text *note.Doc) int {
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
// Moved and repeated entries are no loss. Two runs in one night count as one.
func (in places) allowed(list []leaver, total int, uncapped bool) (n int, capped string) {
	before := in.Facts.Past.Lost
	run := max(1, int(policy.PruneMaxLossRun.Of(in.Policy)*float64(total+before))) - before
	month := max(1, int(policy.PruneMaxLoss30d.Of(in.Policy)*float64(total+in.Facts.Loaded))) - in.Facts.Removed
	lost := 0
	for i, l := range list {
		if !l.loss || uncapped {
			continue
		}
		lost++
		switch {
		case lost > run:
			return i, fmt.Sprintf("one night may remove %d of %d entries", run+before, total+before)
		case lost > month:
			return i, fmt.Sprintf("%s left in 30 days, and %d %% is the most", entries(in.Facts.Removed+lost-1), int(100*policy.PruneMaxLoss30d.Of(in.Policy)))
		}
	}
	return len(list), ""
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
	d.promoted(plan.Source{Entry: l.Normal(), Target: l.to, Path: path, Line: l.Line, Hash: vault.VersionOf(l.Raw)})
	for _, e := range d.Parse(d.File(l.to)).Entries(0) {
		if e.Normal() == l.Normal() {
			return bytes.Equal(bytes.TrimSpace(e.Raw), bytes.TrimSpace(l.Raw))
		}
	}
	d.set(l.to, d.moved(l), "take in what "+path.Base()+" has no room for")
	return true
}

// moved returns the text of the file that l moves to, with l added.
func (d *draft) moved(l leaver) []byte {
	raw := strings.TrimRight(string(l.Raw), "\r\n")
	if d.shown(l.to) {
		return d.placed(l.to, fact{text: l.Text(), tags: l.Tags, day: l.Day}, raw)
	}
	day := l.Day
	if l.DayFrom == note.Mentioned || l.DayFrom == note.FromText && d.Delimits(l.to) {
		day = 0 // the date belongs to something else, or the entry's text contains it
	}
	return d.shelved(l.to, day, []string{raw})
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

// briefly returns the beginning of an entry, for people.
func briefly(e note.Entry) string { return briefText(e.Text()) }

func briefText(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return text
}

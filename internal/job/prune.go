package job

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"tend/internal/finding"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// Prune brings the hot file below its limit, trims observations, and cuts from the
// buffer exactly what receipts cover.
func Prune(in Input) plan.Plan { return prune(in, false) }

// PruneBeyondCaps prunes as a person asked for who has seen that the loss caps stopped it.
func PruneBeyondCaps(in Input) plan.Plan { return prune(in, true) }

func prune(in Input, uncapped bool) plan.Plan {
	d := newDraft(in, "prune")
	d.pruneAll(uncapped)
	return d.plan()
}

func (d *draft) pruneAll(uncapped bool) {
	var did []string
	for _, part := range []string{d.pruneHot(uncapped), d.pruneObservations(), d.cutBuffer("prune"), d.takeLeftBuffer()} {
		if part != "" {
			did = append(did, part)
		}
	}
	d.pl.Summary = strings.Join(did, "; ")
}

// takeLeftBuffer moves a buffer that is written ahead of every reply and that nobody works with any more into the day's log.
func (d *draft) takeLeftBuffer() string {
	doc := d.File(d.Sole(layout.Buffer))
	b := note.ParseBuffer(doc.Data, d.Now.Location())
	if policy.BufferExpect.Of(d.Policy) == policy.BufferEmpty || doc.Version == vault.Absent || b.Empty() || !d.LeftBehind(doc, b) {
		return ""
	}
	return d.rotateBuffer()
}

// pruneHot forgets and moves entries of the hot file until it fits.
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
	due := 0 // what is past its date or finished comes first; it goes whatever the size, as does what is said twice
	for due < len(list) && (list[due].why == expired || list[due].why == saidTwice) {
		due++
	}
	// The order is fixed and every entry that goes makes the file smaller, so the
	// fewest that suffice can be searched for.
	list = list[:due+sort.Search(len(list)-due, func(k int) bool { return d.over(path, without(text, list[:due+k])) == "" })]
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

// moveToUser moves the most useful rules and wishes to the file about the user, where a harness loads such a file beside a
// small hot file, until the hot file fits or the other one is nearly full.
func (d *draft) moveToUser(path vault.Path, written time.Time) {
	user := d.Sole(layout.User)
	if !d.scarce() || user == "" || user == path || !d.shown(user) || !d.open(user) {
		return
	}
	doc := d.File(path)
	doc.ModTime = written
	text := d.Parse(doc)
	var list []note.Entry
	value := map[int]int{}
	for _, e := range d.veterans(doc, text) {
		c := candidate{fact: fact{text: e.Text(), tags: e.Tags, day: d.since(doc, e)}}.read("")
		if dated(e) && (c.firmForm() || c.worth.Form == "wish") && d.Facts.Past.Promoted.Has(MarkOf(e.Normal())) {
			list = append(list, e)
			value[e.Start] = d.value(doc, e)
		}
	}
	slices.SortStableFunc(list, func(a, b note.Entry) int { return value[b.Start] - value[a.Start] })
	var gone []leaver
	for _, e := range list {
		if d.over(path, without(text, gone)) == "" {
			break
		}
		l := leaver{Entry: e, why: "it says what people want", to: user}
		if d.makeRoom(user, l, value[e.Start]) && d.move(path, l) {
			gone = append(gone, l)
		}
	}
	if len(gone) > 0 {
		d.set(path, without(text, gone), several(len(gone), "entry")+" moved to "+string(user))
	}
}

// makeRoom moves what was promoted to the user's file and is less useful than an entry out of it, until the entry fits.
func (d *draft) makeRoom(user vault.Path, l leaver, value int) bool {
	for !d.fits(user, append(d.moved(l), make([]byte, headroom)...)) {
		doc := d.File(user)
		text := d.Parse(doc)
		var least leaver
		worst := value
		for _, e := range d.veterans(doc, text) {
			if v := d.value(doc, e); v < worst && dated(e) && d.Facts.Past.Promoted.Has(MarkOf(e.Normal())) {
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

// headroom is how many characters Tend leaves free in a file that the agent fills itself.
const headroom = 100

// scarce reports whether the hot file holds a few thousand characters only.
func (in view) scarce() bool {
	most := policy.HotMaxChars.Of(in.Policy)
	return most > 0 && most <= 4000
}

// over says which limit of the hot file a text passes, "" if none. Lines do not count
// where the operator's baseline is part of the file: it alone may have more.
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

// roomy reports whether a file has room to spare: below a good part of each of its limits.
func (in places) roomy(path vault.Path) bool {
	text := in.File(path).Data
	below := func(n, most int) bool { return most <= 0 || 100*n < spare*most }
	return below(note.Lines(text), policy.HotMaxLines.Of(in.Policy)) && below(in.count(text), policy.HotMaxChars.Of(in.Policy)) && below(len(text), policy.HotMaxBytes.Of(in.Policy))
}

// spare is how full, in percent, the hot file may be before facts without a tag no longer enter it.
const spare = 85

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

// allowed is how many of those that could leave may, before a loss cap stops it. What
// is moved, or said elsewhere in the file, is no loss. Running twice in a night is one run.
func (in places) allowed(list []leaver, standing int, uncapped bool) (n int, capped string) {
	before := in.Facts.Past.Lost
	run := max(1, int(policy.PruneMaxLossRun.Of(in.Policy)*float64(standing+before))) - before
	month := max(1, int(policy.PruneMaxLoss30d.Of(in.Policy)*float64(standing+in.Facts.Loaded))) - in.Facts.Removed
	lost := 0
	for i, l := range list {
		if !l.loss || uncapped {
			continue
		}
		lost++
		switch {
		case lost > run:
			return i, fmt.Sprintf("one night may remove %d of %d entries", run+before, standing+before)
		case lost > month:
			return i, fmt.Sprintf("%s left in 30 days, and %d %% is the most", entries(in.Facts.Removed+lost-1), int(100*policy.PruneMaxLoss30d.Of(in.Policy)))
		}
	}
	return len(list), ""
}

// apply takes the leavers out of the file: those with a new home are written there
// first, the others are archived.
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

// move writes an entry to the file that owns it, whole and under its day, unless its words stand there already. It reports
// whether the entry is there to the letter.
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

// moved is the text of the file that an entry moves to, with the entry.
func (d *draft) moved(l leaver) []byte {
	raw := strings.TrimRight(string(l.Raw), "\r\n")
	if d.shown(l.to) {
		return d.placed(l.to, fact{text: l.Text(), tags: l.Tags, day: l.Day}, raw)
	}
	day := l.Day
	if l.DayFrom == note.Mentioned || l.DayFrom == note.FromText && d.Delimits(l.to) {
		day = 0 // it is of another day, or the entry carries it along
	}
	return d.shelved(l.to, day, []string{raw})
}

// archive keeps what leaves memory altogether, under the headings it stood under.
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

// briefly is an entry's beginning, for people.
func briefly(e note.Entry) string { return briefText(e.Text()) }

func briefText(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return text
}

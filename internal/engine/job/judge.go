package job

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/curator"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// Judged is what a curator answered to one request.
type Judged struct {
	Request   curator.Request
	Model     string
	Decisions []curator.Decision
	// Failed says why there is no answer, "" if there is one.
	Failed string
	// GivenUp: there was no answer in several nights, and the rules decide.
	GivenUp bool
}

// judge carries out what a curator's answers ask for. An answer was checked before it got here, against files that may have
// changed since: every line is looked for again by its text. What the answer does not mention and carries a tag of the
// protocol is promoted as without a curator. Entries count as read once their answer was read.
func (d *draft) judge(job string) {
	j := &judging{promotion: d.promotion(job, len(d.Judged)*maxPromoted)}
	for _, answer := range d.Judged {
		switch {
		case answer.Failed != "":
			j.unanswered(answer)
		case answer.GivenUp:
			for _, c := range j.marked(answer.Request.Log) {
				j.decide(c)
			}
			j.read(answer)
		default:
			j.answer(answer)
		}
	}
	d.pl.Summary = j.summary()
	d.Facts.Remembered.Today += j.counts[promoted] + j.counts[proposed]
}

// maxPromoted is how many entries of a day one answer may put onto the page: more is a copy of the log.
const maxPromoted = 25

// judging gathers what a night's answers do.
type judging struct {
	*promotion
	allowed  int // entries that may still leave the page
	capped   bool
	left     int // entries that left the page
	replaced int
	rejected []string
	failed   []string
	current  Judged
	waits    map[string]bool // entries of the current answer that there was no room for; they are offered again
}

func (j *judging) answer(a Judged) {
	j.current = a
	j.allowed = j.losable()
	j.room = maxPromoted * daysOf(a.Request.Log)
	j.waits = map[string]bool{}
	mentioned := map[string]bool{}
	for _, room := range []bool{true, false} {
		for _, dec := range a.Decisions {
			for _, s := range dec.Sources {
				mentioned[s.ID] = true
			}
			if curator.Leaves(dec.Op) == room { // these come before what needs the room
				j.carryOut(dec)
			}
		}
	}
	for id, c := range j.marked(a.Request.Log) {
		if c.sure && !mentioned[id] {
			j.decide(c)
		}
	}
	j.read(a)
	j.record(a)
	if j.capped {
		j.find(finding.LossCap.In(string(j.Sole(layout.Hot)), "a curator asked to take more off the page than a night may; the rest waits"))
	}
	for i, why := range j.rejected {
		if i == 5 {
			j.find(finding.CuratorRejected.In("", "and %d more", len(j.rejected)-i))
			break
		}
		j.find(finding.CuratorRejected.In("", "%s", why))
	}
	j.rejected, j.capped = nil, false
}

// daysOf counts the days of a log.
func daysOf(log []curator.Entry) int {
	days := map[string]bool{}
	for _, e := range log {
		days[e.Day] = true
	}
	return len(days)
}

// losable is how many entries may leave the page tonight.
func (j *judging) losable() int {
	doc := j.File(j.Sole(layout.Hot))
	return j.allowance(j.loaded(doc, j.Parse(doc))) - j.left
}

// read leaves receipts for the entries of a request: for the whole file if nothing else in it is unread.
func (j *judging) read(a Judged) {
	files := map[vault.Path]bool{}
	for _, e := range a.Request.Log {
		files[vault.Path(e.File)] = true
	}
	decided := a.Request
	decided.Log = slices.DeleteFunc(slices.Clone(decided.Log), func(e curator.Entry) bool { return j.waits[e.ID] })
	j.consume(j.answered(j.job, decided)...)
	for _, e := range j.unread() {
		delete(files, vault.Path(e.File))
	}
	for p := range files {
		doc := j.File(p)
		end := wholeLines(doc.Data)
		if role, _ := j.Layout.RoleOf(string(p)); role != layout.Daily {
			continue // a buffer's head stays
		}
		j.consume(receipts(j.job, doc, extents{{0, end}})...)
	}
}

// record keeps who answered what, for the ledger.
func (j *judging) record(a Judged) {
	ops := make([]curator.Operation, 0, len(a.Decisions))
	for _, dec := range a.Decisions {
		ops = append(ops, dec.Operation)
	}
	data, err := json.Marshal(ops)
	if err != nil {
		return
	}
	j.pl.Judges = append(j.pl.Judges, plan.Judge{Model: a.Model, Request: a.Request.Key, Answer: string(scan.Mask(data))})
}

// unanswered records that a curator was asked in vain, so that it is not asked for ever.
func (j *judging) unanswered(a Judged) {
	j.pl.Receipts = append(j.pl.Receipts, j.answered(Unanswered, a.Request)...)
	j.failed = append(j.failed, a.Failed)
	j.find(finding.CuratorFailed.In("", "%s; %s stay unread and are offered again", a.Failed, entries(len(a.Request.Log))))
}

func (j *judging) carryOut(dec curator.Decision) {
	if dec.Verdict == curator.Rejected {
		j.rejected = append(j.rejected, fmt.Sprintf("%s: %s", dec.Op, scan.Quote(dec.Reason, 2*briefRunes)))
		return
	}
	replaces := dec.Op == curator.Replace || dec.Op == curator.Retire
	if title := turned(dec); dec.Verdict == curator.Accepted && title != "" && (replaces || dec.Own) {
		dec.Verdict, dec.Reason = curator.Proposed, fmt.Sprintf("its source stands below %q", scan.Quote(title, briefRunes))
	}
	count := func(f fate) {
		j.counts[f]++
		for _, s := range dec.Sources {
			j.waits[s.ID] = j.waits[s.ID] || f == pending
		}
	}
	switch dec.Op {
	case curator.Keep, curator.Add, curator.Propose:
		count(j.addTo(dec))
	case curator.Replace, curator.Rewrite:
		count(j.replace(dec))
	case curator.Retire, curator.Merge:
		for _, t := range dec.Targets {
			count(j.retire(dec, t))
		}
	case curator.Move:
		for _, t := range dec.Targets {
			count(j.moveItem(dec, t))
		}
	}
}

// source is the entry that a decision cites, as a candidate with the words that would be written.
func (j *judging) candidateFor(dec curator.Decision) candidate {
	c := candidate{text: dec.Passage, sure: true, day: j.Today()}
	if len(dec.Sources) == 0 {
		return c
	}
	s := dec.Sources[0]
	c.path, c.line, c.start, c.end = vault.Path(s.File), s.Line, s.Start, s.End
	c.raw = []byte(s.Text)
	if day, err := note.ParseDay(s.Day); err == nil && day <= j.Today() {
		c.day = day
	}
	if dec.Own {
		return c
	}
	if c.subject = nearest(s.Subject); c.subject == "" && len(terms(note.Normal(dec.Passage))) < wholeTerms {
		c.subject = nearest(strings.Join(s.Path, " › ")) // the title of the file says it then
	}
	blocks := note.Parse([]byte(dec.Passage + "\n")).Blocks(0)
	if len(blocks) == 1 {
		c.text, c.tags = blocks[0].Text(), blocks[0].Tags
		tag := policy.Protocol.Of(j.Policy) == policy.ProtocolNone && len(c.tags) > 0 // a label such as "Lesson:" is none there
		// What it says may hang on the date, or on the open box.
		if tag || blocks[0].Day != 0 || blocks[0].Task == note.OpenTask {
			c.text, c.tags = unbulleted(dec.Passage), nil
		}
	}
	if label, _, _ := strings.Cut(s.Text, "\n"); !strings.Contains(dec.Passage, label) {
		if b := note.Parse([]byte(label + "\n")).Blocks(0); len(b) == 1 && b[0].Label != "" && !announces(b[0].Label).lasting() {
			c.subject = strings.TrimLeft(c.subject+" › "+b[0].Label, " ›")
		}
	}
	return c
}

// addTo puts a passage onto the page, under the heading that was named.
func (j *judging) addTo(dec curator.Decision) fate {
	c := j.candidateFor(dec)
	target := j.Sole(layout.Hot)
	if dec.Op == curator.Propose {
		target = vault.Path(dec.File)
	} else if target == "" || !j.open(target) {
		target = j.home(c)
	}
	if dec.Under = j.heading(target, dec.Under); dec.Under == "" && !turns(c.subject) {
		dec.Under = j.heading(target, c.subject)
	}
	c.subject = besides(c.subject, dec.Under, c.text)
	j.reversed(&dec, target, dec.Under)
	entry := remarked(j.entryFor(dec, c), dec, c)
	normal := note.Normal(entry)
	switch {
	case target == "":
		return pending
	case j.memory().exact[normal] || j.memory().exact[c.normal()]: // what is like it the curator has seen
		return known
	case j.wasDeleted(c, normal):
		return declined
	}
	text := j.under(target, dec.Under, c.day, entry)
	j.takes(&dec, target, text)
	if dec.Verdict == curator.Proposed {
		return j.leave(plan.Proposal{Text: entry, Tags: c.tags, Target: target, Day: c.day.String(), Under: dec.Under, Why: dec.Reason}, dec, c)
	}
	j.room--
	j.set(target, text, "take in what the curator chose")
	j.wrote[target]++
	j.memory().add(normal, stood{path: target, text: entry, day: c.day, ours: true})
	j.promoted(j.source(dec, c, target, normal))
	return promoted
}

// takes turns what there is no room for on a page into a proposal; text is the page with it.
func (j *judging) takes(dec *curator.Decision, page vault.Path, text []byte) {
	switch {
	case dec.Verdict == curator.Accepted && j.room <= 0:
		dec.Verdict, dec.Reason = curator.Proposed, "one answer may add "+entries(maxPromoted)+" a day"
	case dec.Verdict == curator.Accepted && !j.fits(page, text):
		dec.Verdict, dec.Reason = curator.Proposed, "the harness would cut the file"
	}
}

// entryFor formats what is written. The model's own words stay as they are, but for one bullet at their start.
func (j *judging) entryFor(dec curator.Decision, c candidate) string {
	if !dec.Own {
		return j.written(c)
	}
	return "- " + unbulleted(c.text)
}

// unbulleted is a text without a bullet at its start.
func unbulleted(text string) string {
	text = strings.TrimSpace(text)
	for _, marker := range []string{"- ", "* ", "+ "} {
		text = strings.TrimPrefix(text, marker)
	}
	return text
}

// remarked adds until when an entry is valid, or the day on which it was said if that counts and the entry names none.
func remarked(entry string, dec curator.Decision, c candidate) string {
	switch {
	case dec.Until != "":
		return note.Remark(entry, "until "+dec.Until)
	case (dec.Dated || dec.Beside && dec.Verdict == curator.Accepted) && !dec.Own && !strings.Contains(entry, c.day.String()):
		return note.Remark(entry, c.day.String())
	}
	return entry
}

// source records where an entry came from, and what of it was quoted.
func (j *judging) source(dec curator.Decision, c candidate, target vault.Path, normal string) plan.Source {
	s := c.source(target, normal)
	if len(dec.Sources) > 0 {
		s.Hash = vault.Version(dec.Sources[0].Hash)
	}
	s.Quote = scan.Quote(dec.Quote, 0)
	return s
}

// replace puts a passage or the model's words in the place of lines.
func (j *judging) replace(dec curator.Decision) fate {
	c := j.candidateFor(dec)
	page := vault.Path(j.current.Request.Pages[dec.Targets[0].Page].File)
	first, ok := j.locate(page, dec.Targets[0])
	if !ok {
		return j.stale(dec)
	}
	c.subject = besides(c.subject, dec.Targets[0].Heading, c.text)
	j.reversed(&dec, page, dec.Targets[0].Heading)
	dated := note.WithoutDay(first.raw) != first.raw
	dec.Dated = dec.Dated || dated
	entry := likeLine(first.raw, strings.TrimPrefix(remarked(j.entryFor(dec, c), dec, c), "- "))
	switch {
	case j.current.Request.Task != curator.Compare && j.memory().says(note.Normal(entry)):
		return known
	case j.wasDeleted(c, note.Normal(entry)) && !alike(c.normal(), note.Normal(first.raw)): // what the line says itself is not gone
		return declined
	}
	if dec.Beside && dec.Verdict == curator.Accepted {
		return j.beside(dec, c, page, first, entry)
	}
	if dec.Verdict == curator.Proposed {
		pr := plan.Proposal{Text: entry, Tags: c.tags, Target: page, Day: c.day.String(), Replaces: first.raw, Why: dec.Reason}
		for _, t := range dec.Targets[1:] {
			if more, ok := j.locate(page, t); ok {
				pr.Removes = append(pr.Removes, more.raw)
			}
		}
		return j.leave(pr, dec, c)
	}
	var old strings.Builder
	old.WriteString(first.raw)
	j.edit(page, "take in what the curator chose", note.Edit{At: first.start, Cut: len(first.raw), Text: entry})
	for _, t := range dec.Targets[1:] {
		if more, ok := j.locate(page, t); ok {
			old.WriteString("\n" + more.raw)
			j.cut(page, more)
		}
	}
	why := "Replaced by: " + scan.Quote(entry, briefRunes)
	j.pl.Archives = append(j.pl.Archives, plan.Archive{File: page, Kind: "superseded", Text: []byte(old.String() + "\n"), Why: why})
	j.find(finding.Superseded.In(string(page), "%s → %s", scan.Quote(old.String(), briefRunes), scan.Quote(entry, briefRunes)))
	j.replaced++
	normal := note.Normal(entry)
	j.memory().add(normal, stood{path: page, text: entry, day: c.day, ours: true})
	j.promoted(j.source(dec, c, page, normal))
	return promoted
}

// beside puts what is newer below a line that may not leave by itself, and proposes that it does.
func (j *judging) beside(dec curator.Decision, c candidate, page vault.Path, old passageAt, entry string) fate {
	if !j.Delimits(page) && !listItem().MatchString(strings.TrimLeft(entry, " \t")) {
		entry = "- " + entry // a second paragraph would read as one with the first
	}
	was := j.File(page).Data
	gap := note.Newline(was)
	text := spliced(was, note.Edit{At: old.start + len(old.raw), Text: gap + strings.ReplaceAll(entry, "\n", gap)})
	if j.Delimits(page) {
		text = j.withEntry(page, c.day, entry, "")
	}
	j.takes(&dec, page, text)
	if dec.Verdict == curator.Proposed {
		return j.leave(plan.Proposal{Text: entry, Target: page, Day: c.day.String(), Replaces: old.raw, Why: dec.Reason}, dec, c)
	}
	j.room--
	j.wrote[page]++
	j.set(page, text, "take in what the curator chose")
	normal := note.Normal(entry)
	j.memory().add(normal, stood{path: page, text: entry, day: c.day, ours: true})
	j.promoted(j.source(dec, c, page, normal))
	if dec.Reason == "" { // it holds only from a day ahead
		return promoted
	}
	why := "superseded: what is newer stands below it; " + dec.Reason
	j.counts[j.leave(plan.Proposal{Target: page, Replaces: old.raw, Why: why}, dec, candidate{})]++
	return promoted
}

// likeLine gives an entry the indentation and the marker of the line it replaces.
func likeLine(old, entry string) string {
	text := strings.TrimLeft(old, " \t")
	lead := old[:len(old)-len(text)]
	if i := strings.IndexByte(text, ' '); i > 0 && i < 4 && strings.TrimLeft(text[:i], "0123456789-*+.)") == "" {
		lead += text[:i+1]
	}
	return lead + strings.ReplaceAll(entry, "\n", "\n"+old[:len(old)-len(text)])
}

// retire takes an item off the page. It is archived with the reason.
func (j *judging) retire(dec curator.Decision, t curator.Item) fate {
	page := vault.Path(j.current.Request.Pages[t.Page].File)
	it, ok := j.locate(page, t)
	if !ok {
		return j.stale(dec)
	}
	why := dec.Why
	if dec.Op == curator.Merge {
		why = "duplicate"
	}
	if dec.Verdict == curator.Accepted && !j.mayLeave(dec.Op, t) {
		dec.Verdict, dec.Reason = curator.Proposed, "a night may take no more off the page"
	}
	if dec.Verdict == curator.Proposed {
		return j.leave(plan.Proposal{Target: page, Replaces: it.raw, Why: why + ": " + dec.Reason}, dec, j.candidateFor(dec))
	}
	doc := j.File(page)
	retired := plan.Archive{File: page, Kind: "retired", Text: []byte(it.raw + "\n"), Why: "The curator retired it: " + why + "."}
	j.pl.Archives = append(j.pl.Archives, retired)
	j.find(finding.Pruned.In(string(page), "%s: %s", why, scan.Quote(it.raw, briefRunes)))
	if t.By != curator.ByTend {
		j.consume(receipts(j.job, doc, extents{{it.start, it.end}})...)
	}
	j.cut(page, it)
	j.left++
	return promoted
}

// mayLeave counts an item against the loss cap. What Tend wrote is no loss if it leaves for a reason that was checked, and
// what the harness does not load is none if it moves: the agent never saw it.
func (j *judging) mayLeave(op string, t curator.Item) bool {
	n := 1
	if t.Whole() {
		n = j.visible(op, t)
	}
	if t.By == curator.ByTend && op != curator.Move {
		return true
	}
	if j.allowed < n {
		j.capped = true
		return false
	}
	j.allowed -= n
	return true
}

// visible counts the entries of a section that leave the page with it.
func (j *judging) visible(op string, t curator.Item) int {
	unseen, n := j.unseen(t), 0
	for _, e := range note.Parse([]byte(t.Text)).Entries(0) {
		if op != curator.Move || !unseen(e.Line) {
			n++
		}
	}
	return n
}

// unseen says which lines of an item, counted from 1, the harness does not load.
func (j *judging) unseen(t curator.Item) func(line int) bool {
	lines := j.current.Request.Pages[t.Page].Lines
	lines = lines[t.From-lines[0].ID:]
	return func(n int) bool { return lines[n-1].Unseen }
}

// moveItem moves an entry or a section to another file. A section leaves its heading with a link.
func (j *judging) moveItem(dec curator.Decision, t curator.Item) fate {
	page, to := vault.Path(j.current.Request.Pages[t.Page].File), vault.Path(dec.To)
	it, ok := j.locate(page, t)
	if !ok {
		return j.stale(dec)
	}
	if !j.takesIn(to) || j.Delimits(page) {
		j.rejected = append(j.rejected, fmt.Sprintf("move: %s takes no entries", to))
		return declined
	}
	if _, recorded := j.Facts.Audit.Recorded[to]; recorded && dec.Verdict == curator.Accepted {
		dec.Verdict, dec.Reason = curator.Proposed, "OpenClaw recorded "+string(to)+" as its agent's"
	}
	if dec.Verdict == curator.Accepted && !j.mayLeave(dec.Op, t) {
		dec.Verdict, dec.Reason = curator.Proposed, "a night may take no more off the page"
	}
	if dec.Verdict == curator.Proposed {
		return j.leave(plan.Proposal{Target: page, Replaces: it.raw, MoveTo: to, Why: dec.Reason}, dec, j.candidateFor(dec))
	}
	j.relocate(page, to, it, t.Heading, t.Whole(), j.unseen(t))
	j.left++
	return promoted
}

// saidBy is what the entries say that a decision cites.
func saidBy(dec curator.Decision) string {
	var texts []string
	for _, s := range dec.Sources {
		texts = append(texts, s.Text)
	}
	return scan.Quote(strings.Join(texts, " / "), 2*briefRunes)
}

// leave leaves a decision to a person.
func (j *judging) leave(p plan.Proposal, dec curator.Decision, c candidate) fate {
	if j.Facts.Remembered.Waiting+len(j.pl.Proposals) >= mostWaiting {
		return pending
	}
	p.Job, p.Model, p.Quote = j.job, j.current.Model, scan.Quote(dec.Quote, 0)
	if p.Quote == "" {
		p.Said = saidBy(dec)
	}
	p.Text, p.Replaces = string(scan.Mask([]byte(p.Text))), string(scan.Mask([]byte(p.Replaces)))
	normal := note.Normal(p.Text)
	p.ID = plan.ProposalID(p.Target, normal)
	if p.Text == "" {
		p.ID = plan.ProposalID(p.Target, "\x00"+dec.Op+"\x00"+p.Replaces)
	}
	if c.path != "" {
		c.text = string(scan.Mask([]byte(c.text)))
		p.Sources = append(p.Sources, j.source(dec, c, p.Target, normal))
	}
	if j.Facts.Remembered.Proposed[p.ID] || slices.ContainsFunc(j.pl.Proposals, func(o plan.Proposal) bool { return o.ID == p.ID }) {
		return known
	}
	j.pl.Proposals = append(j.pl.Proposals, p)
	j.find(finding.ProposalMade.In(string(p.Target), "%s waits for a person: %s", p.ID, p.Why))
	if p.Text != "" {
		j.memory().add(normal, stood{text: p.Text})
	}
	return proposed
}

// stale drops a decision about a line that is no longer there.
func (j *judging) stale(dec curator.Decision) fate {
	j.rejected = append(j.rejected, fmt.Sprintf("%s: line %d has changed since it was asked about", dec.Op, dec.Targets[0].From))
	return declined
}

// summary says what happened, in one line.
func (j *judging) summary() string {
	said := j.promotion.summary()
	var parts []string
	if said != "" {
		parts = append(parts, said)
	}
	if j.replaced > 0 {
		parts = append(parts, fmt.Sprintf("%d replaced", j.replaced))
	}
	if j.left > 0 {
		parts = append(parts, entries(j.left)+" off the page")
	}
	if len(j.failed) > 0 {
		parts = append(parts, "no answer: "+j.failed[0])
	}
	if len(parts) == 0 {
		return "the curator found nothing to keep"
	}
	return strings.Join(parts, "; ")
}

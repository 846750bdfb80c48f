package job

import (
	"bytes"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/claim"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// candidate is a tagged entry that no job has taken in yet.
type candidate struct {
	fact
	raw        []byte
	path       vault.Path
	line       int
	start, end int
	task       note.Task
	st         claim.Statement
	worth      claim.Worth
}

// firm reports tags that a person or agent sets on what is meant to stay.
func (c candidate) firm() bool { return c.has("identity") }

// firmForm reports an entry that states a rule, an agreement or a lasting trait of a person.
func (c candidate) firmForm() bool {
	return c.worth.Form == "rule" || c.worth.Form == "agreement" || c.worth.Form == "trait"
}

// weight is how much a candidate deserves a place: its tags, and what its form says.
func (c candidate) weight() int {
	n := c.worth.Score
	switch {
	case len(c.tags) > 0 && c.worth.Report:
		n++ // what was decided or learned is often told as a story
	}
	switch {
	case c.has("identity"):
		n += 4
	case c.has("decision"), c.has("human"), c.has("lesson"):
		n += 3
	case len(c.tags) > 0:
		n++
	}
	return n
}

// lasting reports whether a candidate is worth long-term memory: a tagged entry unless it is small talk, an untagged one if
// its form says that it matters.
func (c candidate) lasting() bool {
	if len(c.tags) > 0 {
		answer := c.has("human") && !strings.Contains(c.text, " ") && len(c.text) < 16 // "Fine."
		return (c.weight() >= leastTagged || c.rulesLater()) && !answer
	}
	if c.worth.Report || c.worth.Brief() || len([]rune(c.text)) > shortest || strings.Count(c.text, "\n") > 1 {
		return false // who states a rule is brief; this is a story with one in it
	}
	switch c.worth.Form {
	case "rule", "agreement":
		return c.worth.Score >= 3
	case "wish", "trait":
		return c.worth.Score >= 3
	case "correction":
		return c.worth.Score >= 3 && c.worth.Fact
	}
	return false
}

// rulesLater reports whether a sentence behind the first states a rule: "Somebody claimed to be the bank again. Nobody gets her details."
func (c candidate) rulesLater() bool {
	list := claim.Sentences(c.text)
	return len(list) > 1 && slices.ContainsFunc(list[1:], func(s string) bool {
		w := claim.WorthOf(s, c.day)
		return ruling(w.Form) && !w.Report && w.Passing == ""
	})
}

// factual reports whether an entry without a tag says how things are. Such facts fill the room that is left.
func (c candidate) factual() bool {
	least := 2
	if c.st.Changed && len(c.st.Subject.Names) > 0 || slices.ContainsFunc(c.st.Claims, func(x claim.Claim) bool { return x.Changed && x.Kind != claim.State && !x.Plan }) { // what something was changed to
		least = 1
	}
	return len(c.tags) == 0 && c.worth.Fact && c.worth.Score >= least && len([]rune(c.text)) <= shortest && c.task == note.NoTask
}

// leastTagged is what a tagged entry must weigh: one that is more than small talk does.
const leastTagged = 1

// shortest is how long an entry without a tag may be to be taken for a rule.
const shortest = 220

// replaces reports whether a candidate may take the place of an older statement: it carries a tag, says that something
// changed or was agreed, or is worth promoting and cannot be true beside it.
func (c candidate) replaces(older claim.Statement) bool {
	if len(c.tags) > 0 && c.weight() >= leastTagged || c.st.Changed || c.st.Agreed && c.lasting() {
		return true
	}
	no, _ := claim.Contradict(c.st, older) // plainly another value, in words of their own
	return no && (c.lasting() || c.factual())
}

// informs reports whether a candidate may change what memory says: it states a rule or a fact, or tells of a change, and not only what
// happened.
func (c candidate) informs() bool {
	if c.worth.Report && !(c.st.Changed && c.gives()) {
		return false
	}
	return c.lasting() || c.factual() || c.st.Changed || c.st.Ended || c.remarks() || c.terse()
}

// succeeds reports whether a candidate that most likely replaces an entry may do so: it was meant to, or tells of a change. What happened
// one day is no reason to give up a rule.
func (c candidate) succeeds(h *held) bool {
	if h.byHand() && c.worth.Report && len(c.tags) == 0 {
		return false
	}
	if h.row || h.hand && slices.ContainsFunc(h.said().Subject.Names, func(w string) bool { return !slices.Contains(claim.Terms(c.text), w) }) {
		return false // a name would be lost
	}
	return len(c.tags) > 0 || c.st.Changed && (ruling(c.worth.Form) || !ruling(claim.WorthOf(h.said().Text, h.day).Form))
}

// measures reports whether a candidate gives another value of a kind that differs from day to day.
func (c candidate) measures(h *held) bool {
	cs := claim.Conflicts(c.st, h.said())
	return len(cs) > 0 && !steady(cs[0].New) && cs[0].New.Kind != claim.Date
}

// revises reports whether a candidate that tells of a change gives a value that an older statement does not: it is no repetition of it.
func (c candidate) revises(older claim.Statement) bool {
	return c.st.Changed && slices.ContainsFunc(c.st.Claims, func(x claim.Claim) bool {
		return x.Kind != claim.State && !x.Past && !x.Passing && !older.Gives(x)
	})
}

// corrects reports whether a candidate that is not worth promoting still shows that an entry is out of date: it contradicts a value
// of a kind that does not vary from day to day, as measurements do. Hand-written lines and rules need more than that.
func (c candidate) corrects(h *held) bool {
	if h.byHand() || !c.remarks() {
		return false
	}
	cs := claim.Conflicts(c.st, h.said())
	no, _ := claim.Contradict(c.st, h.said())
	form := claim.WorthOf(h.said().Text, h.day).Form
	return no && len(cs) > 0 && steady(cs[0].Old) && steady(cs[0].New) && cs[0].Close() && !ruling(form) && form != "trait"
}

// restates reports whether a candidate begins with the same words as an entry and gives a new value for the only one of its kind:
// "members 447" after "members: 438". Measurements do not count: they differ every day.
func (c candidate) restates(h *held) bool {
	if len(c.tags) > 0 || c.worth.Report || c.worth.Passing != "" || c.task != note.NoTask {
		return false
	}
	cs := claim.Conflicts(c.st, h.said())
	if len(cs) != 1 || len(cs[0].New.Theme) == 0 || !slices.Equal(cs[0].New.Theme, cs[0].Old.Theme) || !cs[0].Close() {
		return false
	}
	kind := cs[0].New.Kind
	return cs[0].Old.Kind == kind && (steady(cs[0].New) || kind == claim.Duration || kind == claim.Clock)
}

// terse reports an entry that begins with a few words and gives a value, which may update another one.
func (c candidate) terse() bool {
	first := c.text
	if list := claim.Sentences(c.text); len(list) > 0 {
		first = list[0]
	}
	return len([]rune(first)) <= tersest && c.gives() && c.task == note.NoTask
}

// tersest is how many characters the first sentence of such an entry has at the most.
const tersest = 60

// remarks reports whether an entry says in passing how things are.
func (c candidate) remarks() bool { return c.worth.Fact && c.gives() && c.task == note.NoTask }

// steady reports a value of a sort that is set and not measured.
func steady(x claim.Claim) bool {
	switch x.Kind {
	case claim.Money, claim.Phone, claim.Address, claim.Path, claim.Port, claim.Weekday, claim.Name, claim.Number:
		return true
	case claim.Count:
		return !strings.HasPrefix(x.Attr, "in ") && !strings.HasPrefix(x.Attr, "per ") && x.Attr != "times"
	}
	return false
}

// gives reports whether a candidate names a value that holds now.
func (c candidate) gives() bool {
	return slices.ContainsFunc(c.st.Claims, func(x claim.Claim) bool { return x.Kind != claim.State && !x.Past && !x.Passing && !x.Plan })
}

func (c candidate) normal() string { return note.Normal(c.text) }

// ref is how a curator cites the entry.
func (c candidate) ref() string {
	return vault.VersionOf(append([]byte(c.path+"\x00"), c.raw...)).Short()
}

func (c candidate) source(target vault.Path, entry string) plan.Source {
	s := plan.Source{Entry: entry, Target: target, Path: c.path, Line: c.line, Hash: vault.VersionOf(c.raw)}
	if was := c.normal(); was != entry {
		s.Was = was
	}
	return s
}

// reading is a file that curation reads, with what of it is to be decided.
type reading struct {
	doc     vault.Doc
	done    extents // consumed before
	all     extents // what this reading takes in, decided or not worth deciding
	pending []candidate
	plain   []candidate // entries without a tag, of which few are worth it
	unread  []int       // lines with a tag that are no entry
}

// readings are the daily logs and the buffer as far as they were not consumed, oldest first.
func (in view) readings() []reading {
	var out []reading
	receipts := in.receiptsOf()
	for _, log := range in.Logs() {
		if log.Day > in.Today() {
			continue // its day will come
		}
		if r, ok := in.read(log, receipts[log.Path]); ok {
			out = append(out, r)
		}
	}
	if r, ok := in.readBuffer(); ok {
		out = append(out, r)
	}
	return out
}

// read looks for entries of a log. Once a log is as old as daily.mine_after only its
// decisions and lessons are worth the while.
func (in view) read(log Log, receipts []plan.Receipt) (reading, bool) {
	r := reading{doc: log.Doc, done: consumed(log.Doc, receipts)}
	if len(log.Data) == 0 || r.done.covers(0, len(log.Data)) {
		return r, false
	}
	end := len(log.Data)
	if log.Day == in.Today() {
		end = wholeLines(log.Data)
	}
	r.all = r.all.add(extent{0, end})
	old := policy.DailyMineAfter.Of(in.Policy)
	mining := old > 0 && in.Today().Sub(log.Day) >= days(old)
	d := in.Parse(log.Doc)
	for _, e := range d.Entries(log.Day) {
		switch {
		case e.End > end || r.done.covers(e.Start, e.End), e.Expired(in.Today()):
		case len(e.Tags) == 0:
			r.plain = append(r.plain, in.candidate(log.Doc, e, heading(d, e)))
		case mining && !e.Has("decision") && !e.Has("lesson"):
		default:
			r.pending = append(r.pending, in.candidate(log.Doc, e, heading(d, e)))
		}
	}
	if log.Day < in.Today() { // today's is still being written
		r.pending = append(r.pending, closing(log, d, r.done)...)
	}
	return r, true
}

// readBuffer looks for entries of the working buffer. One that is written ahead of
// every reply is the agent's own record of its task: its entries are promoted like
// others, but it is not consumed; rotation takes it in.
func (in view) readBuffer() (reading, bool) {
	doc := in.File(in.Sole(layout.Buffer))
	b := note.ParseBuffer(doc.Data, in.Now.Location())
	r := reading{doc: doc, done: consumed(doc, in.Facts.Receipts)}
	end := len(doc.Data)
	if !in.LeftBehind(doc, b) {
		end = wholeLines(doc.Data)
	}
	if b.Empty() || r.done.covers(b.Body, end) {
		return r, false
	}
	if policy.BufferExpect.Of(in.Policy) == policy.BufferEmpty {
		r.all = r.all.add(extent{b.Body, end})
	}
	d := in.Parse(doc)
	for _, e := range d.Entries(in.Today()) {
		switch {
		case e.Start < b.Body || e.End > end || r.done.covers(e.Start, e.End), e.Expired(in.Today()):
		case len(e.Tags) == 0:
			r.plain = append(r.plain, in.candidate(doc, e, ""))
		default:
			r.pending = append(r.pending, in.candidate(doc, e, ""))
		}
	}
	return r, true
}

// LeftBehind reports whether nobody works with a buffer any more. One without a heartbeat is as old as
// its file.
func (in Input) LeftBehind(doc vault.Doc, b note.Buffer) bool {
	limit := policy.BufferStale.Of(in.Policy).Std()
	last := b.LastActive
	if last.IsZero() {
		last = doc.ModTime
	}
	return limit > 0 && !last.IsZero() && in.Now.Sub(last) > limit
}

func (in view) candidate(doc vault.Doc, e note.Entry, title string) candidate {
	day := e.Day
	if day == 0 || day > in.Today() {
		day = in.Today()
	}
	c := candidate{
		fact: fact{text: statementOf(e), tags: e.Tags, day: day}, raw: e.Raw, path: doc.Path, line: e.Line, start: e.Start, end: e.End, task: e.Task,
	}
	return c.read(title).essence(title, in.scarce())
}

// essence is a candidate with only the sentences that last. Of one that is not worth keeping as a whole, a part may be: what
// follows a few words of no matter, or one sentence that is a rule. Where characters are scarce, of a rule only its sentence is kept. An entry with a tag is kept whole.
func (c candidate) essence(title string, scarce bool) candidate {
	if len(c.tags) > 0 || c.worth.Passing != "" {
		return c
	}
	part := func(text string) candidate {
		short := c
		short.text = text
		if text == "" || text == c.text {
			return c
		}
		return short.read(title)
	}
	text, passing := claim.Essence(c.text, c.day)
	if rule := part(claim.Rule(c.text, c.day)); scarce && rule.lasting() {
		return rule
	}
	if c.lasting() || c.factual() {
		short := part(text)
		if passing {
			short.worth.Passing = "what it refers to holds for a few days"
		}
		if passing || short.lasting() || short.factual() {
			return short
		}
		return c
	}
	if rule := part(claim.Rule(c.text, c.day)); rule.lasting() {
		return rule
	}
	if short := part(text); !passing && short.worth.Passing == "" && short.factual() && short.worth.Score >= 3 && short.st.Changed {
		return short
	}
	if short := part(claim.AfterLead(c.text)); short.worth.Passing == "" && (short.lasting() || short.factual() && short.worth.Score >= 3 && short.st.Changed) {
		return short
	}
	return c
}

// read weighs a candidate's words.
func (c candidate) read(title string) candidate {
	c.text = claim.Plain(c.text)
	c.st = claim.ReadUnder(c.text, title, c.day)
	c.st.Agreed = c.st.Agreed || c.has("decision")
	c.worth = claim.WorthOf(c.text, c.day)
	c.text = claim.Resolve(c.text, c.day)
	if until := c.worth.Until; until != 0 && c.worth.Passing == "" && !strings.Contains(c.text, until.String()) {
		c.text += " (until " + until.String() + ")"
	}
	return c
}

// longest is how many characters of an entry are promoted: its statement. The rest is in the log of its day.
const longest = 300

// statementOf is what of an entry is worth promoting: its own first sentences. What hangs below it stays in its log.
func statementOf(e note.Entry) string {
	whole := strings.TrimSpace(e.Text())
	own := firstLines(whole, e.Bullet)
	if i := nestedAt().FindStringIndex(own); i != nil {
		own = strings.TrimSpace(own[:i[0]])
	}
	if bare := strings.HasSuffix(own, ":") || len(strings.Fields(own)) < 4; bare && len([]rune(whole)) <= longest && strings.Count(whole, "\n") < 4 && !strings.Contains(whole, "```") {
		return whole // its words are in what hangs below it
	}
	return claim.Shorten(joined(own), longest-20)
}

// firstLines leaves out unindented lines below an entry that do not continue its sentence: agents write one thought per line, with
// and without bullets.
func firstLines(text string, bullet bool) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines[1:] {
		before := strings.TrimSpace(lines[i])
		whole := before != "" && strings.ContainsAny(before[len(before)-1:], ".!?\"") || lastTag().MatchString(before)
		if line != "" && strings.TrimLeft(line, " \t") == line && (whole || bullet && len(before) < wrapped) {
			return strings.Join(lines[:i+1], "\n")
		}
	}
	return text
}

// wrapped is how long a line is at least that an editor broke.
const wrapped = 72

var lastTag = expr(`(?:^|\s)#\pL[\pL\d_-]*$`)

// nestedAt finds where what hangs below an entry begins: a bullet, a fence, a blank line.
var nestedAt = expr("\n[ \t]*(?:[-*+] |\\d+[.)] |```|\r?\n)")

// closing are what the closure block of a log names as decided and learned.
func closing(log Log, d *note.Doc, done extents) []candidate {
	c, ok := d.Closure()
	if !ok || done.covers(c.Start, c.End) {
		return nil
	}
	var out []candidate
	lines := bytes.SplitAfter(log.Data[c.Start:c.End], []byte("\n"))
	at := c.Start
	for i, line := range lines {
		value, tag := "", ""
		switch i {
		case 1:
			value, tag = c.Decisions, "decision"
		case 2:
			value, tag = c.Signal, "lesson"
		}
		for part := range strings.SplitSeq(value, ";") {
			part = strings.TrimSpace(part)
			if part == "" || strings.EqualFold(part, "none") || part == "-" {
				continue
			}
			out = append(out, candidate{
				fact: fact{text: part, tags: []string{tag}, day: log.Day}, raw: line, path: log.Path, line: c.Line + i,
				start: at, end: at + len(line),
			}.read(""))
		}
		at += len(line)
	}
	return out
}

// wholeLines is the length of a text up to its last newline: a line that is still being
// written is not read yet.
func wholeLines(text []byte) int { return bytes.LastIndexByte(text, '\n') + 1 }

// days are the whole days of a duration.
func days(d policy.Duration) int { return int(d / policy.Day) }

// Unpromoted reports whether a log holds a tagged entry that curation should have promoted.
func Unpromoted(in Input, log Log) bool {
	v := view{in}
	read := consumed(log.Doc, v.Facts.Receipts)
	return slices.ContainsFunc(in.Parse(log.Doc).Entries(log.Day), func(e note.Entry) bool {
		return len(e.Tags) > 0 && !read.covers(e.Start, e.End) && v.candidate(log.Doc, e, "").lasting()
	})
}

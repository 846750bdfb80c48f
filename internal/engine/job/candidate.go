package job

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// candidate is an entry of a log or of the buffer that its writer marked as lasting, whole: with its nested lines, and with
// its headings as its subject.
type candidate struct {
	text       string // its words with nested lines, without bullet, tags and time
	subject    string // the headings it stands under, "" if they say nothing
	tags       []string
	sure       bool   // it carries a tag or label of the protocol; otherwise a person decides
	marked     string // what else marks it
	said       string // who said it where, in an imported session: only a person may promote it
	day        note.Day
	raw        []byte
	path       vault.Path
	line       int
	start, end int
}

func (c candidate) has(tag string) bool { return slices.Contains(c.tags, tag) }

// decided reports a decision or a lesson that carries its tag.
func (c candidate) decided() bool { return c.sure && (c.has("decision") || c.has("lesson")) }

func (c candidate) normal() string { return note.Normal(c.text) }

// source records where an entry of a file came from.
func (c candidate) source(target vault.Path, entry string) plan.Source {
	s := plan.Source{Entry: entry, Target: target, Path: c.path, Line: c.line, Hash: vault.VersionOf(c.raw)}
	if was := c.normal(); was != entry {
		s.Was = was
	}
	return s
}

// reading is a file that curation reads, with what of it is to be decided.
type reading struct {
	doc    vault.Doc
	done   extents // consumed before
	all    extents // what this reading takes in
	marked []candidate
}

// readings are the daily logs and the buffer as far as they were not consumed, newest first: what is recent matters most,
// and a first night meets years of logs.
func (in view) readings() []reading {
	var out []reading
	if r, ok := in.readBuffer(); ok {
		out = append(out, r)
	}
	receipts := in.receiptsOf()
	for _, log := range slices.Backward(in.Logs()) {
		if in.Stopped() {
			break
		}
		if log.Day > in.Today() {
			continue // its day will come
		}
		if r, ok := in.read(log, receipts[log.Path]); ok {
			out = append(out, r)
		}
	}
	return out
}

// read looks for candidates in a log. Once a log is as old as daily.mine_after only what carries a tag for a decision or a
// lesson counts.
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
	if note.SortOf(string(log.Path), log.Data) != note.Notes {
		return r, true // a transcript or a machine's report has no entries
	}
	old := policy.DailyMineAfter.Of(in.Policy)
	mining := old > 0 && in.Today().Sub(log.Day) >= days(old)
	d := in.collect(&r, extent{0, end}, log.Day, func(c candidate) bool { return !mining || c.decided() })
	if log.Day < in.Today() { // today's is still being written
		r.marked = append(r.marked, closing(log, d, r.done)...)
	}
	return r, true
}

// collect adds the candidates in a part of a text that were not consumed and that are wanted.
func (in view) collect(r *reading, part extent, day note.Day, wanted func(candidate) bool) *note.Doc {
	d := in.Parse(r.doc)
	for _, u := range in.units(d, day) {
		if u.Start < part.from || u.End > part.to || r.done.covers(u.Start, u.End) {
			continue
		}
		if c, marked := in.candidate(r.doc, d, u); marked && wanted(c) {
			r.marked = append(r.marked, c)
		}
	}
	return d
}

// readBuffer looks for candidates in the working buffer. One that is written ahead of every reply is the agent's own
// record of its task: it is read, but not consumed; rotation takes it in.
func (in view) readBuffer() (reading, bool) {
	doc := in.File(in.Sole(layout.Buffer))
	b := note.ParseBuffer(doc.Data, in.Now.Location())
	r := reading{doc: doc, done: consumed(doc, in.Facts.Receipts)}
	end := len(doc.Data)
	if !in.LeftBehind(doc, b) {
		end = wholeLines(doc.Data)
	}
	if !in.ours(b) || b.Empty() || r.done.covers(b.Body, end) {
		return r, false
	}
	if policy.BufferExpect.Of(in.Policy) == policy.BufferEmpty {
		r.all = r.all.add(extent{b.Body, end})
	}
	in.collect(&r, extent{b.Body, end}, in.Today(), func(candidate) bool { return true })
	return r, true
}

// ours reports whether a buffer may be emptied by jobs: it has Tend's head, or the operator chose the protocol that says
// so. Any other file of that name, such as a template with instructions, is left alone.
func (in Input) ours(b note.Buffer) bool {
	return b.Ours || policy.Protocol.Of(in.Policy) != policy.ProtocolNone
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

// unit is a block of a text, or an entry inside one that carries a tag of its own.
type unit struct {
	note.Block
	text string
	tags []string // that the entry itself carries
}

// units are what may become candidates, in order. A tag belongs to the entry that carries it; everything else is read in
// blocks, so that nothing is torn from its label, list or table. A tag that is only a label is one like others, unless the
// agent follows a protocol.
func (in view) units(d *note.Doc, day note.Day) []unit {
	var out []unit
	all := d.Entries(day)
	for _, b := range d.Blocks(day) {
		for len(all) > 0 && all[0].Start < b.Start {
			all = all[1:]
		}
		tagged := false
		for _, e := range all {
			if e.Start >= b.End {
				break
			}
			if len(e.Tags) == 0 || !in.agreed(e) {
				continue
			}
			tagged = true
			if e.Start == b.Start && strings.TrimSpace(e.Text()) == "" { // a tag as the label of a list
				out = append(out, unit{b, b.Text(), e.Tags})
				break
			}
			if !e.Expired(in.Today()) {
				of := note.Block{Raw: e.Raw, Start: e.Start, End: e.End, Line: e.Line, Section: e.Section, Task: e.Task, Day: e.Day}
				out = append(out, unit{of, e.Text(), e.Tags})
			}
		}
		if !tagged && !b.Residue {
			out = append(out, unit{b, b.Text(), nil})
		}
	}
	return out
}

// candidate reads a unit, and reports whether its writer marked it as lasting.
func (in view) candidate(doc vault.Doc, d *note.Doc, u unit) (candidate, bool) {
	c := candidate{
		text: strings.TrimSpace(u.text), subject: subjectOf(d, u.Section), day: u.Day, raw: u.Raw,
		path: doc.Path, line: u.Line, start: u.Start, end: u.End,
	}
	if c.day == 0 || c.day > in.Today() {
		c.day = in.Today()
	}
	if len(u.tags) > 0 {
		c.tags, c.sure = u.tags, true
		return c, len(terms(c.normal())) >= fewestTagged
	}
	m, by := markOf(d, u)
	c.marked = by
	if m == preferenceMark {
		c.tags = []string{"human"}
	}
	return c, m != unmarked && wholeStatement(u)
}

// agreed reports whether a tag asks for promotion: one in brackets or with a hash always does. A label such as "Lesson:" is
// ordinary writing unless the agent follows a protocol.
func (in view) agreed(e note.Entry) bool {
	if policy.Protocol.Of(in.Policy) != policy.ProtocolNone {
		return true
	}
	raw := strings.ToLower(string(e.Raw))
	return slices.ContainsFunc(e.Tags, func(tag string) bool {
		i := strings.Index(raw, tag)
		return i > 0 && strings.ContainsRune("[#,/|", lastSign(raw[:i]))
	})
}

// lastSign is the last character of a text that is no blank.
func lastSign(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, " "))
	return r
}

// markOf says what announces a unit: its own label, the word it begins with, or a heading for rules right above it. Nothing
// counts below a heading for the day's work, nor for what begins with a time: that is an event. So is a decision or a lesson
// without a tag: what follows from it for later days is written as a rule. Below "Preferences" stands what was noticed that day.
func markOf(d *note.Doc, u unit) (m mark, by string) {
	for s := u.Section; s >= 0; s = d.Sections[s].Parent {
		if d.Sections[s].Level > 1 && announces(d.Sections[s].Title) == passingMark {
			return unmarked, ""
		}
	}
	m, by = announces(u.Label), "its label"
	switch {
	case beginsWithTime(u.Raw):
		return unmarked, ""
	case m == unmarked && commands(u.text):
		m, by = imperative, "its first word"
	case u.Label == "" && u.Section >= 0 && announces(d.Sections[u.Section].Title) == ruleMark:
		m, by = ruleMark, "the heading above it"
	}
	if m == decisionMark || m == lessonMark || m == passingMark {
		return unmarked, ""
	}
	return m, by + " marks it"
}

// beginsWithTime reports an entry that says when something happened.
func beginsWithTime(raw []byte) bool {
	at := clockTime().FindIndex(bytes.TrimLeft(raw, " \t-*+>`~"))
	return at != nil && at[0] == 0
}

// The size of an entry that is promoted without a tag: a few words are a fragment, and a long text is a story.
const (
	fewestTagged  = 3 // with a tag: "Decision: approved" is a field of a record
	fewestTerms   = 4
	mostRunes     = 600
	mostLines     = 12
	statusSymbols = "✅✔☑❌✗✘⏳🔄🚧⬜"
)

// wholeStatement reports whether a unit can stand alone: it is no task, status, fragment, caption, table or code.
func wholeStatement(u unit) bool {
	text := strings.TrimSpace(u.text)
	prose := u.Kind != note.TableBlock && u.Kind != note.CodeBlock && u.Task == note.NoTask
	if !prose || strings.ContainsAny(text, statusSymbols) || strings.Contains(text, "```") || italic(text) {
		return false
	}
	brief := utf8.RuneCountInString(text) <= mostRunes && strings.Count(text, "\n") < mostLines
	return brief && len(terms(note.Normal(text))) >= fewestTerms && !layout.Stock(text)
}

// italic reports a text that is wholly in italics, as the caption or the last line of a report.
func italic(text string) bool {
	mark, end := text[:min(1, len(text))], len(text)-1
	return len(text) > 2 && (mark == "*" || mark == "_") && text[1:2] != mark && text[end:] == mark
}

// subjectOf joins the headings above an entry that say what it is about: not the file's title, dates and times, nor those
// that only announce a lasting sort of entry.
func subjectOf(d *note.Doc, section int) string {
	var parts []string
	for s := section; s >= 0; s = d.Sections[s].Parent {
		title := strings.TrimSpace(clockTime().ReplaceAllString(d.Sections[s].Title, ""))
		says := !announces(title).lasting() && nameLike(title) && !partOfDay(title)
		own := strings.HasPrefix(title, bufferHeading) || title == CheckpointHeading || strings.HasPrefix(title, CheckpointHeading+" (")
		if says && !own && (d.Sections[s].Level > 1 || turns(title)) {
			parts = append(parts, title)
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, " › ")
}

// clockTime is a time of day in a heading: at its start, also as a span, at its end, or anywhere in brackets.
var clockTime = expr(`^[~\[(]*` + clockSpan + `[\])]*[\s:：—–-]*|` +
	`\s*[\[(（][^\])）]*\d{1,2}[:：]\d{2}[^\])）]*[\])）]|\s[~—–@-]*\s*` + clockSpan + `$`)

const clockSpan = `\d{1,2}[:：]\d{2}(?:\s*[-–~]\s*\d{1,2}[:：]\d{2})?(?:\s*(?:AM|PM|am|pm|[A-Z]{2,5}\b))?`

// nameLike reports whether a title has words besides a date and a time.
func nameLike(title string) bool {
	letters := 0
	for word := range strings.FieldsSeq(note.Normal(title)) {
		if strings.IndexFunc(word, unicode.IsDigit) < 0 {
			letters += utf8.RuneCountInString(word)
		}
	}
	return letters >= 2
}

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
				text: part, tags: []string{tag}, sure: true, day: log.Day, raw: line, path: log.Path, line: c.Line + i, start: at, end: at + len(line),
			})
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

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
	sure       bool // it carries a tag or label of the protocol; otherwise a person decides
	day        note.Day
	raw        []byte
	path       vault.Path
	line       int
	start, end int
}

func (c candidate) has(tag string) bool { return slices.Contains(c.tags, tag) }

func (c candidate) normal() string { return note.Normal(c.text) }

// ref is how a curator cites the entry.
func (c candidate) ref() string {
	return vault.VersionOf(append([]byte(c.path+"\x00"), c.raw...)).Short()
}

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
	plain  []candidate // the rest, which only a curator may pick
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
		if in.stopped() {
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
	d := in.Parse(log.Doc)
	for _, u := range in.units(d, log.Day) {
		if u.End > end || r.done.covers(u.Start, u.End) {
			continue
		}
		c, marked := in.candidate(log.Doc, d, u)
		switch {
		case mining && !(c.sure && (c.has("decision") || c.has("lesson"))):
		case marked:
			r.marked = append(r.marked, c)
		default:
			r.plain = append(r.plain, c)
		}
	}
	if log.Day < in.Today() { // today's is still being written
		r.marked = append(r.marked, closing(log, d, r.done)...)
	}
	return r, true
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
	d := in.Parse(doc)
	for _, u := range in.units(d, in.Today()) {
		if u.Start < b.Body || u.End > end || r.done.covers(u.Start, u.End) {
			continue
		}
		if c, marked := in.candidate(doc, d, u); marked {
			r.marked = append(r.marked, c)
		} else {
			r.plain = append(r.plain, c)
		}
	}
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
// blocks, so that nothing is torn from its label, list or table.
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
			if len(e.Tags) == 0 {
				continue
			}
			tagged = true
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
		text: strings.TrimSpace(u.text), subject: subjectOf(d, u.Section), day: u.Day, raw: u.Raw, path: doc.Path, line: u.Line, start: u.Start, end: u.End,
	}
	if c.day == 0 || c.day > in.Today() {
		c.day = in.Today()
	}
	if len(u.tags) > 0 {
		c.tags, c.sure = u.tags, in.agreed(u)
		return c, len(terms(c.normal())) >= fewestTagged
	}
	m := markOf(d, u)
	if tag := m.tag(); tag != "" {
		c.tags = []string{tag}
	}
	return c, m != unmarked && m != passingMark && wholeStatement(u)
}

// agreed reports whether a tag asks for promotion: one in brackets or with a hash always does. A label such as "Lesson:" is
// ordinary writing unless the agent follows a protocol.
func (in view) agreed(u unit) bool {
	if policy.Protocol.Of(in.Policy) != policy.ProtocolNone {
		return true
	}
	raw := strings.ToLower(string(u.Raw))
	return slices.ContainsFunc(u.tags, func(tag string) bool {
		i := strings.Index(raw, tag)
		return i > 0 && strings.ContainsRune("[#,/|", lastSign(raw[:i]))
	})
}

// lastSign is the last character of a text that is no blank.
func lastSign(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, " "))
	return r
}

// markOf says what announces a unit: its own label, the word it begins with, or the nearest heading that announces
// anything. Below a heading for the day's work only its own label counts.
func markOf(d *note.Doc, u unit) mark {
	if m := announces(u.Label); m != unmarked {
		return m
	}
	if u.Label != "" { // a field of a record, whatever the heading above it
		if commands(u.text) {
			return imperative
		}
		return unmarked
	}
	under := unmarked
	for s := u.Section; s >= 0 && under == unmarked; s = d.Sections[s].Parent {
		under = announces(d.Sections[s].Title)
	}
	if under == unmarked && commands(u.text) {
		return imperative
	}
	return under
}

// The size of an entry that is promoted without a tag: a few words are a fragment, and a long text is a story.
const (
	fewestTagged  = 3 // with a tag: "Decision: approved" is a field of a record
	fewestTerms   = 4
	mostRunes     = 600
	mostLines     = 12
	statusSymbols = "✅✔☑❌✗✘⏳🔄🚧⬜"
)

// wholeStatement reports whether a unit can stand alone: it is no task, status, fragment, table or code.
func wholeStatement(u unit) bool {
	text := strings.TrimSpace(u.text)
	prose := u.Kind != note.TableBlock && u.Kind != note.CodeBlock && u.Task == note.NoTask
	brief := utf8.RuneCountInString(text) <= mostRunes && strings.Count(text, "\n") < mostLines
	return prose && brief && !strings.ContainsAny(text, statusSymbols) && !strings.Contains(text, "```") && len(terms(note.Normal(text))) >= fewestTerms && !layout.Stock(text)
}

// subjectOf joins the headings above an entry that say what it is about: not the file's title, dates and times, nor those
// that only announce a sort of entry.
func subjectOf(d *note.Doc, section int) string {
	var parts []string
	for s := section; s >= 0; s = d.Sections[s].Parent {
		title := strings.TrimSpace(clockTime().ReplaceAllString(d.Sections[s].Title, ""))
		if d.Sections[s].Level > 1 && !strings.HasPrefix(title, bufferHeading) && announces(title) == unmarked && nameLike(title) {
			parts = append(parts, title)
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, " › ")
}

// clockTime is a time of day in a heading: at its start, also as a span, or anywhere in brackets.
var clockTime = expr(`^[~\[(]*\d{1,2}[:：]\d{2}(?:\s*[-–~]\s*\d{1,2}[:：]\d{2})?(?:\s*(?:AM|PM|am|pm|[A-Z]{2,5}\b))?[\])]*[\s:：—–-]*|\s*[\[(（][^\])）]*\d{1,2}[:：]\d{2}[^\])）]*[\])）]`)

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

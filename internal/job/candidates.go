package job

import (
	"bytes"
	"slices"
	"strings"

	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// candidate is a tagged entry that no job has taken in yet.
type candidate struct {
	fact
	raw        []byte
	path       vault.Path
	line       int
	start, end int
	day        note.Day
	task       note.Task
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
	plain   []candidate // entries without a tag: a curator may see something in them, the rules do not
}

// readings are the daily logs and the buffer as far as they were not consumed: today's
// log first, then older ones.
func (in Input) readings() []reading {
	var out []reading
	logs := in.Logs()
	for _, log := range slices.Backward(logs) {
		if log.Day > in.Today() {
			continue // its day will come
		}
		if r, ok := in.read(log); ok {
			out = append(out, r)
		}
	}
	if r, ok := in.readBuffer(); ok {
		at := 0
		for at < len(out) && in.Layout.Path(layout.Daily, in.Today().String()) == string(out[at].doc.Path) {
			at++
		}
		out = slices.Insert(out, at, r)
	}
	return out
}

// read looks for entries of a log. Once a log is as old as daily.mine_after only its
// decisions and lessons are worth the while.
func (in Input) read(log Log) (reading, bool) {
	r := reading{doc: log.Doc, done: in.consumed(log.Doc)}
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
			r.plain = append(r.plain, in.candidate(log.Doc, e))
		case mining && !e.Has("decision") && !e.Has("lesson"):
		default:
			r.pending = append(r.pending, in.candidate(log.Doc, e))
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
func (in Input) readBuffer() (reading, bool) {
	doc := in.File(in.Sole(layout.Buffer))
	b := note.ParseBuffer(doc.Data, in.Now.Location())
	r := reading{doc: doc, done: in.consumed(doc)}
	end := len(doc.Data)
	if !in.leftBehind(doc, b) {
		end = wholeLines(doc.Data)
	}
	if b.Empty() || r.done.covers(b.Body, end) {
		return r, false
	}
	if policy.BufferExpect.Of(in.Policy) == policy.BufferEmpty {
		r.all = r.all.add(extent{b.Body, end})
	}
	for _, e := range in.Parse(doc).Entries(in.Today()) {
		switch {
		case e.Start < b.Body || e.End > end || r.done.covers(e.Start, e.End), e.Expired(in.Today()):
		case len(e.Tags) == 0:
			r.plain = append(r.plain, in.candidate(doc, e))
		default:
			r.pending = append(r.pending, in.candidate(doc, e))
		}
	}
	return r, true
}

// leftBehind reports whether nobody works with a buffer any more. One without a heartbeat is as old as
// its file.
func (in Input) leftBehind(doc vault.Doc, b note.Buffer) bool {
	limit := policy.BufferStale.Of(in.Policy).Std()
	last := b.LastActive
	if last.IsZero() {
		last = doc.ModTime
	}
	return limit > 0 && !last.IsZero() && in.Now.Sub(last) > limit
}

func (in Input) candidate(doc vault.Doc, e note.Entry) candidate {
	return candidate{
		fact: fact{text: e.Text(), tags: e.Tags}, raw: e.Raw, path: doc.Path, line: e.Line,
		start: e.Start, end: e.End, day: e.Day, task: e.Task,
	}
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
				fact: fact{text: part, tags: []string{tag}}, raw: line, path: log.Path, line: c.Line + i,
				start: at, end: at + len(line), day: log.Day,
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

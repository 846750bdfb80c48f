package job

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/curator"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
	"tend/internal/text/session"
)

// Requests lists what a curator is to be asked: the unread log in parts that fit its window, the newest first. Every unread
// entry is in exactly one of them. Without an unread log a page that the harness cuts is a request of its own.
//
// Each is built when it is asked for: a long log makes many of them, and few are used.
func Requests(in Input) iter.Seq[curator.Request] {
	return func(yield func(curator.Request) bool) {
		v := view{in}
		base := v.request(curator.Night, nil)
		logs := v.parts(base)
		if len(logs) == 0 && slices.ContainsFunc(base.Pages, curator.Page.Over) {
			base.Task = curator.Shrink
			logs = append(logs, nil)
		}
		for i, log := range logs {
			r := base
			r.Log, r.Part, r.Parts = log, i+1, len(logs)
			v.suggest(&r)
			r.Seal()
			if in.Stopped() || !yield(r) {
				return
			}
		}
	}
}

// parts are the logs of all requests. A page that alone fills the window leaves the log an eighth of it.
func (in view) parts(base curator.Request) (out [][]curator.Entry) {
	all := in.unread()
	window := policy.CuratorWindow.Of(in.Policy)
	room := max(window-session.EstimateTokens(base.Text()), window/8)
	for len(all) > 0 {
		n := part(all, room)
		out = append(out, all[len(all)-n:])
		all = all[:len(all)-n]
	}
	return out
}

// RequestFor builds the request with a key again; ok is false if what it showed has changed since. Entries that were added
// to the log meanwhile do not matter.
func RequestFor(in Input, key string) (curator.Request, bool) {
	v := view{in}
	first, last, ok := curator.Span(key)
	if !ok {
		r := v.request(curator.Shrink, nil)
		v.suggest(&r)
		r.Seal()
		return r, r.Key == key
	}
	all := v.unread()
	from := slices.IndexFunc(all, func(e curator.Entry) bool { return e.ID == first })
	to := slices.IndexFunc(all, func(e curator.Entry) bool { return e.ID == last })
	if from < 0 || to < from {
		return curator.Request{}, false
	}
	r := v.request(curator.Night, all[from:to+1])
	v.suggest(&r)
	r.Seal()
	return r, r.Key == key
}

// CompareRequest asks for contradictions between the long-term files; ok is false if there are fewer than two.
func CompareRequest(in Input) (curator.Request, bool) {
	v := view{in}
	r := v.request(curator.Compare, nil)
	r.Pages, r.Brief = nil, 0
	next, room := 1, policy.CuratorWindow.Of(in.Policy)
	for _, doc := range in.WithRoles(longTerm()...) {
		room -= session.EstimateTokens(string(doc.Data))
		if len(doc.Data) == 0 || room < 0 {
			continue
		}
		p := v.page(doc, next)
		next += len(p.Lines)
		r.Pages = append(r.Pages, p)
	}
	r.Seal()
	return r, len(r.Pages) > 1
}

// part is how many of the last entries fit: whole days if one does.
func part(all []curator.Entry, room int) int {
	n, whole := 0, 0
	for n < len(all) {
		e := all[len(all)-1-n]
		room -= session.EstimateTokens(e.Text) + 8
		if room < 0 && n > 0 {
			break
		}
		n++
		if n == len(all) || all[len(all)-1-n].File != e.File {
			whole = n
		}
	}
	if whole > 0 {
		return whole
	}
	return n
}

// request is a request without suggestions.
func (in view) request(task curator.Task, log []curator.Entry) curator.Request {
	r := curator.Request{Agent: in.Agent, Date: in.Today().String(), Task: task, Part: 1, Parts: 1, Log: log,
		OwnWords: policy.CuratorMay.Of(in.Policy) != policy.CuratorExtract}
	if hot := in.Sole(layout.Hot); hot != "" {
		r.Pages = []curator.Page{in.page(in.File(hot), 1)}
	}
	r.Brief = in.brief(r)
	return r
}

// brief is how much of each line of memory is shown: the page may take half of the window.
func (in view) brief(r curator.Request) int {
	r.Log = nil
	for _, r.Brief = range [...]int{0, 200, 80, 30} {
		if session.EstimateTokens(r.Text()) <= policy.CuratorWindow.Of(in.Policy)/2 {
			return r.Brief
		}
	}
	return -1
}

// page is a file of long-term memory as a curator sees it.
func (in view) page(doc vault.Doc, first int) curator.Page {
	at := homes{in}
	p := curator.NewPage(string(doc.Path), in.Parse(doc), first, in.author, in.Owned(doc))
	p.Size, p.Limit = at.count(doc.Data), at.harnessLimit(doc.Path)
	if p.Unit = "characters"; in.Layout.Show.Unit == layout.Bytes {
		p.Unit = curator.Bytes
	}
	if r, ok := in.Facts.Audit.Recorded[doc.Path]; ok && r.Holds(doc.Data) {
		p.Excluded = "OpenClaw loads this file only while its agent alone writes it: the agent should make the change with its own tool"
	}
	if !in.open(doc.Path) {
		p.Excluded = "only the operator and the agent write to this file"
	}
	if p.Over() {
		p.Sections = in.sizes(doc, p)
	}
	return p
}

// author is who wrote an entry, as far as the ledger knows.
func (in view) author(e note.Entry) curator.Author {
	switch {
	case in.wrote(e):
		return curator.ByTend
	case in.Facts.ByAgent[MarkOf(e.Normal())]:
		return curator.ByAgent
	}
	return curator.Unknown
}

// sizes lists the sections of a page that is too long, and marks what the harness does not load.
func (in view) sizes(doc vault.Doc, p curator.Page) []curator.Section {
	first := p.Lines[0].ID
	seen := loadview.Inject(in.Layout, []loadview.File{{Name: string(doc.Path), Data: doc.Data}}, loadview.Options{})
	var lost []loadview.Span
	if f, ok := seen.File(string(doc.Path)); ok {
		lost = f.Lines
	}
	for _, x := range lost {
		for n := x.From; n <= min(x.To, len(p.Lines)); n++ {
			p.Lines[n-1].Unseen = true
		}
	}
	text := in.Parse(doc)
	var out []curator.Section
	for i, s := range text.Sections {
		title := i == 0 && s.Level == 1 && s.End == len(text.Text) // of the whole file
		if s.Level > 3 || title {
			continue
		}
		last := s.Line + note.Lines(text.Text[s.Start:s.End]) - 1
		out = append(out, curator.Section{
			Line: first + s.Line - 1, Size: homes{in}.count(text.Text[s.Start:s.End]),
			Unseen: slices.ContainsFunc(lost, func(x loadview.Span) bool { return x.From <= last && s.Line <= x.To }),
		})
	}
	return out
}

// unread lists the entries of the logs and the buffer that no answer was read for, oldest first. Transcripts are offered
// too; what a harness writes about itself is not.
func (in view) unread() []curator.Entry {
	var out []curator.Entry
	receipts := in.receiptsOf()
	add := func(doc vault.Doc, day note.Day, from, end int) {
		done := consumed(doc, receipts[doc.Path])
		text := in.Parse(doc)
		var lines []string
		var heads *note.Doc
		for _, b := range text.Blocks(day) {
			if b.Start < from || b.End > end || b.Residue || done.covers(b.Start, b.End) {
				continue
			}
			if lines == nil {
				lines = curator.Masked(doc.Data)
				heads = headings(text, lines)
			}
			raw := strings.TrimRight(strings.Join(lines[b.Line-1:b.Line-1+note.Lines(b.Raw)], "\n"), " \t\r\n")
			if n := len(out) - 1; n >= 0 && out[n].File == string(doc.Path) && out[n].End == b.Start && wraps(out[n].Text, b) {
				out[n].Text, out[n].End = out[n].Text+"\n"+raw, b.End
				out[n].Hash = string(vault.VersionOf(doc.Data[out[n].Start:b.End]))
				continue
			}
			out = append(out, curator.Entry{
				ID: "e" + strconv.Itoa(len(out)+1), Day: day.String(), File: string(doc.Path), Line: b.Line, Tags: b.Tags,
				Path: titles(heads, b.Section), Subject: topicOf(heads, b), Text: raw, Start: b.Start, End: b.End,
				Hash: string(vault.VersionOf(b.Raw)),
			})
		}
	}
	for _, log := range in.Logs() {
		if in.Stopped() {
			return nil
		}
		if sort := note.SortOf(string(log.Path), log.Data); log.Day > in.Today() || sort == note.Residue || sort == note.Unreadable {
			continue
		}
		end := len(log.Data)
		if log.Day == in.Today() {
			end = wholeLines(log.Data)
		}
		add(log.Doc, log.Day, 0, end)
	}
	doc := in.File(in.Sole(layout.Buffer))
	if b := note.ParseBuffer(doc.Data, in.Now.Location()); in.ours(b) && !b.Empty() {
		add(doc, in.Today(), b.Body, wholeLines(doc.Data))
	}
	return out
}

// wraps reports a line of text that continues the one above it: "We agreed never to" and "restart it by hand" are one
// statement, whichever of them is quoted.
func wraps(before string, b note.Block) bool {
	switch b.Kind {
	case note.ParagraphBlock:
		return curator.Continues(before, string(b.Raw))
	case note.BulletBlock:
		return curator.Leads(before)
	}
	return false
}

// topicOf is what an entry is about, by the headings above it. A heading with a time names an event of the day; a whole
// statement below it stands for itself.
func topicOf(d *note.Doc, b note.Block) string {
	timed := b.Section >= 0 && clockTime().MatchString(d.Sections[b.Section].Title) && !turns(d.Sections[b.Section].Title)
	if timed && len(terms(note.Normal(b.Text()))) >= wholeTerms {
		return ""
	}
	return subjectOf(d, b.Section)
}

// wholeTerms is how many words a statement has that needs no heading to be understood.
const wholeTerms = 8

// titles are the headings above a section's text, without a title that is only the day's date.
func titles(d *note.Doc, section int) []string {
	path := d.HeadingPath(section)
	if len(path) > 0 && !nameLike(path[0]) {
		path = path[1:]
	}
	return path
}

// suggest adds what Tend noticed.
func (in view) suggest(r *curator.Request) {
	var marked, newer []string
	memory := in.standing()
	at := homes{in}
	picked := in.marked(r.Log)
	for _, e := range r.Log {
		c, ok := picked[e.ID]
		if !ok {
			continue
		}
		if c.sure {
			marked = append(marked, e.ID)
		}
		if old, _ := memory.versionOf(in.Sole(layout.Hot), at.written(c), c.day); old != nil && len(r.Pages) > 0 {
			if n := lineOf(r.Pages[0], old.text); n > 0 {
				newer = append(newer, fmt.Sprintf("%s may be a newer version of line %d", e.ID, n))
			}
		}
	}
	if len(marked) > 0 {
		r.Suggestions = append(r.Suggestions, "Marked as lasting by their writer: "+strings.Join(marked, ", ")+
			`. Tend keeps them unless you {"op":"skip","from":["…"]}.`)
	}
	if len(newer) > 0 {
		r.Suggestions = append(r.Suggestions, strings.Join(newer, "; ")+".")
	}
	for _, p := range r.Pages {
		if most := int(policy.SizeFlagAt.Of(in.Policy) * float64(p.Limit)); p.Limit > 0 && p.Size > most && r.Task == curator.Night {
			room := fmt.Sprintf("has room for %d %s more", p.Limit-p.Size, p.Unit)
			if p.Over() {
				room = fmt.Sprintf("is %d %s over what the harness loads", p.Size-p.Limit, p.Unit)
			}
			r.Suggestions = append(r.Suggestions, fmt.Sprintf("%s %s. "+
				`{"op":"move","lines":[40],"to":"memory/history.md"} takes lines, or the section of a heading, off it.`, p.File, room))
		}
		if most := policy.HotMaxLines.Of(in.Policy); most > 0 && most < len(p.Lines) && p.File == string(in.Sole(layout.Hot)) {
			r.Suggestions = append(r.Suggestions, fmt.Sprintf("%s should have %s and has %d.", p.File, textfmt.Count(most, "line"), len(p.Lines)))
		}
	}
}

// marked are the candidates of the rules without a model among some entries of a log, by the entry's id.
func (in view) marked(log []curator.Entry) map[string]candidate {
	out := map[string]candidate{}
	for len(log) > 0 {
		n := 1
		for n < len(log) && log[n].File == log[0].File {
			n++
		}
		doc := in.File(vault.Path(log[0].File))
		day, _ := note.ParseDay(log[0].Day)
		d, units := in.Parse(doc), in.units(in.Parse(doc), day)
		for _, e := range log[:n] {
			for len(units) > 0 && units[0].Start < e.Start {
				units = units[1:]
			}
			for ; len(units) > 0 && units[0].End <= e.End; units = units[1:] {
				c, ok := in.candidate(doc, d, units[0])
				if _, has := out[e.ID]; ok && (!has || c.sure) {
					out[e.ID] = c
				}
			}
		}
		log = log[n:]
	}
	return out
}

// headings are the sections of a text without the secrets in their titles; shown are its lines without them.
func headings(d *note.Doc, shown []string) *note.Doc {
	out := &note.Doc{Sections: slices.Clone(d.Sections)}
	for i, s := range out.Sections {
		if raw := strings.TrimRight(string(d.Text[s.Start:s.Body]), "\n"); shown[s.Line-1] != raw {
			out.Sections[i].Title = strings.TrimLeft(shown[s.Line-1], "# \t")
		}
	}
	return out
}

// lineOf finds the line of a page that an entry begins with.
func lineOf(p curator.Page, entry string) int {
	first, _, _ := strings.Cut(entry, "\n")
	for _, l := range p.Lines {
		if l.Text == first {
			return l.ID
		}
	}
	return 0
}

// Unanswered is the job of receipts for entries that a curator was asked about in vain. They are not consumed by that.
const Unanswered = "unanswered"

// mostFailures is how many nights entries are offered in vain before the rules without a model decide.
const mostFailures = 3

// failures counts the nights in which a curator was asked about an entry in vain.
func (in view) failures(e curator.Entry) int {
	n := 0
	for _, r := range in.Facts.Unanswered {
		if string(r.Path) == e.File && r.From <= e.Start && e.End <= r.To {
			n++
		}
	}
	return n
}

// GivenUp reports whether a request was made in vain so often that it is not made again.
func GivenUp(in Input, r curator.Request) bool {
	v := view{in}
	return len(r.Log) > 0 && !slices.ContainsFunc(r.Log, func(e curator.Entry) bool { return v.failures(e) < mostFailures })
}

// answered are receipts for the entries of a request, as far as the files still have them.
func (in view) answered(job string, r curator.Request) []plan.Receipt {
	var out []plan.Receipt
	finders := map[vault.Path]*finder{}
	for _, e := range r.Log {
		doc := in.File(vault.Path(e.File))
		if finders[doc.Path] == nil {
			finders[doc.Path] = &finder{text: doc.Data}
		}
		rc := plan.Receipt{Job: job, Path: doc.Path, From: e.Start, To: e.End, Hash: vault.Version(e.Hash)}
		if x, ok := finders[doc.Path].locate(rc); ok {
			out = append(out, receipts(job, doc, extents{x})...)
		}
	}
	return out
}

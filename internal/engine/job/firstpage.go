package job

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/state/plan"
	"tend/internal/text/note"
	"tend/internal/text/transcript"
)

// ImportJob is the name of an import of past sessions, in plans and receipts. The receipt of a session says until when it was
// heard, in milliseconds; the one below it where reading its file goes on.
const (
	ImportJob       = "import"
	SessionReceipts = "sessions/"
)

// FirstPage proposes what users said in imported sessions and marked as lasting, the newest first. Nothing is promoted
// without a person: not everyone who talks to an agent is its operator.
func FirstPage(in Input) plan.Plan {
	d := newDraft(in, ImportJob)
	p := d.promotion(ImportJob, mostWaiting)
	imported := map[string]bool{}
	for _, r := range in.Facts.Receipts {
		if r.Job == ImportJob && strings.HasPrefix(string(r.Path), SessionReceipts) {
			imported[path.Base(string(r.Path))] = true
		}
	}
	for _, log := range slices.Backward(in.Logs()) {
		if p.room <= 0 || in.Stopped() || len(imported) == 0 {
			break
		}
		for _, l := range slices.Backward(transcript.Lines(log.Data)) {
			if l.User && imported[transcript.Key(l.Session)] && p.room > 0 {
				p.offer(log, l)
			}
		}
	}
	if d.pl.Summary = p.summary(); d.pl.Summary == "" {
		d.pl.Summary = "nothing that users marked to keep"
	}
	return d.plan()
}

// offer proposes what is marked in a statement.
func (p *promotion) offer(log Log, l transcript.Line) {
	doc := vault.Doc{Path: log.Path, Data: []byte(l.Text)}
	d := p.Syntax(log.Path).Parse(doc.Data)
	for _, u := range p.units(d, log.Day) {
		c, marked := p.candidate(doc, d, u)
		text := strings.TrimSpace(c.text)
		asks := strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
		if !marked || asks || strings.HasSuffix(text, "…") {
			continue
		}
		c.said = fmt.Sprintf("the user said it at %s on %s in session %s", l.Clock, log.Day, transcript.Short(l.Session))
		if c.marked != "" {
			c.said += "; " + c.marked
		}
		c.raw, c.line, c.start, c.end = log.Data[l.From:l.To], l.Line, l.From, l.To
		if bytes.Count(c.raw, []byte("\n")) > 1 {
			c.line += note.Lines(doc.Data[:u.Start])
		}
		p.counts[p.choose(c, []candidate{c})]++
	}
}

package job

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// Rotate moves the body of a buffer that is over its limit, or was left behind, into
// today's log before its closure block, and begins the buffer anew.
func Rotate(in Input) plan.Plan {
	d := newDraft(in, "rotate")
	d.pl.Summary = d.rotate()
	return d.plan()
}

func (d *draft) rotate() string {
	half, rest := d.takeHalfRotated(), d.rotateBuffer()
	if half == "" {
		return rest
	}
	return half + "; " + rest
}

// rotateBuffer does both in one plan, the log first: an action that is cut off between the two
// leaves a receipt, and then the bytes are only cut, not moved again.
func (d *draft) rotateBuffer() string {
	path := d.Sole(layout.Buffer)
	cut := d.cutBuffer("rotate", "rotate")
	doc := d.File(path)
	b := note.ParseBuffer(doc.Data, d.Now.Location())
	why := d.full(doc, b)
	log := vault.Path(d.Layout.Path(layout.Daily, d.Today().String()))
	switch {
	case why == "" && cut != "":
		return cut
	case doc.Version == vault.Absent || b.Empty():
		return "the buffer is empty"
	case why == "":
		return "the buffer is within its limits"
	case log == "":
		return fmt.Sprintf("%s, but the layout has no daily log to take it", why)
	case d.atWork(doc, b):
		return fmt.Sprintf("%s, but the agent is writing in it: waits for %s of quiet", why, quietBuffer)
	}
	active, mark := d.Now, ""
	if d.leftBehind(doc, b) {
		mark = "[RECOVERED: STALE]"
		if !b.LastActive.IsZero() {
			active = b.LastActive // nobody has worked with it since
		}
	}
	d.addTo(log, rotated(d.Input, mark, b), "take in the working buffer")
	x := extents{{b.Body, len(doc.Data)}}
	d.consume(receipts("rotate", doc, x)...)
	for _, r := range d.Facts.Receipts { // what curation had read is no longer there to be cut
		if y, ok := locate(doc.Data, r); r.Path == path && r.Job != "rotate" && ok && x.covers(y.from, y.to) {
			d.pl.Receipts = append(d.pl.Receipts, plan.Receipt{Job: "rotate", Path: path, From: r.From, To: r.To, Hash: r.Hash})
		}
	}
	d.set(path, []byte(note.NewBuffer(d.Now, active)), "start an empty buffer")
	return fmt.Sprintf("%s: %s moved to %s", why, several(note.Lines(bytes.TrimSpace(b.Notes())), "line"), log)
}

// quietBuffer is for how long nobody may have written in a buffer before it is rotated.
const quietBuffer = 15 * time.Minute

// atWork reports whether a buffer is in use right now and not far over its limits, so that its rotation can wait.
func (in Input) atWork(doc vault.Doc, b note.Buffer) bool {
	last := b.LastActive
	if doc.ModTime.After(last) {
		last = doc.ModTime
	}
	quiet := in.Now.Sub(last)
	return !last.IsZero() && quiet >= 0 && quiet < quietBuffer && !beyond(note.Lines(doc.Data), policy.BufferMaxLines.Of(in.Policy)) &&
		!beyond(b.Active(), policy.BufferMaxActive.Of(in.Policy))
}

// beyond reports a number far over its limit.
func beyond(n, most int) bool { return most > 0 && n > 2*most }

// full says why a buffer is to be rotated, "" if it is not.
func (in Input) full(doc vault.Doc, b note.Buffer) string {
	if b.Empty() {
		return ""
	}
	if most := policy.BufferMaxLines.Of(in.Policy); most > 0 && note.Lines(doc.Data) > most {
		return fmt.Sprintf("%d lines of at most %d", note.Lines(doc.Data), most)
	}
	if most := policy.BufferMaxActive.Of(in.Policy); most > 0 && b.Active() > most {
		return fmt.Sprintf("%d active bullets of at most %d", b.Active(), most)
	}
	if in.leftBehind(doc, b) {
		return "left behind"
	}
	return ""
}

// rotated is a buffer's body under a heading that says where it comes from.
func rotated(in Input, mark string, b note.Buffer) string {
	head := strings.TrimSpace("## " + in.Now.Format("15:04") + " Working buffer " + mark)
	body := strings.Trim(string(b.Notes()), "\r\n")
	return head + "\n\n" + body + openFence(body)
}

// addTo adds lines to a daily log, before the closure block that ends it. A log that is
// not there is begun.
func (d *draft) addTo(log vault.Path, text, why string) {
	doc := d.File(log)
	if doc.Version == vault.Absent {
		d.set(log, []byte(d.begin(layout.Daily, d.Today().String())+text+"\n"+d.Input.closing(d.Today())), why)
		return
	}
	d.edit(log, why, d.readable(d.Parse(doc), text))
}

// openFence closes the code fence that a text leaves open, for it would swallow all
// that follows.
func openFence(text string) string {
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		run := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		if run == "" {
			run = line[:len(line)-len(strings.TrimLeft(line, "~"))]
		}
		switch {
		case len(run) < 3:
		case fence == "":
			fence = run
		case run[0] == fence[0] && len(run) >= len(fence) && run == line:
			fence = ""
		}
	}
	if fence == "" {
		return ""
	}
	return "\n" + fence
}

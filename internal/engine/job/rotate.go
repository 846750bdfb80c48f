package job

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Rotate moves the body of a buffer that is over its limit, or was left behind, into
// today's log before its closure block, and starts an empty buffer.
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

// rotateBuffer does both in one plan, the log first: an action that is interrupted between
// the two leaves a receipt, and then the bytes are only cut, not moved again.
func (d *draft) rotateBuffer() string {
	path := d.Sole(layout.Buffer)
	cut := d.cutBuffer("rotate", "rotate")
	doc := d.File(path)
	b := note.ParseBuffer(doc.Data, d.Now.Location())
	why := d.full(doc, b)
	log := d.Sole(layout.Daily)
	switch {
	case why == "" && cut != "":
		return cut
	case doc.Version == vault.Absent || b.Empty():
		return "the buffer is empty"
	case !d.ours(b):
		return fmt.Sprintf("%s is not in Tend's format; it is left alone", path)
	case why == "":
		return "the buffer is within its limits"
	case log == "":
		return fmt.Sprintf("%s, but the layout has no daily log to take it", why)
	case d.atWork(doc, b):
		return fmt.Sprintf("%s, but the agent is writing in it: waits for %s of quiet", why, quietBuffer)
	}
	active, mark := d.Now, ""
	if d.LeftBehind(doc, b) {
		mark = "[RECOVERED: STALE]"
		if !b.LastActive.IsZero() {
			active = b.LastActive // unused since then
		}
	}
	d.addTo(log, rotated(d.Input, mark, b), "take in the working buffer")
	x := extents{{b.Body, len(doc.Data)}}
	d.consume(receipts("rotate", doc, x)...)
	find := finder{text: doc.Data}
	for _, r := range d.Facts.Receipts { // what curation has read is gone and need not be cut
		if r.Path != path || r.Job == "rotate" {
			continue
		}
		if y, ok := find.locate(r); ok && x.covers(y.from, y.to) {
			d.pl.Receipts = append(d.pl.Receipts, plan.Receipt{Job: "rotate", Path: path, From: r.From, To: r.To, Hash: r.Hash})
		}
	}
	d.set(path, []byte(note.NewBuffer(d.Now, active)), "start an empty buffer")
	return fmt.Sprintf("%s: %s moved to %s", why, several(note.Lines(bytes.TrimSpace(b.Notes())), "line"), log)
}

// quietBuffer is how long a buffer must be unchanged before it is rotated.
const quietBuffer = 15 * time.Minute

// atWork reports whether a buffer is in use right now and not far over its limits, so that its rotation can wait.
func (in view) atWork(doc vault.Doc, b note.Buffer) bool {
	last := b.LastActive
	if doc.ModTime.After(last) {
		last = doc.ModTime
	}
	quiet := in.Now.Sub(last)
	return !last.IsZero() && quiet >= 0 && quiet < quietBuffer && !beyond(note.Lines(doc.Data), policy.BufferMaxLines.Of(in.Policy)) &&
		!beyond(b.Active(), policy.BufferMaxActive.Of(in.Policy))
}

// beyond reports a number far above its limit.
func beyond(n, most int) bool { return most > 0 && n > 2*most }

// full says why a buffer must be rotated, "" if it need not.
func (in view) full(doc vault.Doc, b note.Buffer) string {
	if b.Empty() {
		return ""
	}
	if most := policy.BufferMaxLines.Of(in.Policy); most > 0 && note.Lines(doc.Data) > most {
		return fmt.Sprintf("%d lines of at most %d", note.Lines(doc.Data), most)
	}
	if most := policy.BufferMaxActive.Of(in.Policy); most > 0 && b.Active() > most {
		return fmt.Sprintf("%d active bullets of at most %d", b.Active(), most)
	}
	if in.LeftBehind(doc, b) {
		return "left behind"
	}
	return ""
}

// bufferHeading is the heading of a buffer that was moved into a log.
const bufferHeading = "Working buffer"

// CheckpointHeading is the heading of a checkpoint in a log.
const CheckpointHeading = "Checkpoint"

// rotated returns a buffer's body under a heading that names its source.
func rotated(in Input, mark string, b note.Buffer) string {
	head := strings.TrimSpace("## " + in.Now.Format("15:04") + " " + bufferHeading + " " + mark)
	body := strings.Trim(string(b.Notes()), "\r\n")
	return head + "\n\n" + body + openFence(body)
}

// addTo adds lines to a daily log, before the closure block that ends it. It creates a
// missing log.
func (d *draft) addTo(log vault.Path, text, why string) {
	doc := d.File(log)
	if doc.Version == vault.Absent {
		d.set(log, []byte(BeginFile(d.Input, layout.Daily, d.Today().String())+text+"\n"+ClosingBlock(d.Input, d.Today())), why)
		return
	}
	d.edit(log, why, Readable(d.Parse(doc), text))
}

// openFence returns the end of a code fence that a text leaves open, which would include
// all that follows.
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

// Others lists the files other than markdown that jobs read: a list of tasks, and what another tool's rotation left.
func Others(l layout.Layout) []vault.Path {
	out := HalfRotated(l)
	if p := l.Path(layout.Tasks, ""); path.Ext(p) == ".json" {
		out = append(out, vault.Path(p))
	}
	return out
}

// HalfRotated lists the names under which other tools leave a buffer whose rotation they did not finish.
func HalfRotated(l layout.Layout) []vault.Path {
	var out []vault.Path
	for _, p := range l.Paths(layout.Buffer, "") {
		out = append(out, vault.Path(p+".pending"), vault.Path(p+".rotating"))
	}
	return out
}

// takeHalfRotated moves what another tool's rotation left behind into today's log, once that
// tool is surely done with it. A file that does not begin like a buffer stays for a person to
// check; text that a log already has is not written again.
func (d *draft) takeHalfRotated() string {
	log := d.Sole(layout.Daily)
	n := 0
	for _, p := range HalfRotated(d.Layout) {
		doc := d.File(p)
		b := note.ParseBuffer(doc.Data, d.Now.Location())
		if log == "" || doc.Version == vault.Absent || !b.Valid || d.Now.Sub(doc.ModTime) < policy.BufferStale.Of(d.Policy).Std() {
			continue
		}
		body := bytes.TrimSpace(b.Notes())
		logged := slices.ContainsFunc(d.Logs(), func(l Log) bool { return bytes.Contains(l.Data, body) })
		if len(body) > 0 && !logged {
			d.addTo(log, rotated(d.Input, "[RECOVERED: PENDING]", b), "take in a buffer whose rotation was interrupted")
		}
		d.remove(p, "its text is in the log")
		n++
	}
	if n == 0 {
		return ""
	}
	return several(n, "half-done rotation") + " taken in"
}

// cutBuffer cuts from the buffer exactly the bytes that receipts cover, whatever was added
// since. What curation has read is archived; what rotation has moved is in the day's log. The
// receipts are written again, which closes them: the same bytes written once more are then
// new. With only, the receipts of other jobs are left alone.
func (d *draft) cutBuffer(job string, only ...string) string {
	doc := d.File(d.Sole(layout.Buffer))
	body := note.ParseBuffer(doc.Data, d.Now.Location()).Body
	var cut, read extents
	var used []plan.Receipt
	find := finder{text: doc.Data}
	for _, r := range d.Facts.Receipts {
		if r.Path != doc.Path || r.From >= r.To || len(only) > 0 && !slices.Contains(only, r.Job) {
			continue
		}
		x, ok := find.locate(r)
		if !ok || x.from < body {
			continue
		}
		cut = cut.add(x)
		if r.Job != "rotate" {
			read = read.add(x)
		}
		used = append(used, plan.Receipt{Job: job, Path: r.Path, From: r.From, To: r.To, Hash: r.Hash})
	}
	if len(cut) == 0 {
		return ""
	}
	var edits []note.Edit
	size := 0
	for _, x := range cut {
		edits = append(edits, note.Edit{At: x.from, Cut: x.to - x.from})
		size += x.to - x.from
	}
	for _, x := range read {
		if len(bytes.TrimSpace(doc.Data[x.from:x.to])) > 0 {
			d.pl.Archives = append(d.pl.Archives, plan.Archive{
				File: doc.Path, Kind: "buffer", Text: doc.Data[x.from:x.to], Why: "Read by curation, then cut from the buffer.",
			})
		}
	}
	if !d.edit(doc.Path, "cut what was read", edits...) {
		return ""
	}
	d.pl.Receipts = append(d.pl.Receipts, used...)
	where := "they are in the day's log"
	if len(read) > 0 {
		where = "curation has read them, the archive keeps them"
	}
	return fmt.Sprintf("%s cut by %d bytes: %s", doc.Path, size, where)
}

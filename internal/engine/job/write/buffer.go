package write

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// BufferAdd writes entries to the working buffer and refreshes its heartbeat. With a task they
// go under that task's heading. Entries also have their date, because a buffer may outlive its
// day before it is taken in.
func BufferAdd(in job.Input, w Request, task string) (plan.Plan, error) {
	pl := plan.Plan{Job: "buffer"}
	kept, err := w.prepare(in, layout.Buffer, &pl)
	if err != nil {
		return pl, err
	}
	doc, path := kept.doc, kept.doc.Path
	var lines []string
	for _, piece := range pieces(in, kept.text) {
		lines = append(lines, entryLine(in, path, in.Now.Format(textfmt.Minute), kept.tags, piece))
	}
	after, err := buffered(in, doc, strings.Join(lines, "\n"), task)
	if err != nil {
		return pl, err
	}
	pl.Changes = []plan.Change{{
		Path: path, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: after, Why: "keep it until it is taken in",
	}}
	pl.Summary = fmt.Sprintf("%s: %s added", path, textfmt.Count(len(lines), "entry"))
	pl.Findings = append(pl.Findings, bufferFull(in, path, after)...)
	return pl, nil
}

// buffered returns the buffer with lines added at its end and a new heartbeat.
func buffered(in job.Input, doc vault.Doc, lines, task string) ([]byte, error) {
	text := doc.Data
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte(note.NewBuffer(in.Now, in.Now))
	}
	d := in.Syntax(doc.Path).Parse(text)
	if task = strings.Join(strings.Fields(task), " "); task != "" {
		heading := "Active Task: " + task
		if s, ok := d.Section(heading); ok {
			return beating(in, text, d.AppendTo(s, lines))
		}
		lines = "## " + heading + "\n" + lines
	}
	return beating(in, text, job.Readable(d, lines))
}

// beating applies an edit together with the heartbeat.
func beating(in job.Input, text []byte, e note.Edit) ([]byte, error) {
	return note.Apply(text, []note.Edit{note.ParseBuffer(text, in.Now.Location()).Heartbeat(in.Now), e})
}

// bufferFull reports a buffer that should be rotated.
func bufferFull(in job.Input, path vault.Path, text []byte) []finding.Finding {
	if why := OverBuffer(in, text); why != "" {
		return []finding.Finding{finding.BufferFull.In(string(path), "%s", why)}
	}
	return nil
}

// OverBuffer says which of the buffer's limits is exceeded, "" if none is.
func OverBuffer(in job.Input, text []byte) string {
	lines, most := note.Lines(text), policy.BufferMaxLines.Of(in.Policy)
	active, mostActive := note.ParseBuffer(text, in.Now.Location()).Active(), policy.BufferMaxActive.Of(in.Policy)
	switch {
	case most > 0 && lines > most:
		return fmt.Sprintf("%d lines, the limit is %d", lines, most)
	case mostActive > 0 && active > mostActive:
		return fmt.Sprintf("%d active items, the limit is %d", active, mostActive)
	}
	return ""
}

// BufferClear empties the buffer and archives its text.
func BufferClear(in job.Input) (plan.Plan, error) {
	pl := plan.Plan{Job: "buffer"}
	path, err := RoleFile(in, layout.Buffer)
	if err != nil {
		return pl, err
	}
	doc := in.File(path)
	b := note.ParseBuffer(doc.Data, in.Now.Location())
	if b.Empty() {
		pl.Summary = fmt.Sprintf("%s is empty already", path)
		return pl, nil
	}
	pl.Archives = []plan.Archive{{File: path, Kind: "buffer", Text: b.Notes(), Why: "The buffer was cleared."}}
	pl.Changes = []plan.Change{{
		Path: path, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: []byte(note.NewBuffer(in.Now, in.Now)), Why: "clear the buffer",
	}}
	pl.Summary = fmt.Sprintf("%s: %s archived", path, textfmt.Count(note.Lines(bytes.TrimSpace(b.Notes())), "line"))
	return pl, nil
}

// BufferState is a summary of the buffer.
type BufferState struct {
	File       vault.Path `json:"file"`
	Lines      int        `json:"lines"`
	MaxLines   int        `json:"max_lines,omitempty"`
	Active     int        `json:"active"`
	Empty      bool       `json:"empty"`
	Stale      bool       `json:"stale"`
	LastActive *time.Time `json:"last_active,omitempty"`
	Text       string     `json:"text"`
}

// Buffer returns the state of the buffer.
func Buffer(in job.Input) (BufferState, error) {
	path, err := RoleFile(in, layout.Buffer)
	if err != nil {
		return BufferState{}, err
	}
	doc := in.File(path)
	b := note.ParseBuffer(doc.Data, in.Now.Location())
	s := BufferState{
		File: path, Lines: note.Lines(doc.Data), MaxLines: policy.BufferMaxLines.Of(in.Policy), Active: b.Active(),
		Empty: b.Empty(), Stale: !b.Empty() && in.LeftBehind(doc, b), Text: string(doc.Data),
	}
	if !b.LastActive.IsZero() {
		s.LastActive = &b.LastActive
	}
	return s, nil
}

// SessionWrite replaces the session state, with the current time in its head.
func SessionWrite(in job.Input, w Request) (plan.Plan, error) {
	pl := plan.Plan{Job: "session"}
	kept, err := w.prepare(in, layout.Session, &pl)
	if err != nil {
		return pl, err
	}
	doc, path := kept.doc, kept.doc.Path
	after, err := sessionText(in, kept.text)
	if err != nil {
		return pl, err
	}
	pl.Changes = []plan.Change{{
		Path: path, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: after, Why: "the session's state as it is now",
	}}
	pl.Summary = fmt.Sprintf("%s: %d lines", path, note.Lines(after))
	return pl, nil
}

// sessionText adds the head of a session state to a text: a title, and last_updated.
func sessionText(in job.Input, text string) ([]byte, error) {
	d := in.Syntax(in.Sole(layout.Session)).Parse([]byte(text))
	titled := false
	for _, b := range d.Parts {
		if b.Kind != note.Blank && b.Kind != note.FrontMatterBlock {
			titled = b.Kind == note.Heading && b.Level == 1
			break
		}
	}
	if !titled {
		text = "# Session State\n\n" + text
	}
	return touched(in, []byte(text+"\n"))
}

// touched sets last_updated to now.
func touched(in job.Input, text []byte) ([]byte, error) {
	return note.Apply(text, []note.Edit{in.Syntax(in.Sole(layout.Session)).Parse(text).
		SetHeader("last_updated", in.Now.Format(time.RFC3339), false)})
}

// sessionNoted returns the session state with a checkpoint, under the time at which it was taken. Those before it stay, and
// so does the time at which the agent wrote its state: a checkpoint is not a newer state.
func sessionNoted(in job.Input, doc vault.Doc, text string) ([]byte, error) {
	const title = "Checkpoint"
	text = "### " + in.Now.Format(textfmt.Minute) + "\n" + text
	if doc.Version == vault.Absent {
		return sessionText(in, "## "+title+"\n\n"+text)
	}
	d := in.Parse(doc)
	e := job.Readable(d, "## "+title+"\n\n"+text)
	if s, ok := d.Section(title); ok {
		e = d.AppendTo(s, text)
	}
	return note.Apply(doc.Data, []note.Edit{e})
}

package job

import (
	"fmt"
	"strings"
	"time"

	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/vault"
)

// SessionWrite puts a new session state in the place of the old one, with the time it was
// written in its head.
func SessionWrite(in Input, w Writing) (plan.Plan, error) {
	pl := plan.Plan{Job: "session"}
	path, err := in.Place(layout.Session)
	if err != nil {
		return pl, err
	}
	text, err := w.clean(in.Policy)
	if err != nil {
		return pl, err
	}
	seen, err := screen(in, path, text, nil, w.Allow)
	if err != nil {
		return pl, err
	}
	pl.Findings, pl.Reason = seen.findings, seen.reason()
	doc := in.File(path)
	after, err := in.sessionText(text)
	if err != nil {
		return pl, err
	}
	pl.Changes = []plan.Change{{
		Path: path, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: after, Why: "the session's state as it is now",
	}}
	pl.Summary = fmt.Sprintf("%s: %d lines", path, note.Lines(after))
	return pl, nil
}

// sessionText gives a text the head of a session state: a title, and last_updated.
func (in Input) sessionText(text string) ([]byte, error) {
	d := in.Syntax(in.Sole(layout.Session)).Parse([]byte(text))
	titled := false
	for _, b := range d.Blocks {
		if b.Kind != note.Blank && b.Kind != note.FrontMatterBlock {
			titled = b.Kind == note.Heading && b.Level == 1
			break
		}
	}
	if !titled {
		text = "# Session State\n\n" + text
	}
	return in.touched([]byte(text + "\n"))
}

// touched sets last_updated to now.
func (in Input) touched(text []byte) ([]byte, error) {
	return note.Apply(text, []note.Edit{in.Syntax(in.Sole(layout.Session)).Parse(text).SetHeader("last_updated", in.Now.Format(time.RFC3339), false)})
}

// sessionNoted is the session state with a checkpoint in it. The one before is replaced: the
// day's log has them all.
func (in Input) sessionNoted(doc vault.Doc, text string) ([]byte, error) {
	const title = "Checkpoint"
	if doc.Version == vault.Absent {
		return in.sessionText("## " + title + "\n\n" + text)
	}
	d := in.Parse(doc)
	e := in.readable(d, "## "+title+"\n\n"+text)
	if s, ok := d.Section(title); ok {
		nl := note.Newline(doc.Data)
		body := strings.ReplaceAll(strings.Trim(text, "\n"), "\n", nl)
		if s.End < len(doc.Data) {
			body += nl
		}
		e = note.Edit{At: s.Body, Cut: s.End - s.Body, Text: nl + body + nl}
	}
	after, err := note.Apply(doc.Data, []note.Edit{e})
	if err != nil {
		return nil, err
	}
	return in.touched(after)
}

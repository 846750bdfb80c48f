package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/session/seen"
)

// sessionFile is a file in the JSON of a session.
type sessionFile struct {
	seen.File
	Unseen []loadview.Span `json:"unseen,omitempty"` // lines with text that were not in the request
}

// shownSession is a session in JSON.
type shownSession struct {
	seen.Session
	Files []sessionFile `json:"files"`
}

// previewSession shows which lines of memory the first request of a past session had.
func previewSession(ctx context.Context, pr *printer, ag *fleet.Agent, id string) error {
	sessions, err := past.Open(ag).Sessions(ctx)
	if err != nil {
		return err
	}
	s, ok := findSession(sessions, id)
	if !ok {
		return usererr.Usagef(sessionHint(sessions), "no session %s of %s is known", id, ag.Name)
	}
	out := shownSession{Session: s, Files: []sessionFile{}}
	loss := false
	for _, f := range s.Files {
		unseen := f.Unseen()
		loss = loss || len(unseen) > 0 || f.Why == seen.Unknown
		out.Files = append(out.Files, sessionFile{f, unseen})
	}
	return errors.Join(pr.emit(out, func() { printSession(pr, out) }), oneIf(loss))
}

// findSession finds the newest session with an id, or one whose id begins like it.
func findSession(sessions []seen.Session, id string) (found seen.Session, ok bool) {
	for _, s := range sessions {
		if id == "last" || strings.HasPrefix(s.ID, id) && (found.ID != id || s.ID == id) {
			found, ok = s, true
		}
	}
	return found, ok
}

// sessionHint says which sessions are known.
func sessionHint(sessions []seen.Session) string {
	const few = 5
	if len(sessions) == 0 {
		return "`tend connect HARNESS` records sessions from now on"
	}
	var ids []string
	for i := len(sessions) - 1; i >= 0 && len(ids) < few; i-- {
		ids = append(ids, textfmt.InLine(sessions[i].ID))
	}
	return "the newest are " + strings.Join(ids, ", ")
}

func printSession(pr *printer, s shownSession) {
	how := "recorded by Tend's hook"
	if s.Source == seen.Transcript {
		how = "from the harness's records"
	}
	pr.printf("%s\n\n", pr.wrapped(fmt.Sprintf("Session %s of %s, %s, %s: what the first request had", textfmt.InLine(s.ID),
		s.At.Format(textfmt.Minute), s.Layout, how), "  "))
	var rows [][]cell
	for _, f := range s.Files {
		text, st := "whole", green
		switch {
		case f.Why == seen.Unknown:
			text, st = "not known: the text at that time was not recorded", yellow
		case len(f.Unseen) > 0:
			text, st = fmt.Sprintf("%s: lines %s", f.Why, loadview.Lines(f.Unseen)), red
		}
		rows = append(rows, []cell{{f.Path, bold}, {fmt.Sprint(f.Lines), ""}, {fmt.Sprint(f.Lines - spanLines(f.Unseen)), ""},
			{fmt.Sprint(spanLines(f.Given)), dim}, {text, st}})
	}
	pr.table([]string{"file", "lines", "seen", "given by Tend", "not seen"}, rows)
}

// spanLines counts the lines of spans.
func spanLines(spans []loadview.Span) (n int) {
	for _, s := range spans {
		n += s.To - s.From + 1
	}
	return n
}

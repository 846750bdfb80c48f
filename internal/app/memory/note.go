package memory

import (
	"context"
	"errors"
	"strings"

	"tend/internal/app/memory/toolerr"
	"tend/internal/engine/job"
	"tend/internal/engine/job/write"
	"tend/internal/state/plan"
)

// NoteRequest is a note to save.
type NoteRequest struct {
	Text string   `json:"text"`
	Tags []string `json:"tags,omitempty"`
	If   string   `json:"if_version,omitempty" rare:"yes"` // of today's log
}

// Note adds a tagged entry to today's log, unless one of the last entries says the same.
func (w *Writer) Note(ctx context.Context, r NoteRequest) (Receipt, error) {
	if strings.TrimSpace(r.Text) == "" {
		return Receipt{}, w.fail("note", "write", "", toolerr.New(toolerr.BadInput, "The note is empty."))
	}
	p := w.agent.Files.Log()
	rec, err := w.save(ctx, edit{
		call: "note", file: p, seen: r.If, scanned: true,
		plan: func(in job.Input) (plan.Plan, error) {
			return write.Note(in, write.Request{Text: r.Text, Tags: r.Tags})
		},
	})
	if err != nil {
		return Receipt{}, w.fail("note", "write to", p, fromJob(err))
	}
	return rec, nil
}

// fromJob turns a job's refusal into words for the agent.
func fromJob(err error) error {
	var no *job.Refusal
	if !errors.As(err, &no) || no.OwnTool {
		return err
	}
	code := toolerr.BadInput
	if !no.Usage {
		code = toolerr.Secret
	}
	// Its advice is for the command line; the tool's arguments have the same names as the flags.
	return toolerr.New(code, "%s", asSentence(no.Why)).Try("%s", asSentence(strings.ReplaceAll(no.Try, "--", "")))
}

// asSentence capitalizes a clause and adds a full stop.
func asSentence(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, "?") && !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

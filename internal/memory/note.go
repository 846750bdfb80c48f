package memory

import (
	"context"
	"errors"
	"strings"

	"tend/internal/job"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/vault"
)

// NoteRequest is something worth remembering.
type NoteRequest struct {
	Text string
	Tags []string
	If   string // of today's log
}

// Note adds a tagged entry to today's log, unless its last entries say it already.
func (s *Service) Note(ctx context.Context, r NoteRequest) (Receipt, error) {
	if strings.TrimSpace(r.Text) == "" {
		return Receipt{}, s.fail("note", "write", "", refuse(BadInput, "There is no text to note."))
	}
	w := job.Writing{Text: r.Text, Tags: r.Tags}
	return s.jot(ctx, "note", layout.Daily, r.If, func(in job.Input) (plan.Plan, error) { return job.Note(in, w) })
}

// jot runs a job that writes to one file of a role, under the rules that hold
// for any other write.
func (s *Service) jot(ctx context.Context, call string, role layout.Role, when string, do func(job.Input) (plan.Plan, error)) (Receipt, error) {
	p := vault.Path(s.agent.Layout.Path(role, note.DayOf(s.Now(), s.agent.Location).String()))
	rec, err := s.save(ctx, saving{call: call, path: p, when: when, plan: do, scanned: true})
	if err != nil {
		return Receipt{}, s.fail(call, "write to", p, fromJob(err))
	}
	return rec, nil
}

// fromJob turns a job's refusal into words for the agent.
func fromJob(err error) error {
	var no *job.Refusal
	if !errors.As(err, &no) {
		return err
	}
	code := BadInput
	if !no.Usage {
		code = Secret
	}
	// Its advice is for the command line; arguments have the flags' names.
	return refuse(code, "%s", sentence(no.Why)).try("%s", sentence(strings.ReplaceAll(no.Try, "--", "")))
}

// sentence gives a clause a capital and a full stop.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, "?") && !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

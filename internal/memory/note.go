package memory

import (
	"context"
	"errors"
	"strings"

	"tend/internal/job"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
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
	s.writing.Lock()
	defer s.writing.Unlock()
	rec, err := s.retry(ctx, func() (Receipt, error) { return s.jotOnce(ctx, call, p, when, do) })
	if err != nil {
		return Receipt{}, s.fail(call, "write to", p, fromJob(err))
	}
	return rec, nil
}

func (s *Service) jotOnce(ctx context.Context, call string, p vault.Path, when string, do func(job.Input) (plan.Plan, error)) (Receipt, error) {
	in := job.Input{Layout: s.agent.Layout, Policy: s.agent.Policy}
	in.Snapshot = plan.Snapshot{Agent: s.agent.Name, Now: s.Now(), Files: map[vault.Path]vault.Doc{}}
	before := vault.Doc{Path: p}
	if p != "" {
		var err error
		if before, err = s.load(ctx, p); err != nil {
			return Receipt{}, err
		}
		if err := atVersion(before, when); err != nil {
			return Receipt{}, err
		}
	}
	if before.Version != vault.Absent {
		in.Files[p] = before
	}
	pl, err := do(in)
	if err != nil {
		return Receipt{}, err
	}
	if pl.Empty() {
		return Receipt{
			Path: p, Outcome: Unchanged, Version: before.Version.Short(), Bytes: len(before.Data), Lines: note.Lines(before.Data),
		}, nil
	}
	c := &pl.Changes[0]
	after := c.New
	if c.Op == plan.Append {
		after = append(append([]byte{}, before.Data...), c.New...)
		if when != "" {
			c.Op, c.New = plan.Write, after
		}
	}
	rec, err := s.allowed(ctx, before, after, after) // the job has looked for secrets
	if err != nil {
		return rec, err
	}
	pl.Job, pl.Summary = "memory_"+call, rec.summary()
	act, found, err := s.agent.Apply(ctx, s.who, policy.LockWait.Of(s.agent.Policy).Std(), pl)
	if err != nil {
		return rec, err
	}
	if err := s.done(ctx, &rec, before, act, append(pl.Findings, found...)); err != nil {
		return rec, err
	}
	if c.Op == plan.Append {
		return rec, s.confirm(ctx, &rec, p, string(c.New))
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

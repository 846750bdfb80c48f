package memory

import (
	"context"
	"errors"
	"strings"

	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// AppendRequest adds to the end of a file.
type AppendRequest struct {
	Path string
	Text string
	If   string
}

// Append adds whole lines at the end of a file, making it if need be. It is an
// append down to the disk: nothing that others add in the same moment is lost.
func (s *Service) Append(ctx context.Context, r AppendRequest) (Receipt, error) {
	return s.append(ctx, "append", r, "")
}

func (s *Service) append(ctx context.Context, call string, r AppendRequest, reason string) (Receipt, error) {
	p, err := s.parseName(r.Path)
	if err == nil {
		err = checkText(p, r.Text)
	}
	if err == nil && strings.Trim(r.Text, "\r\n") == "" {
		err = refuse(BadInput, "There is no text to append.")
	}
	if err != nil {
		return Receipt{}, s.fail(call, "append to", "", err)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	rec, err := s.retry(ctx, func() (Receipt, error) { return s.appendOnce(ctx, p, call, r, reason) })
	if err != nil {
		return Receipt{}, s.fail(call, "append to", p, err)
	}
	return rec, nil
}

func (s *Service) appendOnce(ctx context.Context, p vault.Path, call string, r AppendRequest, reason string) (Receipt, error) {
	before, err := s.load(ctx, p)
	if err != nil {
		return Receipt{}, err
	}
	if err := atVersion(before, r.If); err != nil {
		return Receipt{}, err
	}
	nl := note.Newline(before.Data)
	text := wholeLines(r.Text, nl)
	if !note.FinalNewline(before.Data) {
		text = nl + text
	}
	after := append(append(make([]byte, 0, len(before.Data)+len(text)), before.Data...), text...)
	rec, err := s.allowed(ctx, before, after, before.Data)
	if err != nil {
		return rec, err
	}
	c := plan.Change{Path: p, Op: plan.Append, Before: before.Version, Old: before.Data, New: []byte(text)}
	if before.Version == vault.Absent || r.If != "" {
		// A new file must be new, and a version that was named must hold until
		// the very moment of the change.
		c.Op, c.New = plan.Write, after
	}
	act, found, err := s.agent.Apply(ctx, s.who, policy.LockWait.Of(s.agent.Policy).Std(), plan.Plan{
		Job: "memory_" + call, Reason: reason, Summary: rec.summary(), Changes: []plan.Change{c},
	})
	if err != nil {
		return rec, err
	}
	if err := s.done(ctx, &rec, before, act, found); err != nil {
		return rec, err
	}
	return rec, s.confirm(ctx, &rec, p, text)
}

// confirm reads back what an append left, since others may have appended too.
func (s *Service) confirm(ctx context.Context, rec *Receipt, p vault.Path, text string) error {
	now, err := s.agent.Vault.Read(ctx, p)
	switch {
	case errors.Is(err, vault.ErrAbsent):
		rec.Warnings = append(rec.Warnings, "Somebody has removed the file since.")
		return nil
	case err != nil:
		return err
	}
	if now.Version.Short() == rec.Version {
		return nil
	}
	rec.Version, rec.Bytes, rec.Lines = now.Version.Short(), len(now.Data), note.Lines(now.Data)
	if i := strings.LastIndex(string(now.Data), text); i >= 0 {
		rec.At = note.LineAt(now.Data, i)
	} else {
		rec.Warnings = append(rec.Warnings, "Somebody has rewritten the file since; memory_history has your text.")
	}
	return nil
}

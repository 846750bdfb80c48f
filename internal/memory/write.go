package memory

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"tend/internal/finding"
	"tend/internal/ledger"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// WriteRequest gives a file a new text.
type WriteRequest struct {
	Path string
	Text string
	If   string // only if the file is at this version; None: only if it is not there
}

// None is the version to name in If when a file must not be there yet.
const None = "none"

// Write puts a text in a file's place, making the file and its folders if need be.
func (s *Service) Write(ctx context.Context, r WriteRequest) (Receipt, error) {
	return s.change(ctx, edit{
		call: "write", path: r.Path, when: r.If, create: true, text: r.Text,
		apply: func(vault.Doc) ([]byte, error) { return []byte(r.Text), nil },
	})
}

// edit is a change of one file that can be made anew on a newer text.
type edit struct {
	call   string // for the record
	path   string
	when   string // the version the caller saw, "" if it does not matter
	create bool   // the file may be missing
	text   string // what the caller brings in
	reason string
	apply  func(before vault.Doc) (after []byte, err error)
	quote  bool // show the changed lines in the receipt
}

// change makes an edit: on a fresh read, and again if somebody writes to the
// file before it is in place.
func (s *Service) change(ctx context.Context, e edit) (Receipt, error) {
	p, err := s.parseName(e.path)
	if err != nil {
		return Receipt{}, s.fail(e.call, e.call, "", err)
	}
	if err := checkText(p, e.text); err != nil {
		return Receipt{}, s.fail(e.call, e.call, p, err)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	r, err := s.retry(ctx, func() (Receipt, error) { return s.once(ctx, p, e) })
	if err != nil {
		return Receipt{}, s.fail(e.call, e.call, p, err)
	}
	return r, nil
}

// retry repeats what met a newer text than it was made for. Somebody else got
// on each time, so it ends; and it is given as long as a lock would be.
func (s *Service) retry(ctx context.Context, once func() (Receipt, error)) (Receipt, error) {
	began := time.Now()
	wait := policy.LockWait.Of(s.agent.Policy).Std()
	for try := 0; ; try++ {
		r, err := once()
		var known *Error
		if !errors.Is(err, vault.ErrChanged) || errors.As(err, &known) || try >= 5 && time.Since(began) > wait {
			return r, err
		}
		if try > 2 {
			if err := sleep(ctx, time.Duration(try)*time.Millisecond/2); err != nil {
				return r, err
			}
		}
	}
}

func (s *Service) once(ctx context.Context, p vault.Path, e edit) (Receipt, error) {
	before, err := s.load(ctx, p)
	if err != nil {
		return Receipt{}, err
	}
	if err := atVersion(before, e.when); err != nil {
		return Receipt{}, err
	}
	if before.Version == vault.Absent && !e.create {
		return Receipt{}, s.missing(ctx, p)
	}
	after, err := e.apply(before)
	if err != nil {
		return Receipt{}, err
	}
	if before.Version != vault.Absent && bytes.Equal(before.Data, after) {
		r := Receipt{Path: p, Outcome: Unchanged}
		r.measure(before, after)
		r.Added, r.Removed, r.At = 0, 0, 0
		return r, nil
	}
	r, err := s.allowed(ctx, before, after, before.Data)
	if err != nil {
		return Receipt{}, err
	}
	act, found, err := s.agent.Apply(ctx, s.who, policy.LockWait.Of(s.agent.Policy).Std(), plan.Plan{
		Job: "memory_" + e.call, Reason: e.reason, Summary: r.summary(),
		Changes: []plan.Change{{Path: p, Op: plan.Write, Before: before.Version, Old: before.Data, New: after}},
	})
	if err != nil {
		return Receipt{}, err
	}
	if err := s.done(ctx, &r, before, act, found); err != nil {
		return Receipt{}, err
	}
	if e.quote {
		r.Excerpt = excerpt(after, r.At, r.Added)
	}
	return r, nil
}

// done completes a receipt when the change is in place.
func (s *Service) done(ctx context.Context, r *Receipt, before vault.Doc, act ledger.Action, found []finding.Finding) error {
	if before.Version == vault.Absent {
		if err := s.sneaked(ctx, before.Path, r.lost, act); err != nil {
			return err
		}
		s.names.made(before.Path)
	}
	r.Action = act.ID
	for _, f := range found {
		r.Warnings = append(r.Warnings, f.Text)
	}
	return nil
}

// allowed holds a change against every rule there is. known is the text the
// memory has already, which is not looked at for secrets again. The receipt has
// all but the action.
func (s *Service) allowed(ctx context.Context, before vault.Doc, after, known []byte) (Receipt, error) {
	r := Receipt{Path: before.Path, Outcome: Saved}
	pol := s.agent.Policy
	if err := s.mayChange(ctx, before.Path); err != nil {
		return r, err
	}
	if err := checkSize(before, after, pol); err != nil {
		return r, err
	}
	if before.Version == vault.Absent {
		r.Outcome = Created
		lost, err := s.lost(ctx)
		if err != nil {
			return r, err
		}
		if len(lost) > 0 {
			s.names.forget(before.Path) // a dead link may have appeared a moment ago
		}
		if err := errors.Join(mayAppear(before.Path, lost), s.mayCreate(ctx, before.Path)); err != nil {
			return r, err
		}
		r.lost = lost
	}
	z, err := s.zoneOf(ctx, before)
	if err != nil {
		return r, err
	}
	if z != nil {
		if err := z.allows(before, after); err != nil {
			return r, err
		}
	}
	if r.Warnings, err = scanned(before.Path, known, after, pol); err != nil {
		return r, err
	}
	cut, more, err := s.fits(ctx, before, after)
	if err != nil {
		return r, err
	}
	r.Cut, r.Warnings = cut, append(r.Warnings, more...)
	r.measure(before, after)
	return r, nil
}

// atVersion compares a file with the version its editor saw.
func atVersion(doc vault.Doc, want string) error {
	want = strings.TrimSpace(want)
	switch {
	case want == "":
		return nil
	case strings.EqualFold(want, None):
		if doc.Version == vault.Absent {
			return nil
		}
		e := refuse(Exists, "%s is there already, at version %s.", doc.Path, doc.Version.Short()).try("Read it first.")
		e.Version = doc.Version
		return e
	case len(want) < 8:
		return refuse(BadInput, "%s is no version.", shown(want)).try("Use the one memory_read gave, or %q for a file that must not be there.", None)
	case doc.Version == vault.Absent:
		return refuse(Changed, "%s is not there.", doc.Path).try("memory_history shows what happened to it.")
	case !strings.HasPrefix(string(doc.Version), strings.ToLower(want)):
		e := refuse(Changed, "%s is at version %s, not %s: somebody wrote to it since you read it. Nothing was changed.", doc.Path, doc.Version.Short(), shown(want)).
			try("Read it again and redo the edit with if_version %s.", doc.Version.Short())
		e.Version = doc.Version
		return e
	}
	return nil
}

func (r Receipt) summary() string {
	s, _, _ := strings.Cut(r.String(), " version ")
	return strings.TrimSuffix(s, ".")
}

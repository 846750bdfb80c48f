package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"tend/internal/disk/vault"
	"tend/internal/state/plan"
	"tend/internal/text/confedit"
)

// Commit publishes an action to the journal of a shared store before anything is written
// here. If it fails, nothing has happened. done is called with nil if the action then left
// what it had committed, else with an error.
type Commit func(ctx context.Context, c Commitment) (done func(error), err error)

// Commitment is everything that an action will change.
type Commitment struct {
	Record   Record
	Month    string                // the ledger's file
	Lines    []byte                // appended to it; nil if not known in advance
	Files    []Text                // of the workspace
	Archives map[string][]byte     // by name
	Trash    map[string]vault.Path // names in the trash, and the file whose old text goes there
}

// Text is a file's text before and after an action; nil if the file does not exist.
type Text struct {
	Path          vault.Path
	Before, After []byte
}

// ErrPromise: an action left something else than it committed.
var ErrPromise = errors.New("the files are not what the action committed")

// promise is a committed action that is being carried out.
type promise struct {
	last string // digest of its last line
	done func(error)
}

// publishAction commits an action.
func (s *Session) publishAction(ctx context.Context, rec Record, p plan.Plan) error {
	c, last, err := s.predictAction(ctx, rec, p)
	if err != nil {
		return err
	}
	done, err := s.l.commit(ctx, c)
	if err == nil && c.Lines != nil {
		s.promised = &promise{last, done}
	}
	return err
}

// reportToStore reports to the store whether a committed action was carried out here. The returned
// error is opaque, so that callers do not retry an action that counts already.
func (s *Session) reportToStore(err error) error {
	p := s.promised
	if p == nil {
		return err
	}
	s.promised = nil
	switch {
	case err != nil:
		p.done(err)
		return fmt.Errorf("the action was committed, but not carried out here: %v", err)
	case p.last != s.tail.digest:
		p.done(ErrPromise)
	default:
		p.done(nil)
	}
	return nil
}

// predictAction returns what an action will change, and the digest of its last line in the ledger.
func (s *Session) predictAction(ctx context.Context, rec Record, p plan.Plan) (c Commitment, last string, err error) {
	c = Commitment{Record: rec, Month: max(monthFile(rec.At), s.tail.file), Archives: map[string][]byte{}, Trash: map[string]vault.Path{}}
	if len(rec.Retired)+len(rec.Returned)+len(rec.Discarded) > 0 {
		return c, "", nil // moves of Tend's own files are read afterwards
	}
	end := Record{ID: rec.ID, State: Done, Job: rec.Job, At: rec.At, Files: make([]File, len(rec.Files))}
	for i, ch := range p.Changes {
		if rec.Files[i].At != "" || ch.Force {
			return c, "", nil
		}
		end.Files[i].Path = ch.Path
		t := Text{Path: ch.Path, After: ch.New}
		if ch.Before != vault.Absent {
			t.Before = append([]byte{}, ch.Old...)
		}
		switch ch.Op {
		case plan.Append:
			t.After = append(bytes.Clone(ch.Old), ch.New...)
		case plan.Remove:
			t.After = nil
			if end.Files[i].Attr, err = s.l.vault.Attr(ctx, ch.Path); err != nil {
				return c, "", err
			}
		}
		if ch.Op != plan.Remove && t.After == nil {
			t.After = []byte{}
		}
		if ch.Op != plan.Append && t.Before != nil {
			kept := vault.TrashName(rec.ID, i, ch.Path)
			end.Files[i].Trash, end.Files[i].TrashSize = kept, len(ch.Old)
			c.Trash[kept] = ch.Path
		}
		c.Files = append(c.Files, t)
	}
	for n, a := range p.Archives {
		c.Archives[rec.Archives[n]] = s.l.Archive.Render(rec.ID, rec.At, a)
	}
	prev := s.tail.digest
	if s.tail.ragged[c.Month] {
		c.Lines = []byte("\n")
	}
	for _, r := range []Record{rec, end} {
		r.V, r.Prev = 1, prev
		line, err := confedit.Encode(r)
		if err != nil {
			return c, "", err
		}
		prev = digest(line)
		c.Lines = append(append(c.Lines, line...), '\n')
	}
	return c, prev, nil
}

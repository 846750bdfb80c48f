package memory

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"strings"

	"tend/internal/ledger"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/recall"
)

// past is how much of archives and history is in the index.
type past struct {
	archives map[string]bool
	newest   string            // id of the last action taken in
	bodies   map[[16]byte]bool // what history has said already
}

// Names of what is no file of the workspace.
const (
	archivePrefix = "archive:" // archive:NAME
	trashPrefix   = "trash:"   // trash:NAME: what an action displaced, or an archive that retention let go
	historyMark   = "@"        // FILE@ACTION~: the file as the action found it
)

// mostPast bounds how far back history is searched.
const mostPast = 2000

// searchPast takes archives and displaced texts into the index, as far as they
// are not in it yet. Both only grow; what retention removes stays out.
func (s *Service) searchPast(ctx context.Context, words *recall.Index) error {
	x := &s.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.past.archives == nil {
		x.past.archives, x.past.bodies = map[string]bool{}, map[[16]byte]bool{}
	}
	if err := s.takeArchives(ctx, words); err != nil {
		return err
	}
	return s.takeHistory(ctx, words)
}

func (s *Service) takeArchives(ctx context.Context, words *recall.Index) error {
	list, err := s.agent.Ledger.Archives()
	if err != nil {
		return err
	}
	there := make(map[string]bool, len(list))
	for _, a := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := archivePrefix + a.Name
		there[name] = true
		if s.index.past.archives[name] {
			continue
		}
		s.index.past.archives[name] = true
		full, err := s.agent.Ledger.OpenArchive(a.Name)
		if err != nil {
			words.Fail(name, "cannot be read")
			continue
		}
		words.Put(recall.Markdown(name, recall.Archive, note.DayOf(full.At, s.agent.Location), s.syntax(full.File), full.Text))
	}
	for name := range s.index.past.archives {
		if !there[name] {
			words.Remove(name)
			delete(s.index.past.archives, name)
		}
	}
	return nil
}

// takeHistory takes in what actions displaced, newest first, and of each text
// only what no later one says: most of a file is the same as it was before.
func (s *Service) takeHistory(ctx context.Context, words *recall.Index) error {
	p := &s.index.past
	newest, n := "", 0
	for act, err := range s.agent.Ledger.Actions() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if newest == "" {
			newest = act.ID
		}
		if act.ID <= p.newest || n >= mostPast {
			break
		}
		n++
		for i, f := range act.Files {
			if !s.agent.Ledger.Holds(f) || f.Op == plan.Append || f.Size > policy.FileMaxBytes.Of(s.agent.Policy) {
				continue
			}
			text, err := s.agent.Ledger.Before(act, i)
			if errors.Is(err, ledger.ErrNoText) {
				continue
			}
			if err != nil {
				words.Fail(string(f.Path)+historyMark+act.ID+"~", "cannot be read")
				continue
			}
			doc := recall.Markdown(string(f.Path)+historyMark+act.ID+"~", recall.History, note.DayOf(act.At, s.agent.Location), s.syntax(f.Path), text)
			doc.Units = p.unsaid(doc.Units)
			if len(doc.Units) > 0 {
				words.Put(doc)
			}
		}
	}
	p.newest = max(p.newest, newest)
	return nil
}

func (p *past) unsaid(units []recall.Unit) []recall.Unit {
	var out []recall.Unit
	for _, u := range units {
		h := sha256.Sum256([]byte(u.Body))
		key := [16]byte(h[:16])
		if !p.bodies[key] {
			p.bodies[key] = true
			out = append(out, u)
		}
	}
	return out
}

// pastText reads an archive or a file's past; not ok for a file of the workspace.
func (s *Service) pastText(path string) (text string, ok bool, err error) {
	if name, is := strings.CutPrefix(path, archivePrefix); is {
		a, err := s.agent.Ledger.OpenArchive(name)
		return string(a.Text), true, err
	}
	if name, is := strings.CutPrefix(path, trashPrefix); is {
		_, data, err := s.agent.FindTrashed(name)
		return string(data), true, err
	}
	i := strings.LastIndex(path, historyMark) // a file's name may hold one too
	if i < 0 {
		return "", false, nil
	}
	file := path[:i]
	id, before := strings.CutSuffix(path[i+len(historyMark):], "~")
	if !before || !ledger.ValidID(id) {
		return "", false, nil
	}
	act, err := s.agent.Ledger.Find(id)
	if err != nil {
		return "", true, err
	}
	for i, f := range act.Files {
		if string(f.Path) == file {
			data, err := s.agent.Ledger.Before(act, i)
			return string(data), true, err
		}
	}
	return "", true, ledger.ErrNoText
}

func translatePast(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ledger.ErrNoText) || errors.Is(err, ledger.ErrNoAction) {
		return refuse(NotFound, "%s is not kept.", shown(path))
	}
	return err
}

// archiveNames lists the archives as searches name them.
func (s *Service) archiveNames() ([]string, error) {
	list, err := s.agent.Ledger.Archives()
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = archivePrefix + a.Name
	}
	return names, err
}

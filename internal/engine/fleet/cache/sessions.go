package cache

import (
	"bytes"
	"encoding/json"
	"maps"

	"tend/internal/disk/vault"
	"tend/internal/text/session/seen"
)

const (
	sessionsFile = "sessions.jsonl"
	// sessionsMost is the size at which the older half of the recorded sessions is dropped.
	sessionsMost = 1 << 20
)

// savedSession is a line in the file of sessions. The marks of a text are in the first session that had it.
type savedSession struct {
	seen.Session
	Marks map[vault.Version]seen.Marks `json:"marks,omitempty"`
}

// Sessions returns the sessions that began with a call of Tend's hook, oldest first.
func (s Store) Sessions() ([]seen.Session, error) {
	data, err := s.Read(sessionsFile)
	var out []seen.Session
	known := map[vault.Version]seen.Marks{}
	for text := range bytes.Lines(data) {
		var l savedSession
		if json.Unmarshal(text, &l) != nil {
			continue // an interrupted write
		}
		maps.Copy(known, l.Marks)
		for i, f := range l.Files {
			l.Files[i].Marks = known[f.Version]
		}
		out = append(out, l.Session)
	}
	return out, err
}

// AddSession records a session. Hooks may do so at the same time, so it only appends.
func (s Store) AddSession(one seen.Session) error {
	list, err := s.Sessions()
	if err != nil {
		return err
	}
	text, err := encodeSessions([]seen.Session{one}, list)
	if err != nil {
		return err
	}
	if full, err := s.Append(sessionsFile, text, sessionsMost); err != nil || !full {
		return err
	}
	if text, err = encodeSessions(append(list[len(list)/2:], one), nil); err != nil {
		return err
	}
	return s.Write(sessionsFile, bytes.TrimSuffix(text, []byte("\n")))
}

// encodeSessions writes sessions with the marks of texts that no earlier one has.
func encodeSessions(list, earlier []seen.Session) (text []byte, err error) {
	known := map[vault.Version]bool{}
	for _, s := range earlier {
		for _, f := range s.Files {
			known[f.Version] = known[f.Version] || f.Marks != nil
		}
	}
	for _, s := range list {
		l := savedSession{Session: s, Marks: map[vault.Version]seen.Marks{}}
		for _, f := range s.Files {
			if f.Marks != nil && !known[f.Version] {
				known[f.Version], l.Marks[f.Version] = true, f.Marks
			}
		}
		one, err := json.Marshal(l)
		if err != nil {
			return nil, err
		}
		text = append(append(text, one...), '\n')
	}
	return text, nil
}

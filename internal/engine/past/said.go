package past

import (
	"path"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/textfmt"
	"tend/internal/state/ledger"
	"tend/internal/text/note"
	"tend/internal/text/transcript"
)

// Said is a statement of a past session that an import added to a log.
type Said struct {
	Location
	At      string `json:"at"` // in the agent's time zone
	By      string `json:"by"` // user or agent
	Session string `json:"session"`
	Source  string `json:"source"` // the file with the whole session
	Action  string `json:"action"` // that added it
	text    string
}

// maxSaid is how many statements are returned: the newest.
const maxSaid = 5

// saidWhere finds statements in imported sessions. A section counts only if the ledger has a receipt of its session and of the
// file: anybody can write one that looks like it.
func (p Reader) saidWhere(in job.Input, want func(vault.Path, transcript.Line) bool) ([]Said, error) {
	var out []Said
	for _, log := range slices.Backward(in.Logs()) {
		for _, l := range slices.Backward(transcript.Lines(log.Data)) {
			if len(out) < maxSaid && want(log.Path, l) {
				by := "agent"
				if l.User {
					by = "user"
				}
				at, err := time.ParseInLocation(textfmt.Minute, log.Day.String()+" "+l.Clock, in.Now.Location())
				if err != nil {
					continue
				}
				out = append(out, Said{
					Location: Location{log.Path, l.Line}, At: at.Format(textfmt.Minute), By: by, Session: l.Session, Source: l.File, text: l.Text,
				})
			}
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	for act, err := range p.a.Ledger.Actions() {
		if err != nil {
			return nil, err
		}
		if act.Job == job.ImportJob && act.Outcome != ledger.RolledBack {
			confirmSaid(out, act)
		}
	}
	return slices.DeleteFunc(out, func(s Said) bool { return s.Action == "" }), nil
}

// confirmSaid notes the action of the statements that it added.
func confirmSaid(list []Said, act ledger.Action) {
	for i, s := range list {
		wrote := slices.ContainsFunc(act.Files, func(f ledger.File) bool { return f.Path == s.Path && !f.Skipped })
		for _, r := range act.Receipts {
			if wrote && strings.HasPrefix(string(r.Path), job.SessionReceipts) && path.Base(string(r.Path)) == transcript.Key(s.Session) {
				list[i].Action = act.ID
			}
		}
	}
}

// saidAt finds the statement that a line of a log is part of.
func (p Reader) saidAt(in job.Input, file vault.Path, line int) ([]Said, error) {
	return p.saidWhere(in, func(log vault.Path, l transcript.Line) bool {
		return log == file && l.Line <= line && line <= l.Line+strings.Count(l.Text, "\n")
	})
}

// saidLike finds the statements with an entry's words.
func (p Reader) saidLike(in job.Input, same func(string) bool) ([]Said, error) {
	return p.saidWhere(in, func(_ vault.Path, l transcript.Line) bool { return same(note.Normal(l.Text)) })
}

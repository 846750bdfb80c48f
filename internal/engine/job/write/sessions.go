package write

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/transcript"
)

// Heard is what was heard of past sessions and not yet noted.
type Heard struct {
	Sections []*transcript.Section
	Receipts []plan.Receipt // of the sessions
	// Logs are the files that may take text of a day, the first one first.
	Logs map[string][]vault.Path
}

// Sessions adds sections to the logs of their days: at the end of a file that exists, below everything that stands there.
func Sessions(in job.Input, h Heard) (plan.Plan, error) {
	pl := plan.Plan{Job: job.ImportJob, Receipts: h.Receipts}
	changes := map[vault.Path]plan.Change{}
	var order []vault.Path
	for _, s := range h.Sections {
		if len(h.Logs[s.Day]) == 0 {
			_, err := RoleFile(in, layout.Daily)
			return pl, err
		}
		at, c, ok := noted(in, changes, h.Logs[s.Day], s)
		if !ok {
			return pl, &job.Refusal{Why: fmt.Sprintf("no file takes more of %s: %s are full", s.Day, textfmt.Count(len(h.Logs[s.Day]), "file")),
				Try: "let fewer characters of a session be kept (import.chars), or raise file.max_bytes"}
		}
		if _, twice := changes[at]; !twice {
			order = append(order, at)
		}
		changes[at] = c
	}
	for _, p := range order {
		pl.Changes = append(pl.Changes, changes[p])
	}
	pl.Summary = fmt.Sprintf("%s of sessions added to %s", textfmt.Count(len(h.Sections), "section"), textfmt.Count(len(order), "log"))
	return pl, nil
}

// noted adds a section to the first file that takes it.
func noted(in job.Input, changes map[vault.Path]plan.Change, logs []vault.Path, s *transcript.Section) (vault.Path, plan.Change, bool) {
	day, err := note.ParseDay(s.Day)
	if err != nil {
		return "", plan.Change{}, false
	}
	on := in // the log's head and its closure have the day, not today
	on.Now = day.Start(in.Now.Location()).Add(12 * time.Hour)
	text := s.Text()
	for _, p := range logs {
		was, changed := changes[p]
		doc := in.File(p)
		if changed {
			doc.Data, doc.Version = textOf(was), vault.VersionOf(textOf(was))
		}
		if len(doc.Data)+len(text) > policy.FileMaxBytes.Of(in.Policy) || in.Facts.Unread[p] != "" {
			continue
		}
		if bytes.Contains(doc.Data, []byte(text)) { // an interrupted run wrote it
			return p, was, true
		}
		c := addLog(on, doc, text)
		c.Why = "what was said in past sessions"
		if !spares(on, doc, c) {
			continue
		}
		if changed {
			c = plan.Join([]plan.Change{was}, []plan.Change{c})[0]
		}
		return p, c, true
	}
	return "", plan.Change{}, false
}

// textOf is a file's text after a change.
func textOf(c plan.Change) []byte {
	if c.Op == plan.Append {
		return append(slices.Clip(c.Old), c.New...)
	}
	return c.New
}

// spares reports whether every entry of a text is the same after a change: an open fence could take in what is added, and be
// closed by it.
func spares(in job.Input, doc vault.Doc, c plan.Change) bool {
	var was, is []string
	for _, e := range in.Parse(doc).Entries(in.Today()) {
		was = append(was, e.Normal())
	}
	after := doc
	after.Data = textOf(c)
	after.Version = vault.VersionOf(after.Data)
	for _, e := range in.Syntax(doc.Path).Parse(after.Data).Entries(in.Today()) {
		is = append(is, e.Normal())
	}
	return doc.Version == vault.Absent || slices.Equal(was, is)
}

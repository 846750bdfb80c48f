package past

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet/ledgersum"
	"tend/internal/engine/job"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// Event is something that happened to an agent's files: an action of Tend, or an observed edit by the agent.
type Event struct {
	At     time.Time
	Action *ledger.Action // nil for an observed edit
	Seen   []Edit

	after string // the newest action when the edit was observed
}

// Edit is a file that the agent was observed to change.
type Edit struct {
	File    vault.Path `json:"file"`
	Gone    bool       `json:"gone,omitempty"`
	Added   int        `json:"added"`   // lines
	Removed int        `json:"removed"` // lines
	Ref     string     `json:"ref"`     // names the text for Find
	Diff    string     `json:"diff,omitempty"`
}

// Filter selects events.
type Filter struct {
	File  vault.Path // only this file, "" for all
	Job   string     // only actions of this job; then no edits
	Since time.Time
	Limit int // 0 for all
}

// Events lists what happened, newest first. Actions are in the ledger's order, whatever the clock said, and an edit
// follows the action after which it was observed.
func (p Reader) Events(ctx context.Context, f Filter) ([]Event, error) {
	var edits []Event
	if f.Job == "" {
		var err error
		if edits, err = p.observedEdits(f); err != nil {
			return nil, err
		}
	}
	var list []Event
	full := func() bool { return f.Limit > 0 && len(list) >= f.Limit }
	takeEdits := func(after string) { // those observed after an action, newest first
		for n := len(edits) - 1; n >= 0 && edits[n].after >= after && !full(); n-- {
			list, edits = append(list, edits[n]), edits[:n]
		}
	}
	for act, err := range p.a.Ledger.Actions() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		takeEdits(act.ID)
		if full() || act.At.Before(f.Since) {
			break
		}
		if (f.Job == "" || act.Job == f.Job) && (f.File == "" || touchesFile(act, f.File)) {
			list = append(list, Event{At: act.At, Action: &act})
		}
	}
	takeEdits("")
	return list, nil
}

// touchesFile reports whether an action concerns a file, even if it was rolled back.
func touchesFile(act ledger.Action, file vault.Path) bool {
	return slices.ContainsFunc(act.Files, func(f ledger.File) bool { return f.Path == file })
}

// observedEdits groups edits observed at one time, oldest first.
func (p Reader) observedEdits(f Filter) ([]Event, error) {
	seen, err := p.observedEntries("")
	if err != nil || len(seen) == 0 {
		return nil, err
	}
	moments, err := p.momentsWith(seen)
	if err != nil {
		return nil, err
	}
	t := texts{ledger: p.a.Ledger, last: map[vault.Path][]byte{}, wrote: map[vault.Path]change{}}
	met := map[string]bool{}
	var list []Event
	for _, m := range moments {
		if m.act != nil {
			t.addAction(*m.act)
			continue
		}
		e := m.edit
		before, known := t.lastText(vault.Path(e.Name))
		t.last[vault.Path(e.Name)] = e.Text
		if !known && !met[e.Name] {
			// The first observation of a file is not an edit of it.
			met[e.Name] = true
			continue
		}
		otherFile := f.File != "" && e.Name != string(f.File)
		if e.At.Before(f.Since) || otherFile || e.Purged {
			continue
		}
		edit := editOf(e, before)
		if n := len(list); n > 0 && list[n-1].At.Equal(e.At) && list[n-1].after == e.Action {
			list[n-1].Seen = append(list[n-1].Seen, edit)
			continue
		}
		list = append(list, Event{At: e.At, Seen: []Edit{edit}, after: e.Action})
	}
	return list, nil
}

// texts follows the texts of files through observations and actions, oldest first.
type texts struct {
	ledger *ledger.Ledger
	last   map[vault.Path][]byte // as observed, with what actions appended since
	wrote  map[vault.Path]change // the last action that wrote the file since; its text is read when it is needed
}

// change is what an action did to one of its files.
type change struct {
	action ledger.Action
	file   int
}

// lastText returns the last known text of a file.
func (t texts) lastText(p vault.Path) (text []byte, known bool) {
	if c, ok := t.wrote[p]; ok {
		delete(t.wrote, p)
		if text, err := t.ledger.After(c.action, c.file); err == nil {
			t.last[p] = text
		}
	}
	text, known = t.last[p]
	return text, known
}

// addAction takes in what an action did.
func (t texts) addAction(act ledger.Action) {
	for i, f := range act.Files {
		switch {
		case f.Skipped:
		case f.Op != plan.Append:
			t.wrote[f.Path] = change{act, i}
		case f.Edit != nil: // the rest of the text is not stored
			if before, ok := t.lastText(f.Path); ok && vault.VersionOf(before) == f.Before {
				t.last[f.Path] = slices.Concat(before[:min(f.Edit.At, len(before))], []byte(f.Edit.Text))
			}
		}
	}
}

func editOf(e pack.Entry, before []byte) Edit {
	name := e.Name
	d := Edit{File: vault.Path(name), Gone: e.Gone, Ref: seenRef(e), Diff: udiff.Unified("a/"+name, "b/"+name, string(before), string(e.Text))}
	for _, x := range udiff.Lines(string(before), string(e.Text)) {
		d.Added += note.Lines([]byte(x.New))
		d.Removed += note.Lines(before[x.Start:x.End])
	}
	return d
}

// LastReceipt returns the newest receipt for a path; none if jobs no longer look that far back.
func (p Reader) LastReceipt(path vault.Path) (plan.Receipt, error) {
	for act, err := range p.a.Ledger.Actions() {
		if err != nil || p.a.Now().Sub(act.At) > ledgersum.Remembered {
			return plan.Receipt{}, err
		}
		for _, r := range act.Receipts {
			if r.Path == path && act.Outcome != ledger.RolledBack {
				return r, nil
			}
		}
	}
	return plan.Receipt{}, nil
}

// Receipts returns the newest receipts of a job, by path. Those of actions that were undone do not count.
func (p Reader) Receipts(job string) (map[vault.Path]plan.Receipt, error) {
	out := map[vault.Path]plan.Receipt{}
	undone := map[string]bool{}
	for act, err := range p.a.Ledger.Actions() {
		if err != nil {
			return out, err
		}
		if act.Outcome == ledger.RolledBack || undone[act.ID] {
			continue
		}
		if act.Undoes != "" {
			undone[act.Undoes] = true
		}
		for _, r := range act.Receipts {
			if _, newer := out[r.Path]; !newer && r.Job == job {
				out[r.Path] = r
			}
		}
	}
	return out, nil
}

// Step is a moment at which an entry was added to files or removed from them.
type Step struct {
	At     time.Time
	Action *ledger.Action // nil for an observed edit
	Ref    string         // the version it left, for Text
	Came   []Location     // line 0 if only the addition is known
	Left   []Location     // where it was before
	// Archives names this action's archives that contain the entry.
	Archives []string
}

// Life follows an entry through every kept text: when it was added to a file, and when removed. Steps come oldest
// first. Of a long past only the newest actions are read; cut is then the time before which nothing was read.
func (p Reader) Life(ctx context.Context, entry string) (steps []Step, cut time.Time, err error) {
	in, err := p.a.Input(ctx)
	if err != nil {
		return nil, cut, err
	}
	seen, err := p.observedEntries("")
	if err != nil {
		return nil, cut, err
	}
	moments, err := p.momentsWith(seen)
	if err != nil {
		return nil, cut, err
	}
	moments, cut = newestActions(moments, maxLifeActions)
	t := tracer{Reader: p, in: in, same: matchesEntry(entry), word: longestWord(entry), lines: map[vault.Version]int{},
		last: map[vault.Path]Location{}}
	for _, m := range moments {
		if m.act != nil {
			t.traceAction(m.act)
		} else {
			t.traceEdit(m.edit)
		}
		if err := ctx.Err(); err != nil {
			return nil, cut, err
		}
	}
	return t.steps, cut, nil
}

// maxLifeActions limits how many actions Life reads.
const maxLifeActions = 3000

// newestActions returns the moments from the oldest of the newest actions on, at most limit of these, and the time of that
// action. The time is zero if all moments are returned.
func newestActions(moments []moment, limit int) (newest []moment, cut time.Time) {
	actions, oldest := 0, 0
	for i, m := range slices.Backward(moments) {
		if m.act == nil {
			continue
		}
		if actions == limit {
			return moments[oldest:], moments[oldest].act.At
		}
		actions++
		oldest = i
	}
	return moments, cut
}

// tracer follows one entry through texts in the order they were written.
type tracer struct {
	Reader
	in    job.Input
	same  func(string) bool
	word  string                  // every text with the entry contains it
	lines map[vault.Version]int   // the entry's line in texts that were read, 0 for none
	last  map[vault.Path]Location // where it was in the last text of each file
	steps []Step
}

// traceAction compares a file before and after an action.
func (t *tracer) traceAction(act *ledger.Action) {
	s := Step{At: act.At, Action: act, Ref: act.ID}
	for i, f := range act.Files {
		if f.Skipped {
			continue
		}
		was, had := t.last[f.Path]
		switch {
		case f.Op != plan.Append:
			line, known := t.lineIn(f.Path, f.Before, func() ([]byte, error) { return t.a.Ledger.Before(*act, i) })
			if known {
				was, had = Location{f.Path, line}, line > 0
			}
		case f.Edit != nil:
			if !had && t.find(f.Path, f.Edit.Text) > 0 {
				t.noteMove(&s, was, false, Location{f.Path, 0}, true)
			}
			continue
		}
		line, known := t.lineIn(f.Path, f.After, func() ([]byte, error) { return t.After(*act, i) })
		if known {
			t.noteMove(&s, was, had, Location{f.Path, line}, line > 0)
		}
	}
	if len(s.Came)+len(s.Left) == 0 {
		return
	}
	for _, name := range act.Archives {
		if kept, err := t.a.Ledger.Archive.Open(name); err == nil && t.find(kept.File, kept.Text) > 0 {
			s.Archives = append(s.Archives, name)
		}
	}
	t.steps = append(t.steps, s)
}

// traceEdit adds an observed edit.
func (t *tracer) traceEdit(e pack.Entry) {
	if e.Purged {
		return
	}
	file := vault.Path(e.Name)
	was, had := t.last[file]
	s := Step{At: e.At, Ref: seenAs(e).Ref}
	line := 0
	if !e.Gone {
		line = t.find(file, e.Text)
	}
	t.noteMove(&s, was, had, Location{file, line}, line > 0)
	if len(s.Came)+len(s.Left) > 0 {
		t.steps = append(t.steps, s)
	}
}

// noteMove adds a file to a step if the entry was added to or removed from it.
func (t *tracer) noteMove(s *Step, was Location, had bool, now Location, has bool) {
	switch {
	case has && !had:
		s.Came = append(s.Came, now)
	case had && !has:
		s.Left = append(s.Left, was)
	}
	if has {
		t.last[now.Path] = now
	} else {
		delete(t.last, now.Path)
	}
}

// lineIn returns the entry's line in a text; texts with the same content are read once.
func (t *tracer) lineIn(file vault.Path, v vault.Version, read func() ([]byte, error)) (line int, known bool) {
	if v == vault.Absent {
		return 0, true
	}
	if line, known = t.lines[v]; known {
		return line, true
	}
	text, err := read()
	if err != nil {
		return 0, false // no longer kept
	}
	line = t.find(file, text)
	t.lines[v] = line
	return line, true
}

func (t *tracer) find(file vault.Path, text []byte) int {
	if t.word != "" && !strings.Contains(strings.ToLower(string(text)), t.word) {
		return 0
	}
	line, _ := entryLine(t.in, file, text, t.same)
	return line
}

// longestWord returns a plain word of an entry: texts without it need not be parsed. "" if the entry has none.
func longestWord(entry string) string {
	longest := ""
	for w := range strings.FieldsSeq(note.Normal(entry)) {
		if len(w) > len(longest) && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
			longest = w
		}
	}
	return longest
}

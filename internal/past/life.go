package past

import (
	"context"
	"strings"
	"time"

	"tend/internal/job"
	"tend/internal/ledger"
	"tend/internal/note"
	"tend/internal/pack"
	"tend/internal/plan"
	"tend/internal/vault"
)

// Step is a moment in which an entry came into files or left them.
type Step struct {
	At     time.Time
	Action *ledger.Action // nil for an edit that was seen
	Ref    string         // names the version it left, for Text
	Came   []Place        // line 0 where only the addition is known
	Left   []Place        // where it stood before
	// Archives name the archives of this action that hold the entry.
	Archives []string
}

// Life follows an entry through every text that is kept: when it came into a file, and when it left it. Steps come
// oldest first. Of a long past only the newest actions are read; cut is then the time before which nothing was.
func (p Past) Life(ctx context.Context, entry string) (steps []Step, cut time.Time, err error) {
	in, err := p.a.Input(ctx)
	if err != nil {
		return nil, cut, err
	}
	acts, err := p.actions()
	if err != nil {
		return nil, cut, err
	}
	seen, err := p.seen("")
	if err != nil {
		return nil, cut, err
	}
	if n := len(acts) - mostLived; n > 0 {
		acts, cut = acts[n:], acts[n].At
		for len(seen) > 0 && seen[0].Action < acts[0].ID {
			seen = seen[1:]
		}
	}
	t := tracer{Past: p, in: in, same: matcher(entry), word: longestWord(entry), lines: map[vault.Version]int{}, stands: map[vault.Path]Place{}}
	for i := range acts {
		for len(seen) > 0 && seen[0].Action < acts[i].ID {
			t.edit(seen[0])
			seen = seen[1:]
		}
		t.action(&acts[i])
		if err := ctx.Err(); err != nil {
			return nil, cut, err
		}
	}
	for _, e := range seen {
		t.edit(e)
	}
	return t.steps, cut, nil
}

// mostLived is how many actions a life is followed through.
const mostLived = 3000

// tracer follows one entry through texts in the order in which they were written.
type tracer struct {
	Past
	in     job.Input
	same   func(string) bool
	word   string                // every text with the entry has it
	lines  map[vault.Version]int // the entry's line in texts that were read, 0 for none
	stands map[vault.Path]Place  // where it was in the last text of each file
	steps  []Step
}

// action compares what an action found with what it left.
func (t *tracer) action(act *ledger.Action) {
	s := Step{At: act.At, Action: act, Ref: act.ID}
	for i, f := range act.Files {
		if f.Skipped {
			continue
		}
		was, stood := t.stands[f.Path]
		if f.Op != plan.Append {
			line, known := t.line(f.Path, f.Before, func() ([]byte, error) { return t.a.Ledger.Before(*act, i) })
			if known {
				was, stood = Place{f.Path, line}, line > 0
			}
		}
		if f.Op == plan.Append && f.Edit != nil {
			if !stood && t.find(f.Path, f.Edit.Text) > 0 {
				t.note(&s, was, false, Place{f.Path, 0}, true)
			}
			continue
		}
		line, known := t.line(f.Path, f.After, func() ([]byte, error) { return t.After(*act, i) })
		if known {
			t.note(&s, was, stood, Place{f.Path, line}, line > 0)
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

// edit takes in what the agent or a person was seen to have written.
func (t *tracer) edit(e pack.Entry) {
	if e.Purged {
		return
	}
	file := vault.Path(e.Name)
	was, stood := t.stands[file]
	s := Step{At: e.At, Ref: seenAs(e).Ref}
	line := 0
	if !e.Gone {
		line = t.find(file, e.Text)
	}
	t.note(&s, was, stood, Place{file, line}, line > 0)
	if len(s.Came)+len(s.Left) > 0 {
		t.steps = append(t.steps, s)
	}
}

// note adds a file to a step if the entry came into it or left it.
func (t *tracer) note(s *Step, was Place, stood bool, now Place, stands bool) {
	switch {
	case stands && !stood:
		s.Came = append(s.Came, now)
	case stood && !stands:
		s.Left = append(s.Left, was)
	}
	if delete(t.stands, now.Path); stands {
		t.stands[now.Path] = now
	}
}

// line is the entry's line in a text, which is read only if no other with this content was.
func (t *tracer) line(file vault.Path, v vault.Version, read func() ([]byte, error)) (line int, known bool) {
	if v == vault.Absent {
		return 0, true
	}
	if line, known = t.lines[v]; known {
		return line, true
	}
	text, err := read()
	if err != nil {
		return 0, false // it is no longer kept
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

// longestWord is a plain word of an entry: a text without it need not be parsed. "" if the entry has none.
func longestWord(entry string) string {
	longest := ""
	for w := range strings.FieldsSeq(note.Normal(entry)) {
		if len(w) > len(longest) && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
			longest = w
		}
	}
	return longest
}

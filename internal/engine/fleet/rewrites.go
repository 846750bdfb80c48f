package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/words"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/referee"
	"tend/internal/text/scan"
)

// Rewrite is a change of a memory file that Tend did not make, with what it lost. It is derived from observed texts, the ledger
// and the current files: text that stands in one of them now is not lost.
type Rewrite struct {
	Ref           string // FILE@seen-SECOND, or FILE@now for one that was not recorded yet
	File          vault.Path
	At            time.Time
	By            string // who made it, as far as is known
	Before, After []byte
	Verdict       referee.Verdict
}

// Loss is what a rewrite lost, for programs and people: secrets are masked.
type Loss struct {
	Change   string        `json:"change"`
	File     vault.Path    `json:"file"`
	At       time.Time     `json:"at"`
	By       string        `json:"by,omitempty"`
	Burst    bool          `json:"burst"`
	Lost     referee.Size  `json:"lost"`
	Before   referee.Size  `json:"before"`
	After    referee.Size  `json:"after"`
	Sections []LostSection `json:"sections,omitempty"`
}

// LostSection is what one section lost, and what is new in it.
type LostSection struct {
	Path []string   `json:"path"`
	Gone bool       `json:"gone,omitempty"` // the file no longer has it
	Lost []LostLine `json:"lost"`
	Now  []LostLine `json:"now,omitempty"`
}

// LostLine is a line with its number in the text before or after.
type LostLine struct {
	Number int    `json:"line"`
	Text   string `json:"text"`
}

// Loss returns what the rewrite lost.
func (r Rewrite) Loss() Loss {
	v := r.Verdict
	l := Loss{Change: r.Ref, File: r.File, At: r.At, By: r.By, Burst: v.Burst, Lost: v.LostSize, Before: v.Before, After: v.After}
	for _, s := range v.Lost {
		l.Sections = append(l.Sections, LostSection{Path: s.Path, Gone: s.Gone, Lost: masked(s.Lost), Now: masked(s.Now)})
	}
	return l
}

func masked(lines []referee.Line) []LostLine {
	out := make([]LostLine, len(lines))
	for i, l := range lines {
		out[i] = LostLine{l.Number, string(scan.Mask([]byte(l.Text)))}
	}
	return out
}

const (
	nowMark  = "@now"
	seenMark = "@seen-"
	// recentRewrites is how far back rewrites are reported: what nobody missed in a month will not be missed.
	recentRewrites = 30 * 24 * time.Hour
	// recentSegments of observed texts are read for that. They hold thousands of edits.
	recentSegments = 4
)

// ErrNoRewrite: no rewrite of that name is known.
var ErrNoRewrite = errors.New("no such change of a memory file")

// Rewrites returns the recent rewrites of an agent's memory files, the oldest first. in has the current files.
func (a *Agent) Rewrites(in job.Input) ([]Rewrite, error) {
	seen, err := a.History.seenTexts(recentSegments)
	if err != nil {
		return nil, err
	}
	list, err := a.changes(in, seen)
	since := in.Now.Add(-recentRewrites)
	list = slices.DeleteFunc(list, func(r Rewrite) bool { return r.At.Before(since) })
	for i := range list {
		list[i].judge(in)
	}
	return list, err
}

// Rewrite finds one rewrite by its name, however old. "" means the newest that lost a page of text, else the newest of all.
func (a *Agent) Rewrite(in job.Input, ref string) (Rewrite, error) {
	if ref == "" {
		list, err := a.Rewrites(in)
		if err != nil || len(list) == 0 {
			return Rewrite{}, cmp.Or(err, ErrNoRewrite)
		}
		for _, r := range slices.Backward(list) {
			if r.Verdict.Burst {
				return r, nil
			}
		}
		return list[len(list)-1], nil
	}
	seen, err := a.History.seenTexts(0)
	if err != nil {
		return Rewrite{}, err
	}
	list, err := a.changes(in, seen)
	i := slices.IndexFunc(list, func(r Rewrite) bool { return r.Ref == ref })
	if err != nil || i < 0 {
		return Rewrite{}, cmp.Or(err, ErrNoRewrite)
	}
	list[i].judge(in)
	return list[i], nil
}

// seenTexts returns the observed texts, oldest first, of the newest segments or of all with 0.
func (h *History) seenTexts(segments int) ([]pack.Entry, error) {
	var list []pack.Entry
	collect := func(e pack.Entry, err error) error {
		if err == nil && !e.Purged {
			list = append(list, e)
		}
		return nil // Check reports damaged lines
	}
	var err error
	if segments == 0 {
		err = h.Pack(SeenPack).Each(collect)
	} else {
		err = h.Pack(SeenPack).Newest(segments, collect)
	}
	slices.SortStableFunc(list, func(a, b pack.Entry) int { return cmp.Or(cmp.Compare(a.Action, b.Action), a.At.Compare(b.At)) })
	return list, err
}

// changes pairs each observed text of a memory file with the text before it, and the current one with the last known.
func (a *Agent) changes(in job.Input, seen []pack.Entry) ([]Rewrite, error) {
	var list []Rewrite
	last := map[vault.Path]pack.Entry{}
	for _, e := range seen {
		p := vault.Path(e.Name)
		if !remembers(in.Layout, p) {
			continue
		}
		before, met := last[p]
		last[p] = e
		text, left := a.History.LeftBy(e)
		if !met && !left {
			continue // the first observation of a file is no change of it
		}
		if !left {
			text = before.Text
		}
		ref := e.Name + seenMark + strconv.FormatInt(e.At.Unix(), 10)
		list = append(list, Rewrite{Ref: ref, File: p, At: e.At, Before: text, After: e.Text})
	}
	for p, e := range last {
		text, err := a.lastText(p, e)
		if err != nil {
			return list, err
		}
		now := in.File(p)
		if _, unread := in.Facts.Unread[p]; unread || vault.VersionOf(now.Data) == vault.VersionOf(text) {
			continue
		}
		list = append(list, Rewrite{Ref: string(p) + nowMark, File: p, At: in.Now, Before: text, After: now.Data})
	}
	slices.SortStableFunc(list, func(a, b Rewrite) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.File, b.File)) })
	return list, nil
}

// remembers reports whether a file is long-term memory, which should outlast its sessions.
func remembers(l layout.Layout, p vault.Path) bool {
	role, ok := l.RoleOf(string(p))
	if !ok {
		return false
	}
	switch role {
	case layout.Hot, layout.User, layout.Tools, layout.Semantic, layout.Procedural, layout.Decisions, layout.Lessons, layout.Learnings:
		return true
	}
	return false
}

// lastText returns the last known text of a file: what was observed last, or what a later action left.
func (a *Agent) lastText(p vault.Path, e pack.Entry) ([]byte, error) {
	for act, err := range a.Ledger.Actions() {
		if err != nil {
			return nil, err
		}
		if act.ID <= e.Action {
			break
		}
		if i := touched(act, p); i >= 0 {
			text, err := a.Ledger.After(act, i)
			if errors.Is(err, ledger.ErrNoText) {
				break // appended to since: the observed text is the last that is known in full
			}
			return text, err
		}
	}
	return e.Text, nil
}

// LeftBy returns the text that the action before an observation left, if that action wrote the file.
func (h *History) LeftBy(e pack.Entry) ([]byte, bool) {
	if e.Action == "" {
		return nil, false
	}
	act, err := h.ledger.Find(e.Action)
	if err != nil {
		return nil, false
	}
	i := touched(act, vault.Path(e.Name))
	if i < 0 || act.Files[i].Op == plan.Append {
		return nil, false
	}
	text, err := h.ledger.After(act, i)
	return text, err == nil
}

// touched returns the index of a file in an action that changed it, -1 if it did not.
func touched(act ledger.Action, file vault.Path) int {
	if act.Outcome == ledger.TakenBack || act.Outcome == ledger.Intent {
		return -1
	}
	return slices.IndexFunc(act.Files, func(f ledger.File) bool { return f.Path == file && !f.Skipped })
}

// judge asks the referee. Other files are looked at only if the change alone would be a burst: they can only excuse it.
func (r *Rewrite) judge(in job.Input) {
	r.Verdict = referee.Verify(r.Before, r.After, nil, referee.Options{})
	if r.Verdict.Burst {
		r.Verdict = referee.Verify(r.Before, r.After, currentTexts(in), referee.Options{})
	}
	r.By = referee.Author(r.Verdict.Added)
}

// currentTexts yields the current files, the rewritten one included: what was put back is not lost.
func currentTexts(in job.Input) referee.Sources {
	return func(yield func(referee.Source) bool) {
		for _, d := range in.All() {
			if !yield(referee.Source{Name: string(d.Path), Text: d.Data}) {
				return
			}
		}
	}
}

// Finding reports a rewrite that lost a page of text; ok is false for an ordinary edit.
func (r Rewrite) Finding(loc *time.Location) (f finding.Finding, ok bool) {
	if !r.Verdict.Burst {
		return f, false
	}
	when, by := "since the last look", ""
	if !strings.HasSuffix(r.Ref, nowMark) {
		when = "on " + r.At.In(loc).Format(words.Minute)
	}
	if r.By != "" {
		by = " by " + r.By
	}
	v := r.Verdict
	text := fmt.Sprintf("a rewrite %s%s took out text: %s of %d (%s characters) stand nowhere else", when, by,
		words.Count(v.LostSize.Lines, "line"), v.Before.Lines, words.Thousands(v.LostSize.Chars))
	f = finding.RewriteLost.In(string(r.File), "%s", text)
	f.Remedy = fmt.Sprintf("`tend show %s` lists it, `tend restore --lost %s` brings it back", r.Ref, r.Ref)
	return f, true
}

// LostText reports the recent rewrites that lost a page of text.
func (a *Agent) LostText(in job.Input) ([]finding.Finding, error) {
	list, err := a.Rewrites(in)
	var found []finding.Finding
	for _, r := range list {
		if f, ok := r.Finding(a.Location); ok {
			f.Agent = a.Name
			found = append(found, f)
		}
	}
	return found, err
}

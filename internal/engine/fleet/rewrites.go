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
	"tend/internal/model/textfmt"
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
	Ref           string // FILE@seen-SECOND, or FILE@now for the newest if that was not recorded yet
	File          vault.Path
	At            time.Time
	By            string // who made it, as far as is known
	Before, After []byte
	Verdict       referee.Verdict

	byHarness bool // By is a program of the harness that consolidates memory
	suspect   bool // by itself it would be a burst, or it is a consolidation that is not recorded: it is judged each time
	skipped   bool // it has no texts and no verdict, because nobody asked for them
	asked     bool // who made it was asked before, in vain
	key       string
	pair      pair
	earlier   *judged // the verdict of an earlier look, in place of one
}

// Recorded reports whether the history has both texts.
func (r Rewrite) Recorded() bool { return !strings.HasSuffix(r.Ref, nowMark) }

// Loss is what a rewrite lost, for programs and people: secrets are masked.
type Loss struct {
	Change   string        `json:"change"`
	File     vault.Path    `json:"file"`
	At       time.Time     `json:"at"`
	By       string        `json:"by,omitempty"`
	Burst    bool          `json:"burst"`
	Lost     referee.Size  `json:"lost"`    // lines that stand nowhere else
	Perhaps  referee.Size  `json:"perhaps"` // lines that something is like: see where each says
	Before   referee.Size  `json:"before"`
	After    referee.Size  `json:"after"`
	Sections []LostSection `json:"sections,omitempty"`
	Changed  []LostChange  `json:"changed,omitempty"` // lines that stand in other words
	LetIn    []string      `json:"let_in,omitempty"`  // secrets, orders and hidden text in new lines
}

// LostSection is what one section lost, and what is new in it.
type LostSection struct {
	Path []string   `json:"path"`
	Gone bool       `json:"gone,omitempty"` // the file no longer has it
	Lost []LostLine `json:"lost"`           // both
	Now  []LostLine `json:"now,omitempty"`
}

// LostChange is a line that stands in other words, with a value (a number, a name, a path, a negation) that only one of both has.
type LostChange struct {
	Before LostLine `json:"before"`
	After  LostLine `json:"after"`
}

// LostLine is a line with its number in the text before or after.
type LostLine struct {
	Number  int    `json:"line"`
	Text    string `json:"text"`
	Perhaps string `json:"perhaps,omitempty"` // FILE:LINE that is like it
}

// Summary says how much was lost.
func (l Loss) Summary() string { return referee.Describe(l.Lost, l.Perhaps, l.Before) }

// Loss returns what the rewrite lost.
func (r Rewrite) Loss() Loss {
	v := r.Verdict
	l := Loss{
		Change: r.Ref, File: r.File, At: r.At, By: r.By, Burst: v.Burst,
		Lost: v.LostSize, Perhaps: v.Doubtful(), Before: v.Before, After: v.After,
	}
	for _, s := range v.Lost {
		l.Sections = append(l.Sections, LostSection{Path: s.Path, Gone: s.Gone, Lost: r.masked(s.Lost), Now: r.masked(s.Now)})
	}
	for _, c := range v.Changed {
		l.Changed = append(l.Changed, LostChange{Before: r.maskedLine(c.Before), After: r.maskedLine(c.After)})
	}
	for _, h := range v.LetIn {
		l.LetIn = append(l.LetIn, h.String())
	}
	return l
}

func (r Rewrite) masked(lines []referee.Line) []LostLine {
	out := make([]LostLine, len(lines))
	for i, l := range lines {
		out[i] = r.maskedLine(l)
	}
	return out
}

func (r Rewrite) maskedLine(l referee.Line) LostLine {
	out := LostLine{Number: l.Number, Text: string(scan.Mask([]byte(l.Text)))}
	if s := l.Similar; s != nil {
		out.Perhaps = fmt.Sprintf("%s:%d", cmp.Or(s.Source, string(r.File)), s.Line)
	}
	return out
}

const (
	nowMark  = "@now"
	seenMark = "@seen-"
	// RecentRewrites is how far back rewrites are reported: what nobody missed in a month will not be missed.
	RecentRewrites = 30 * 24 * time.Hour
)

// ErrNoRewrite: no rewrite of that name is known.
var ErrNoRewrite = errors.New("no such change of a memory file")

// Rewrites returns the recent rewrites of an agent's memory files, the oldest first. in has the current files. Of the ordinary edits
// that were judged before only the newest of each file is among them, without texts and verdict: [Agent.Losses] has them all.
// Skills are left out: what they lose is shown only on request.
func (a *Agent) Rewrites(in job.Input) ([]Rewrite, error) {
	list, _, err := a.rewrites(in, false)
	return slices.DeleteFunc(list, func(r Rewrite) bool { return in.Layout.IsSkill(string(r.File)) }), err
}

// NewRewrites is Rewrites without the texts and verdicts of those that were judged before, unless they are the newest of a file.
func (a *Agent) NewRewrites(in job.Input) ([]Rewrite, error) {
	list, _, err := a.rewrites(in, true)
	return slices.DeleteFunc(list, func(r Rewrite) bool { return in.Layout.IsSkill(string(r.File)) }), err
}

func (a *Agent) rewrites(in job.Input, quick bool) ([]Rewrite, looked, error) {
	known, knownErr := a.Consolidations()
	look, err := a.look(in, quick)
	list := look.changes
	if err == nil {
		var now []Rewrite
		now, err = a.unrecorded(in, look.newest())
		list = sorted(append(list, now...))
	}
	later := map[vault.Path][]referee.Source{} // a line that a later burst found in the file was lost by that burst
	for i := range slices.Backward(list) {
		r := &list[i]
		if r.skipped {
			continue
		}
		a.judge(r, in, known, later[r.File]...)
		if r.suspect {
			later[r.File] = append(later[r.File], referee.Source{Name: string(r.File), Text: r.Before})
		}
	}
	return list, look.looked, errors.Join(err, knownErr)
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
		newest := list[len(list)-1]
		if !newest.skipped {
			return newest, nil
		}
		ref = newest.Ref
	}
	seen, err := a.History.seenTexts()
	if err != nil {
		return Rewrite{}, err
	}
	// The keeper may record the change between a list that says "now" and the answer to it: it is still the file's newest.
	file, newest := strings.CutSuffix(ref, nowMark)
	bare := strings.HasPrefix(ref, seenMark[1:]) // as `tend log` lists it
	named := func(r Rewrite) bool {
		return r.Ref == ref || (newest && string(r.File) == file) || (bare && strings.HasSuffix(r.Ref, "@"+ref))
	}
	list, err := a.changes(in, seen, func(r Rewrite) bool { return !named(r) })
	i := len(list) - 1
	for i >= 0 && (list[i].skipped || !named(list[i])) {
		i--
	}
	if err != nil || i < 0 {
		return Rewrite{}, cmp.Or(err, ErrNoRewrite)
	}
	known, err := a.Consolidations()
	r := &list[i]
	a.judge(r, in, known)
	if !r.suspect { // judge has looked at the change alone
		r.Verdict = referee.Verify(r.Before, r.After, currentTexts(in), referee.Options{Now: in.File(r.File).Data})
	}
	return *r, err
}

// Losses returns the changes since a time that took out lines which stand nowhere now, or perhaps in other words: at most limit
// of them, the newest first. Unlike Rewrites it has ordinary edits too: to somebody who misses something one line matters.
func (a *Agent) Losses(in job.Input, since time.Time, limit int) ([]Rewrite, error) {
	seen, err := a.History.seenTexts()
	if err != nil {
		return nil, err
	}
	list, err := a.changes(in, seen, func(r Rewrite) bool { return r.At.Before(since) })
	var lost []Rewrite
	for _, r := range slices.Backward(list) {
		if len(lost) == limit {
			break
		}
		if r.skipped || len(referee.Verify(r.Before, r.After, nil, referee.Options{}).Lost) == 0 {
			continue // most changes lose nothing, and that is quick to see
		}
		r.Verdict = referee.Verify(r.Before, r.After, currentTexts(in), referee.Options{Now: in.File(r.File).Data})
		if len(r.Verdict.Lost) > 0 {
			lost = append(lost, r)
		}
	}
	return lost, err
}

// seenText is an observed text that is read when it is needed.
type seenText struct {
	pack.Position
	in *pack.Reader
}

func (s seenText) text() ([]byte, error) { return s.in.Text(s.Position) }

// seenTexts returns the observed texts, oldest first.
func (h *History) seenTexts() ([]seenText, error) {
	list, _, _, err := seenSince(h.Pack(SeenPack).Reader(), pack.Mark{})
	return list, err
}

// seenSince returns the observed texts behind a mark, oldest first.
func seenSince(r *pack.Reader, from pack.Mark) (list []seenText, next pack.Mark, ok bool, err error) {
	next, ok, err = r.Since(from, func(e pack.Position) {
		if e.Name != "" && !e.Purged { // Check reports damaged lines
			list = append(list, seenText{e, r})
		}
	})
	slices.SortStableFunc(list, func(a, b seenText) int { return inTime(a.Entry, b.Entry) })
	return list, next, ok, err
}

// inTime compares when texts were observed.
func inTime(a, b pack.Entry) int { return cmp.Or(cmp.Compare(a.Action, b.Action), a.At.Compare(b.At)) }

// changes pairs each observed text of a memory file with the text before it, and the current text with the last known one,
// oldest first. Of a change that skip reports the texts are not read.
func (a *Agent) changes(in job.Input, seen []seenText, skip func(Rewrite) bool) (list []Rewrite, err error) {
	last := map[vault.Path]seenText{}
	for _, e := range seen {
		p := vault.Path(e.Name)
		if !isLongTerm(in.Layout, p) {
			continue
		}
		before, met := last[p]
		last[p] = e
		if r, ok := a.change(before, met, e, skip); ok {
			list = append(list, r)
		}
	}
	now, err := a.unrecorded(in, last)
	return sorted(append(list, now...)), err
}

func sorted(list []Rewrite) []Rewrite {
	slices.SortStableFunc(list, func(a, b Rewrite) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.File, b.File)) })
	return list
}

// change pairs an observed text with the one before it, if any was met. ok is false if it is the first of a file, or one of both
// is damaged.
func (a *Agent) change(before seenText, met bool, e seenText, skip func(Rewrite) bool) (r Rewrite, ok bool) {
	r = Rewrite{
		Ref: e.Name + seenMark + strconv.FormatInt(e.At.Unix(), 10), File: vault.Path(e.Name), At: e.At,
		pair: pair{After: e.Position}, key: rewriteKey(e.Entry),
	}
	if met {
		r.pair.Before = &before.Position
	}
	if r.skipped = skip(r); r.skipped {
		return r, true
	}
	text, written := a.History.LeftBy(e.Entry)
	if !written && !met {
		return r, false // the first observation of a file is no change of it
	}
	var err error
	if !written {
		text, err = before.text()
	}
	r.Before = text
	if err == nil {
		r.After, err = e.text()
	}
	return r, err == nil // Check reports damaged lines
}

// unrecorded returns the changes of memory files that were not observed yet: between the last known text and the current one.
func (a *Agent) unrecorded(in job.Input, last map[vault.Path]seenText) (list []Rewrite, err error) {
	for p, e := range last {
		now := in.File(p)
		if _, unread := in.Facts.Unread[p]; unread || string(vault.VersionOf(now.Data)) == e.SHA256 {
			continue
		}
		text, err := a.lastText(p, e)
		switch {
		case errors.Is(err, pack.ErrDamaged):
			continue
		case err != nil:
			return list, err
		}
		if vault.VersionOf(now.Data) != vault.VersionOf(text) {
			list = append(list, Rewrite{Ref: string(p) + nowMark, File: p, At: in.Now, Before: text, After: now.Data})
		}
	}
	return list, nil
}

// isLongTerm reports whether a file is long-term memory or a skill, which should outlast sessions.
func isLongTerm(l layout.Layout, p vault.Path) bool {
	role, ok := l.RoleOf(string(p))
	if !ok {
		return l.IsSkill(string(p))
	}
	switch role {
	case layout.Hot, layout.User, layout.Tools, layout.Semantic, layout.Procedural, layout.Decisions, layout.Lessons, layout.Learnings:
		return true
	}
	return false
}

// lastText returns the last known text of a file: what was observed last, or what a later action left.
func (a *Agent) lastText(p vault.Path, e seenText) ([]byte, error) {
	for act, err := range a.Ledger.Actions() {
		if err != nil {
			return nil, err
		}
		if act.ID <= e.Action {
			break
		}
		if i := Slot(act, p); i >= 0 {
			text, err := a.Ledger.After(act, i)
			if errors.Is(err, ledger.ErrNoText) {
				break // appended to since: the observed text is the last that is known in full
			}
			return text, err
		}
	}
	return e.text()
}

// CountChanges counts how often a job changed each file since a time.
func (a *Agent) CountChanges(job string, since time.Time) (map[vault.Path]int, error) {
	out := map[vault.Path]int{}
	for act, err := range a.Ledger.Actions() {
		if err != nil {
			return nil, err
		}
		if act.At.Before(since) {
			break
		}
		if act.Job != job || act.Outcome == ledger.RolledBack {
			continue
		}
		for _, f := range act.Files {
			out[f.Path]++
		}
	}
	return out, nil
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
	i := Slot(act, vault.Path(e.Name))
	if i < 0 || act.Files[i].Op == plan.Append {
		return nil, false
	}
	text, err := h.ledger.After(act, i)
	return text, err == nil
}

// Slot returns the index of a file in an action that changed it, -1 if it did not.
func Slot(act ledger.Action, file vault.Path) int {
	if act.Outcome == ledger.RolledBack || act.Outcome == ledger.Intent {
		return -1
	}
	return slices.IndexFunc(act.Files, func(f ledger.File) bool { return f.Path == file && !f.Skipped })
}

// currentTexts yields more and the current files, the rewritten one included: what was put back is not lost.
func currentTexts(in job.Input, more ...referee.Source) referee.Sources {
	return func(yield func(referee.Source) bool) {
		for _, s := range more {
			if !yield(s) {
				return
			}
		}
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
	if r.Recorded() {
		when = "on " + r.At.In(loc).Format(textfmt.Minute)
	}
	if r.By != "" {
		by = " by " + r.By
	}
	return r.finding("a rewrite %s%s took out text: %s", when, by, r.Verdict), true
}

func (r Rewrite) finding(format string, args ...any) finding.Finding {
	f := finding.RewriteLost.In(string(r.File), format, args...)
	f.Remedy = fmt.Sprintf("`tend show %s` lists it, `tend restore --lost %s` brings it back", r.Ref, r.Ref)
	return f
}

// LostText reports the recent rewrites that lost a page of text.
func (a *Agent) LostText(in job.Input) ([]finding.Finding, error) {
	list, err := a.Rewrites(in)
	return a.lostText(list), err
}

func (a *Agent) lostText(list []Rewrite) []finding.Finding {
	var found []finding.Finding
	for _, r := range list {
		f, ok := r.Finding(a.Location)
		if r.earlier != nil && r.earlier.Says != "" {
			f, ok = r.finding("%s", r.earlier.Says), true
		}
		if ok {
			f.Agent = a.Name
			found = append(found, f)
		}
	}
	return found
}

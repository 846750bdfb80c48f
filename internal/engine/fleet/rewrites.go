package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"math"
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
	suspect   bool // by itself it would be a burst, or it is a consolidation: it is judged each time
	skipped   bool // it has no texts and no verdict, because nobody asked for them
	key       string
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
	// recentSegments is how many segments of the pack of observed texts are read for that. They hold thousands of edits.
	recentSegments = 4
)

// ErrNoRewrite: no rewrite of that name is known.
var ErrNoRewrite = errors.New("no such change of a memory file")

// Rewrites returns the recent rewrites of an agent's memory files, the oldest first. in has the current files. Ordinary edits that
// were judged before come without texts and verdict. Skills are left out: what they lose is shown only on request.
func (a *Agent) Rewrites(in job.Input) ([]Rewrite, error) {
	list, err := a.rewrites(in)
	return slices.DeleteFunc(list, func(r Rewrite) bool { return in.Layout.IsSkill(string(r.File)) }), err
}

func (a *Agent) rewrites(in job.Input) ([]Rewrite, error) {
	seen, err := a.History.seenTexts(recentSegments)
	if err != nil {
		return nil, err
	}
	known, knownErr := a.Consolidations()
	quiet, quietErr := a.quietKeys()
	since := in.Now.Add(-RecentRewrites)
	list, err := a.changes(in, seen, func(r Rewrite) bool { return quiet[r.key] || r.At.Before(since) })
	list = slices.DeleteFunc(list, func(r Rewrite) bool { return r.At.Before(since) })
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
	return list, errors.Join(err, knownErr, quietErr)
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
	seen, err := a.History.seenTexts(math.MaxInt)
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
		r.Verdict = referee.Verify(r.Before, r.After, currentTexts(in), referee.Options{})
	}
	return *r, err
}

// Losses returns the changes since a time that took out lines which stand nowhere now, or perhaps in other words: at most limit
// of them, the newest first. Unlike Rewrites it has ordinary edits too: to somebody who misses something one line matters.
func (a *Agent) Losses(in job.Input, since time.Time, limit int) ([]Rewrite, error) {
	seen, err := a.History.seenTexts(recentSegments)
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
		r.Verdict = referee.Verify(r.Before, r.After, currentTexts(in), referee.Options{})
		if len(r.Verdict.Lost) > 0 {
			lost = append(lost, r)
		}
	}
	return lost, err
}

// seenText is an observed text that is read when it is needed.
type seenText struct {
	pack.Entry
	text func() ([]byte, error)
}

// seenTexts returns the observed texts, oldest first, of the newest segments.
func (h *History) seenTexts(segments int) ([]seenText, error) {
	var list []seenText
	err := h.Pack(SeenPack).Recent(segments, func(e pack.Entry, text func() ([]byte, error)) {
		if e.Name != "" && !e.Purged { // Check reports damaged lines
			list = append(list, seenText{e, text})
		}
	})
	slices.SortStableFunc(list, func(a, b seenText) int { return cmp.Or(cmp.Compare(a.Action, b.Action), a.At.Compare(b.At)) })
	return list, err
}

// changes pairs each observed text of a memory file with the text before it, and the current text with the last known one,
// oldest first. Of a change that skip reports the texts are not read.
func (a *Agent) changes(in job.Input, seen []seenText, skip func(Rewrite) bool) ([]Rewrite, error) {
	seen, err := a.withEarlier(in, seen, skip)
	if err != nil {
		return nil, err
	}
	list, last := a.observedChanges(in, seen, skip)
	for p, e := range last {
		text, err := a.lastText(p, e)
		switch {
		case errors.Is(err, pack.ErrDamaged):
			continue
		case err != nil:
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

// withEarlier puts before the newest segments' texts the last earlier text of each file whose first change there would else have
// nothing to be compared with: a large workspace fills several segments when it is first recorded.
func (a *Agent) withEarlier(in job.Input, seen []seenText, skip func(Rewrite) bool) ([]seenText, error) {
	met := map[string]bool{}
	var alone []string
	for _, e := range seen {
		if p := vault.Path(e.Name); !met[e.Name] && isLongTerm(in.Layout, p) {
			met[e.Name] = true
			if !skip(Rewrite{File: p, At: e.At, key: rewriteKey(e.Entry)}) {
				alone = append(alone, e.Name)
			}
		}
	}
	var earlier []seenText
	err := a.History.Pack(SeenPack).Earlier(recentSegments, alone, func(e pack.Entry, text func() ([]byte, error)) {
		if !e.Purged {
			earlier = append(earlier, seenText{e, text})
		}
	})
	return append(earlier, seen...), err
}

// observedChanges pairs each observed text of a memory file with the text before it. It also returns the last one of each file.
func (a *Agent) observedChanges(in job.Input, seen []seenText, skip func(Rewrite) bool) (list []Rewrite, last map[vault.Path]seenText) {
	last = map[vault.Path]seenText{}
	for _, e := range seen {
		p := vault.Path(e.Name)
		if !isLongTerm(in.Layout, p) {
			continue
		}
		before, met := last[p]
		last[p] = e
		r := Rewrite{Ref: e.Name + seenMark + strconv.FormatInt(e.At.Unix(), 10), File: p, At: e.At, key: rewriteKey(e.Entry)}
		r.skipped = skip(r)
		if r.skipped {
			list = append(list, r)
			continue
		}
		text, written := a.History.LeftBy(e.Entry)
		if !written && !met {
			continue // the first observation of a file is no change of it
		}
		var err error
		if !written {
			text, err = before.text()
		}
		r.Before = text
		if err == nil {
			r.After, err = e.text()
		}
		if err == nil { // Check reports damaged lines
			list = append(list, r)
		}
	}
	return list, last
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
	f = finding.RewriteLost.In(string(r.File), "a rewrite %s%s took out text: %s", when, by, r.Verdict)
	f.Remedy = fmt.Sprintf("`tend show %s` lists it, `tend restore --lost %s` brings it back", r.Ref, r.Ref)
	return f, true
}

// LostText reports the recent rewrites that lost a page of text.
func (a *Agent) LostText(in job.Input) ([]finding.Finding, error) {
	list, err := a.Rewrites(in)
	return a.lostText(list), err
}

func (a *Agent) lostText(list []Rewrite) []finding.Finding {
	var found []finding.Finding
	for _, r := range list {
		if f, ok := r.Finding(a.Location); ok {
			f.Agent = a.Name
			found = append(found, f)
		}
	}
	return found
}

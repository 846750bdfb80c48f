package past

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Whence is everything known about where an entry came from.
type Whence struct {
	Entry     string           `json:"entry,omitempty"`
	Stands    []Place          `json:"stands"`
	Origins   []Origin         `json:"origins"` // oldest first
	Proposals []fleet.Proposal `json:"proposals,omitempty"`
	// First is when and where the entry was first seen, if the agent or a person wrote it.
	First *Sighting `json:"first_seen,omitempty"`
	// Before is what the line said earlier, newest first.
	Before []Wording `json:"before,omitempty"`
	// Deleted is when its owner removed or rejected it: no job brings it back.
	Deleted string `json:"deleted,omitempty"`
}

// Sighting is a text in which an entry was seen.
type Sighting struct {
	At   time.Time  `json:"at"`
	File vault.Path `json:"file"`
	Line int        `json:"line"`
	Ref  string     `json:"ref,omitempty"` // the kept text, "" for a file of the workspace
}

// Place is a line of a file.
type Place struct {
	Path vault.Path `json:"path"`
	Line int        `json:"line"`
}

// Origin is one step of an entry.
type Origin struct {
	Action string    `json:"action"`
	Job    string    `json:"job"`
	Who    string    `json:"who,omitempty"`
	At     time.Time `json:"at"`
	plan.Source
	Now *Place `json:"now"` // where the source text is now; nil if it is gone
}

// ErrNoEntry: no entry begins on that line.
var ErrNoEntry = errors.New("no entry begins")

var fileLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\S+\.md):(\d+)$`) })

// Why finds where an entry came from. entry is some of its words, or FILE:LINE.
func (p Past) Why(ctx context.Context, entry string) (Whence, error) {
	w := Whence{Stands: []Place{}, Origins: []Origin{}}
	in, err := p.a.Input(ctx)
	if err != nil {
		return w, err
	}
	if m := fileLine().FindStringSubmatch(entry); m != nil {
		line, _ := strconv.Atoi(m[2])
		e, ok := entryAt(in, vault.Path(m[1]), line)
		if !ok {
			return w, fmt.Errorf("%w at line %d of %s", ErrNoEntry, line, m[1])
		}
		entry = e.Text()
	}
	w.Entry = strings.TrimSpace(entry)
	same := matcher(entry)
	for _, doc := range in.All() {
		if r, ok := in.Layout.RoleOf(string(doc.Path)); ok && (r == layout.Daily || r == layout.Archive || r == layout.Buffer) {
			continue
		}
		for _, e := range in.Parse(doc).Entries(0) {
			if !same(e.Normal()) {
				continue
			}
			w.Stands = append(w.Stands, Place{doc.Path, e.Line})
			if len(w.Stands) == 1 {
				if w.Before, err = p.Before(ctx, in, doc.Path, e); err != nil {
					return w, err
				}
			}
		}
	}
	for _, d := range in.Facts.Past.Deleted {
		if len(w.Stands) == 0 && same(d.Normal) {
			w.Deleted = d.Day.String()
		}
	}
	for act, err := range p.a.Ledger.Actions() {
		if err != nil {
			return w, err
		}
		if act.Outcome == ledger.TakenBack {
			continue
		}
		told := map[plan.Source]bool{} // a statement and its reason may come from one line
		for _, s := range act.Sources {
			from := plan.Source{Path: s.Path, Line: s.Line, Hash: s.Hash}
			if (same(s.Entry) || s.Was != "" && same(s.Was)) && !told[from] {
				told[from] = true
				w.Origins = append(w.Origins, Origin{Action: act.ID, Job: act.Job, Who: act.Who, At: act.At, Source: s, Now: placeNow(in, s)})
			}
		}
	}
	slices.Reverse(w.Origins)
	all, err := p.a.Proposals.List()
	if err != nil {
		return w, err
	}
	for _, x := range all {
		if same(note.Normal(x.Text)) {
			w.Proposals = append(w.Proposals, x)
		}
	}
	w.First, err = p.firstSeen(in, same)
	return w, err
}

// firstSeen finds the oldest text with an entry: among observed edits, texts that actions wrote, and the daily logs,
// whose names give their day.
func (p Past) firstSeen(in job.Input, same func(string) bool) (*Sighting, error) {
	var first *Sighting
	meet := func(s Sighting) {
		if first == nil || s.At.Before(first.At) {
			first = &s
		}
	}
	for _, log := range in.Logs() {
		if line, ok := entryLine(in, log.Path, log.Data, same); ok {
			meet(Sighting{At: log.Day.Start(in.Now.Location()), File: log.Path, Line: line})
			break // they come oldest first
		}
	}
	seen, err := p.seen("")
	if err != nil {
		return nil, err
	}
	for _, e := range seen {
		if line, ok := entryLine(in, vault.Path(e.Name), e.Text, same); ok && !e.Purged {
			meet(Sighting{At: e.At, File: vault.Path(e.Name), Line: line, Ref: seenRef(e)})
			break
		}
	}
	return first, nil
}

// entryLine returns the line of a text on which an entry begins.
func entryLine(in job.Input, file vault.Path, text []byte, same func(string) bool) (int, bool) {
	for _, e := range in.Syntax(file).Parse(text).Entries(0) {
		if same(e.Normal()) {
			return e.Line, true
		}
	}
	return 0, false
}

// matcher returns a function that reports whether a normalized entry is the one meant: the same text, or one with the
// given words.
func matcher(entry string) func(string) bool {
	want := note.Normal(entry)
	return func(normal string) bool {
		return want != "" && (normal == want || strings.Contains(" "+normal+" ", " "+want+" "))
	}
}

func entryAt(in job.Input, p vault.Path, line int) (note.Entry, bool) {
	for _, e := range in.Parse(in.File(p)).Entries(0) {
		if e.Line <= line && line < e.Line+max(1, strings.Count(string(e.Raw), "\n")) {
			return e, true
		}
	}
	return note.Entry{}, false
}

// placeNow finds where a source text is now: in its file, or where that was archived.
func placeNow(in job.Input, s plan.Source) *Place {
	for _, doc := range in.All() {
		if doc.Path != s.Path && doc.Path.Base() != s.Path.Base() {
			continue
		}
		d := in.Parse(doc)
		for _, e := range d.Entries(0) {
			if vault.VersionOf(e.Raw) == s.Hash {
				return &Place{doc.Path, e.Line}
			}
		}
		for i, line := range strings.SplitAfter(string(doc.Data), "\n") { // a line of a closure block
			if vault.VersionOf([]byte(line)) == s.Hash {
				return &Place{doc.Path, i + 1}
			}
		}
	}
	return nil
}

// Passage is a piece of a kept text: an entry, a paragraph or a section.
type Passage struct {
	Kept
	From, To int // its byte range in Data
}

// Text returns only the passage.
func (p Passage) Text() []byte { return p.Data[p.From:p.To] }

// Wanted describes the passage to find.
type Wanted struct {
	File    vault.Path // only in this file, "" for all
	Words   string     // some words of an entry or paragraph, in their order
	Section string     // or the heading of a section
}

// Passage finds the newest kept text with a passage that the file no longer has.
func (p Past) Passage(ctx context.Context, w Wanted) (Passage, error) {
	in, err := p.a.Input(ctx)
	if err != nil {
		return Passage{}, err
	}
	var best Passage
	current := false // the file still has it
	check := func(k Kept, err error) error {
		if err != nil || k.File == "" || w.File != "" && k.File != w.File || best.Ref != "" && !k.At.After(best.At) {
			return nil // doctor reports what cannot be read
		}
		from, to, ok := w.in(in, k)
		if !ok {
			return nil
		}
		if now := in.File(k.File); bytes.Contains(now.Data, bytes.TrimSpace(k.Data[from:to])) {
			current = true
			return nil
		}
		best = Passage{k, from, to}
		return nil
	}
	_, err = p.Displaced(ctx, "", math.MaxInt, check)
	if err := errors.Join(err, p.Observed(ctx, check), p.Archived(ctx, check)); err != nil {
		return best, err
	}
	switch {
	case best.Ref != "":
		return best, nil
	case current:
		return best, &job.Refusal{Why: fmt.Sprintf("%s still has it", p.a.Name), Try: "`tend search` shows where", Usage: true}
	}
	return best, unknown(fmt.Sprintf("no kept text of %s has %s", p.a.Name, w))
}

// unknown is ErrUnknown with a specific message.
type unknown string

func (e unknown) Error() string        { return string(e) }
func (e unknown) Is(target error) bool { return target == ErrUnknown }

func (w Wanted) String() string {
	if w.Section != "" {
		return fmt.Sprintf("a section %q", w.Section)
	}
	return fmt.Sprintf("%q", w.Words)
}

// in finds the passage in a kept text.
func (w Wanted) in(in job.Input, k Kept) (from, to int, ok bool) {
	doc := in.Parse(vault.Doc{Path: k.File, Data: k.Data})
	if w.Section != "" {
		for _, s := range doc.Sections {
			if strings.EqualFold(strings.TrimSpace(s.Title), strings.TrimSpace(w.Section)) {
				return s.Start, s.End, true
			}
		}
		return 0, 0, false
	}
	want := note.Normal(w.Words)
	for _, b := range doc.Parts {
		if b.Kind != note.Blank && want != "" && strings.Contains(note.Normal(string(doc.Raw(b))), want) {
			return b.Start, b.End, true
		}
	}
	return 0, 0, false
}

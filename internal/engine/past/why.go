package past

import (
	"context"
	"errors"
	"fmt"
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
	"tend/internal/text/session/seen"
)

// Provenance is everything known about where an entry came from.
type Provenance struct {
	Entry     string           `json:"entry,omitempty"`
	Stands    []Location       `json:"stands"`
	Origins   []Origin         `json:"origins"` // oldest first
	Proposals []fleet.Proposal `json:"proposals,omitempty"`
	// Said are statements of imported sessions with it, the newest first.
	Said []Said `json:"said,omitempty"`
	// First is when and where the entry was first seen, if the agent or a person wrote it.
	First *Sighting `json:"first_seen,omitempty"`
	// Before is what the line said earlier, newest first.
	Before []Wording `json:"before,omitempty"`
	// Deleted is set if its owner removed or rejected it: no job brings it back.
	Deleted *Deletion `json:"deleted,omitempty"`
	// Seen is when the line was in a request to the model, nil if no session is known.
	Seen *seen.Life `json:"seen,omitempty"`
	// Unread is why the harness's sessions could not be read.
	Unread string `json:"sessions_unread,omitempty"`
}

// Deletion is what an owner removed from memory, or rejected as a proposal.
type Deletion struct {
	By   note.Day   `json:"by"`             // the day it was noticed
	File vault.Path `json:"file,omitempty"` // "" for a proposal
	Text string     `json:"text"`           // in normal form; perhaps in other words
}

// Sighting is a text in which an entry was seen.
type Sighting struct {
	At   time.Time  `json:"at"`
	File vault.Path `json:"file"`
	Line int        `json:"line"`
	Ref  string     `json:"ref,omitempty"` // the kept text, "" for a file of the workspace
}

// Location is a line of a file.
type Location struct {
	Path vault.Path `json:"path"`
	Line int        `json:"line"`
}

// Origin is one step of an entry.
type Origin struct {
	Action string    `json:"action"`
	Job    string    `json:"job"`
	Who    string    `json:"who,omitempty"`
	At     time.Time `json:"at"`
	Model  string    `json:"model,omitempty"` // the curator that chose it
	plan.Source
	Now *Location `json:"now"` // where the source text is now; nil if it is gone
}

// ErrNoEntry: no entry begins on that line.
var ErrNoEntry = errors.New("no entry begins")

var fileLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\S+\.md):(\d+)$`) })

// Why finds where an entry came from. entry is some of its words, or FILE:LINE.
func (p Reader) Why(ctx context.Context, entry string) (Provenance, error) {
	w := Provenance{Stands: []Location{}, Origins: []Origin{}}
	in, err := p.a.Input(ctx)
	if err != nil {
		return w, err
	}
	if m := fileLine().FindStringSubmatch(entry); m != nil {
		file := vault.Path(m[1])
		line, _ := strconv.Atoi(m[2])
		e, ok := entryAt(in, file, line)
		if !ok { // a line of an imported session is no entry
			w.Said, err = p.saidAt(in, file, line)
			switch {
			case err != nil:
			case len(w.Said) == 0:
				err = fmt.Errorf("%w at line %d of %s", ErrNoEntry, line, file)
			default:
				w.Entry = w.Said[0].text
			}
			return w, err
		}
		entry = e.Text()
	}
	w.Entry = strings.TrimSpace(entry)
	same := matchesEntry(entry)
	var first note.Entry
	w.Stands, first = findInMemory(in, same)
	if len(w.Stands) == 0 {
		w.Deleted = findDeletion(in.Facts.Remembered.Deleted, entry, same)
	} else if w.Before, err = p.Before(ctx, in, w.Stands[0].Path, first); err != nil {
		return w, err
	}
	if w.Origins, err = p.findOrigins(in, same); err != nil {
		return w, err
	}
	all, err := p.a.Proposals.List()
	if err != nil {
		return w, err
	}
	for _, x := range all {
		if same(note.Normal(x.Text)) {
			w.Proposals = append(w.Proposals, x)
		}
	}
	if w.Said, err = p.saidLike(in, same); err != nil {
		return w, err
	}
	if w.First, err = p.findFirst(in, same); err != nil {
		return w, err
	}
	return p.withSessions(ctx, in, w, same), nil
}

// findInMemory finds where an entry stands in the files that are neither logs, archives nor the buffer, and the first of these
// entries. The list is never nil.
func findInMemory(in job.Input, same func(string) bool) (list []Location, first note.Entry) {
	list = []Location{}
	for _, doc := range in.All() {
		role, known := in.Layout.RoleOf(string(doc.Path))
		if known && (role == layout.Daily || role == layout.Archive || role == layout.Buffer) {
			continue
		}
		for _, e := range in.Parse(doc).Entries(0) {
			if !same(e.Normal()) {
				continue
			}
			if len(list) == 0 {
				first = e
			}
			list = append(list, Location{doc.Path, e.Line})
		}
	}
	return list, first
}

// findOrigins finds the actions that wrote an entry, with where each took it from, oldest first.
func (p Reader) findOrigins(in job.Input, same func(string) bool) ([]Origin, error) {
	list := []Origin{}
	for act, err := range p.a.Ledger.Actions() {
		if err != nil {
			return list, err
		}
		if act.Outcome == ledger.RolledBack {
			continue
		}
		reported := map[plan.Source]bool{} // a statement and its reason may come from one line
		for _, s := range act.Sources {
			from := plan.Source{Path: s.Path, Line: s.Line, Hash: s.Hash}
			wrote := same(s.Entry) || (s.Was != "" && same(s.Was))
			if reported[from] || !wrote {
				continue
			}
			reported[from] = true
			o := Origin{Action: act.ID, Job: act.Job, Who: act.Who, At: act.At, Source: s, Now: locationNow(in, s)}
			if s.Quote != "" && len(act.Judges) > 0 {
				o.Model = act.Judges[0].Model
			}
			list = append(list, o)
		}
	}
	slices.Reverse(list)
	return list, nil
}

// findDeletion finds the newest deletion of an entry, in these words or, if there is none, in similar ones.
func findDeletion(list []job.Deleted, entry string, same func(string) bool) *Deletion {
	for _, d := range slices.Backward(list) {
		if same(d.Normal) {
			return &Deletion{d.Day, d.Path, d.Normal}
		}
	}
	if d, ok := job.LikeDeleted(list, note.Normal(entry)); ok {
		return &Deletion{d.Day, d.Path, d.Normal}
	}
	return nil
}

// findFirst finds the oldest text with an entry, among observed edits and the daily logs, whose names give their day.
func (p Reader) findFirst(in job.Input, same func(string) bool) (*Sighting, error) {
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
	seen, err := p.observedEntries("")
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

// matchesEntry returns a function that reports whether a normalized entry is the one meant: the same text, or one with the
// given words.
func matchesEntry(entry string) func(string) bool {
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

// locationNow finds where a source text is now: in its file, or where that was archived.
func locationNow(in job.Input, s plan.Source) *Location {
	for _, doc := range in.All() {
		if doc.Path != s.Path && doc.Path.Base() != s.Path.Base() {
			continue
		}
		d := in.Parse(doc)
		for _, e := range d.Entries(0) {
			if vault.VersionOf(e.Raw) == s.Hash {
				return &Location{doc.Path, e.Line}
			}
		}
		for i, line := range strings.SplitAfter(string(doc.Data), "\n") { // a line of a closure block
			if vault.VersionOf([]byte(line)) == s.Hash {
				return &Location{doc.Path, i + 1}
			}
		}
	}
	return nil
}

// Package plan defines what a job wants to change: a list of changes with reasons, made without touching anything,
// printable as a diff, applied by the ledger.
package plan

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
)

// Snapshot is a workspace as a job sees it.
type Snapshot struct {
	Agent string
	Now   time.Time // in the agent's time zone
	Files map[vault.Path]vault.Doc
}

// Op is an operation on a file.
type Op string

// The operations.
const (
	Write  Op = "write"  // Old becomes New; creates the file if Before is vault.Absent
	Append Op = "append" // New is appended
	Remove Op = "remove" // the file is moved to the trash
)

// Change is a plan's change of one file.
type Change struct {
	Path   vault.Path
	Op     Op
	Before vault.Version // the version in the snapshot
	Old    []byte        // the text of that version
	New    []byte
	// From names a text the state already has ("baseline:<version>"), so that the ledger need not store it again.
	From string
	// Force replaces the file even if someone is writing to it at that moment; only for plans that store everything
	// they displace, as a reset does.
	Force bool
	// Like has the attributes a new file gets: those of the file it is made from.
	Like *vault.Attr
	Why  string
}

// Archive is text that is removed from memory and must stay findable.
type Archive struct {
	File vault.Path // the file it was in
	Kind string     // notes, drift, full, late, pruned …
	Diff string     // how it differed from the expected text, if that is the point
	Text []byte     // exact to the byte
	Why  string
}

// Receipt records exactly which bytes of a file a job has processed.
type Receipt struct {
	Job  string        `json:"job"`
	Path vault.Path    `json:"path"`
	From int           `json:"from"`
	To   int           `json:"to"`
	Hash vault.Version `json:"hash"` // of the bytes From:To
}

// Source records where a promoted entry came from.
type Source struct {
	Entry  string        `json:"entry"`         // the normalized text as it is now
	Was    string        `json:"was,omitempty"` // the normalized text at its source, if it was reworded
	Target vault.Path    `json:"target"`
	Path   vault.Path    `json:"path"`
	Line   int           `json:"line"`
	Hash   vault.Version `json:"hash"` // of the entry in the source
	// Moved: the entry moved from one file of memory to another. Tend did not write it.
	Moved bool `json:"moved,omitempty"`
	// Unseen: it moved from where the harness does not load it, so that nothing left what the agent sees.
	Unseen bool `json:"unseen,omitempty"`
	// Quote is what a curator quoted of the source.
	Quote string `json:"quote,omitempty"`
}

// Judge records who answered which request, and what.
type Judge struct {
	Model   string `json:"model"`
	Request string `json:"request"` // its key, which is a digest of what was asked
	Answer  string `json:"answer"`  // the operations as JSON, secrets masked
}

// Outcome is the outcome of a job for one agent.
type Outcome string

// The outcomes of jobs.
const (
	WasReset  Outcome = "reset"
	Created   Outcome = "created"
	Drifted   Outcome = "drifted"
	Changed   Outcome = "changed"   // a job other than reset changed something
	Unchanged Outcome = "unchanged" // nothing to do
	Undone    Outcome = "undone"
	Written   Outcome = "written"
	Held      Outcome = "held" // the automation level forbids it; it reports what it would do
	Deferred  Outcome = "deferred"
	Refused   Outcome = "refused"
	Locked    Outcome = "locked"
	Failed    Outcome = "failed"
)

// Plan is what a job wants to change.
type Plan struct {
	Job     string
	Reason  string
	Summary string // one line for people: what it does, or why it does nothing
	// Outcome is the outcome of applying the plan, where changed and unchanged are not enough.
	Outcome  Outcome
	Changes  []Change
	Archives []Archive
	Receipts []Receipt
	Sources  []Source
	Judges   []Judge
	Findings []finding.Finding
	// Proposals need the operator's decision; they are saved before the plan is applied.
	Proposals []Proposal
	// Undoes is the action that the plan reverts.
	Undoes string
}

// Empty reports whether the plan changes no file.
func (p Plan) Empty() bool { return len(p.Changes) == 0 }

// Diff returns the changes as a unified diff.
func (p Plan) Diff() string { return p.DiffIn("") }

// DiffIn is Diff with file names prefixed by a folder: the agent's name where diffs of several are shown together.
func (p Plan) DiffIn(folder string) string {
	var b strings.Builder
	for _, c := range p.Changes {
		old, new := string(c.Old), string(c.New)
		name := path.Join(folder, string(c.Path))
		from, to := "a/"+name, "b/"+name
		switch {
		case c.Op == Append:
			new = old + new
		case c.Op == Remove:
			new, to = "", "/dev/null"
		}
		if c.Before == vault.Absent {
			from = "/dev/null"
		}
		b.WriteString(udiff.Unified(from, to, old, new))
	}
	return b.String()
}

// Join merges two lists of changes: a file that both change goes from what the first found to what the second leaves.
func Join(first, then []Change) []Change {
	all := slices.Clone(first)
	at := make(map[vault.Path]int, len(all))
	for i, c := range all {
		at[c.Path] = i
	}
	for _, c := range then {
		i, ok := at[c.Path]
		if !ok {
			at[c.Path], all = len(all), append(all, c)
			continue
		}
		was := all[i]
		if c.Op == Append {
			c.New = append(bytes.Clone(c.Old), c.New...)
			c.Op = Write
		}
		c.Before, c.Old = was.Before, was.Old
		all[i] = c
	}
	return all
}

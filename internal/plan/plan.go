// Package plan is what a job wants to change: a list of changes with reasons,
// made without touching anything, printable as a diff, applied by the ledger.
package plan

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/finding"
	"tend/internal/vault"
)

// Snapshot is a workspace as a job sees it.
type Snapshot struct {
	Agent string
	Now   time.Time // in the agent's time zone
	Files map[vault.Path]vault.Doc
}

// Op is what happens to a file.
type Op string

// The operations.
const (
	Write  Op = "write"  // Old becomes New; creates the file if Before is vault.Absent
	Append Op = "append" // New is added at the end
	Remove Op = "remove" // the file goes to the trash
)

// Change is one file's part of a plan.
type Change struct {
	Path   vault.Path
	Op     Op
	Before vault.Version // what the snapshot saw
	Old    []byte        // the text that went with it
	New    []byte
	// From names a text the state already holds ("baseline:<version>"), so that
	// the ledger need not store it again.
	From string
	// Force replaces the file even if somebody writes to it in that very moment;
	// right only where the plan stores all that is displaced, as a reset does.
	Force bool
	// Like is what a new file gets besides its text: that of the file it is made from.
	Like *vault.Attr
	Why  string
}

// Archive is text that leaves the memory and must be findable afterwards.
type Archive struct {
	File vault.Path // where it stood
	Kind string     // notes, drift, full, late, pruned …
	Diff string     // how it differed from what it should have been, if that is the point
	Text []byte     // faithful to the byte
	Why  string
}

// Receipt says exactly which bytes of a file a job has consumed.
type Receipt struct {
	Job  string        `json:"job"`
	Path vault.Path    `json:"path"`
	From int           `json:"from"`
	To   int           `json:"to"`
	Hash vault.Version `json:"hash"` // of the bytes From:To
}

// Source says where a promoted entry came from.
type Source struct {
	Entry  string        `json:"entry"`         // the normalised text as it stands now
	Was    string        `json:"was,omitempty"` // the normalised text at its source, where it was reworded
	Target vault.Path    `json:"target"`
	Path   vault.Path    `json:"path"`
	Line   int           `json:"line"`
	Hash   vault.Version `json:"hash"` // of the entry as it stood there
}

// Outcome is what a job came to for one agent.
type Outcome string

// The outcomes of jobs.
const (
	WasReset  Outcome = "reset"
	Created   Outcome = "created"
	Drifted   Outcome = "drifted"
	Changed   Outcome = "changed"   // a job other than reset changed something
	Unchanged Outcome = "unchanged" // there was nothing to do
	Undone    Outcome = "undone"
	Written   Outcome = "written"
	Held      Outcome = "held" // the automation level does not allow it: it says what it would do
	Deferred  Outcome = "deferred"
	Refused   Outcome = "refused"
	Locked    Outcome = "locked"
	Failed    Outcome = "failed"
)

// Plan is what a job wants.
type Plan struct {
	Job     string
	Reason  string
	Summary string // one line for people: what it does, or why it does nothing
	// Outcome names what applying the plan comes to, where changed and unchanged do not say enough.
	Outcome  Outcome
	Changes  []Change
	Archives []Archive
	Receipts []Receipt
	Sources  []Source
	Findings []finding.Finding
	// Proposals wait for a person; they are kept before the plan is applied.
	Proposals []Proposal
	// Undoes is the action that the plan takes back.
	Undoes string
}

// Empty reports whether the plan changes no file.
func (p Plan) Empty() bool { return len(p.Changes) == 0 }

// Diff shows the changes as a unified diff.
func (p Plan) Diff() string { return p.DiffIn("") }

// DiffIn is Diff with the files named below a folder: the agent's name where diffs of several are shown together.
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

// Join is two lists of changes as one: a file that both change goes from what the first found to what the second leaves.
func Join(first, then []Change) []Change {
	all := slices.Clone(first)
	for _, c := range then {
		i := slices.IndexFunc(all, func(o Change) bool { return o.Path == c.Path })
		if i < 0 {
			all = append(all, c)
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

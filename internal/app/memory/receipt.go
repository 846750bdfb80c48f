package memory

import (
	"fmt"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/textfmt"
	"tend/internal/text/note"
)

// Receipt reports what a call really wrote, so that "saved" can be checked.
type Receipt struct {
	Path     vault.Path `json:"path"`
	Outcome  Outcome    `json:"outcome"`
	Version  string     `json:"version,omitempty"` // of the file now, for if_version
	Bytes    int        `json:"bytes"`
	Lines    int        `json:"lines"`
	Added    int        `json:"added,omitempty"`   // lines
	Removed  int        `json:"removed,omitempty"` // lines
	At       int        `json:"at,omitempty"`      // first changed line
	From     vault.Path `json:"from,omitempty"`    // where a moved file was
	Action   string     `json:"action,omitempty"`  // id in the ledger, for undo
	Cut      *Cut       `json:"cut,omitempty"`
	Warnings []string   `json:"warnings,omitempty"`
	Excerpt  string     `json:"-"` // the changed lines, numbered

	lost  []vault.Path // guarded files that were missing when the write was allowed
	empty bool         // it was an empty folder
}

// Outcome is what happened to the file.
type Outcome string

// The outcomes.
const (
	Created   Outcome = "created"
	Saved     Outcome = "saved"
	Unchanged Outcome = "unchanged"
	Moved     Outcome = "moved"
	Deleted   Outcome = "deleted"
)

// String returns the receipt in a sentence or two.
func (r Receipt) String() string {
	var b strings.Builder
	b.WriteString(r.summary() + ".")
	switch {
	case r.empty:
		return b.String()
	case r.Outcome == Unchanged:
		b.WriteString(" version " + r.Version)
	case r.Version == "": // it was deleted, or is a folder
		b.WriteString(" action " + r.Action)
	default:
		b.WriteString(" version " + r.Version + ", action " + r.Action)
	}
	if r.Cut != nil {
		b.WriteString("\nWarning: " + r.Cut.String())
	}
	for _, w := range r.Warnings {
		b.WriteString("\nWarning: " + w)
	}
	if r.Excerpt != "" {
		b.WriteString("\n" + r.Excerpt)
	}
	return b.String()
}

// summary says what happened to the file, for the ledger too.
func (r Receipt) summary() string {
	switch {
	case r.empty:
		return "Deleted " + string(r.Path) + ", an empty folder"
	case r.Outcome == Unchanged:
		return string(r.Path) + " already has this text: nothing to write"
	case r.Outcome == Deleted:
		return fmt.Sprintf("Deleted %s (%s, kept in the trash)", r.Path, textfmt.Count(r.Bytes, "byte"))
	case r.Outcome == Moved:
		return fmt.Sprintf("Moved %s to %s", r.From, r.Path)
	}
	verb := "Saved"
	if r.Outcome == Created {
		verb = "Created"
	}
	return fmt.Sprintf("%s %s: +%d -%d, now %s, %s",
		verb, r.Path, r.Added, r.Removed, textfmt.Count(r.Lines, "line"), textfmt.Count(r.Bytes, "byte"))
}

// countChange fills in what changed between two texts.
func (r *Receipt) countChange(before vault.Doc, after []byte) {
	e := note.Trim(before.Data, after)
	// The smallest edit may begin or end within lines: count those as whole.
	from := strings.LastIndexByte(string(after[:e.At]), '\n') + 1
	r.Bytes, r.Lines = len(after), note.Lines(after)
	r.Version = vault.VersionOf(after).Short()
	tail := len(after) - e.At - len(e.Text)
	for tail > 0 && (len(after) == tail || after[len(after)-tail-1] != '\n') {
		tail--
	}
	r.Added = note.Lines(after[from : len(after)-tail])
	r.Removed = note.Lines(before.Data[from : len(before.Data)-tail])
	r.At = note.LineAt(after, from)
}

const (
	excerptAround = 2
	excerptMost   = 12
	excerptWidth  = 120
)

// excerptOf numbers the changed lines with two on either side.
func excerptOf(text []byte, at, n int) string {
	all := strings.SplitAfter(string(text), "\n")
	from, to := max(1, at-excerptAround), min(note.Lines(text), at+max(n, 1)-1+excerptAround)
	var b strings.Builder
	for i := from; i <= to && i <= len(all); i++ {
		if i-from == excerptMost {
			fmt.Fprintf(&b, "… %d more lines\n", to-i+1)
			break
		}
		line := strings.TrimRight(all[i-1], "\r\n")
		fmt.Fprintf(&b, "%d: %s\n", i, textfmt.Clip(line, excerptWidth))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

package seen

import (
	"fmt"

	"tend/internal/model/textfmt"
)

// Says puts it in words: when the model last saw the line, and why the newest session did not have it. Either may be empty.
func (l Life) Says() (last, unseen string) {
	if l.Last == nil {
		return "", fmt.Sprintf("never seen by the model since %s: in none of %s (%s)",
			l.Since.Format(textfmt.Minute), textfmt.Count(l.Sessions, "known session"), l.Unseen.reason())
	}
	last = fmt.Sprintf("last seen by the model on %s, in session %s (in %d of %s)", l.Last.At.Format(textfmt.Minute),
		textfmt.InLine(l.Last.Session), l.Seen, textfmt.Count(l.Sessions, "known session"))
	if l.Unseen != nil {
		unseen = fmt.Sprintf("not in the newest session, %s of %s (%s)", textfmt.InLine(l.Unseen.Session),
			l.Unseen.At.Format(textfmt.Minute), l.Unseen.reason())
	}
	return last, unseen
}

// reason says why a line was not in a request.
func (m Met) reason() string {
	file := textfmt.InLine(m.Path)
	switch m.Why {
	case Cut:
		return "cut from " + file
	case Displaced:
		return "other files used up the total before " + file
	case Excluded:
		return "the harness does not trust " + file
	case Unreadable:
		return file + " could not be read"
	}
	if file == "" {
		return "it was in no file that was loaded"
	}
	return "the harness did not load " + file
}

package transcripts

import (
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/state/plan"
	"tend/internal/text/scan"
	"tend/internal/text/transcript"
)

// mark is how far a session was read.
type mark struct {
	until time.Time // when the last statement was made
	at    int64     // bytes of the file, or the number of the row
	tail  string    // what was before that
}

// A session has two receipts: until when it was heard, and, with this suffix, where reading goes on.
const reading = "/read"

func untilPath(key string) vault.Path { return vault.Path(job.SessionReceipts + key) }
func readPath(key string) vault.Path  { return untilPath(key) + reading }

// receiptsOf records a mark in the ledger, together with what the session added to the notes.
func (m mark) receiptsOf(key string) []plan.Receipt {
	out := []plan.Receipt{{Job: job.ImportJob, Path: readPath(key), To: int(m.at), Hash: vault.Version(m.tail)}}
	if !m.until.IsZero() {
		out = append(out, plan.Receipt{Job: job.ImportJob, Path: untilPath(key), To: int(m.until.UnixMilli())})
	}
	return out
}

// hearing reads one session.
type hearing struct {
	ear      *transcript.Listener
	was      mark
	at       int64  // how far it is read
	tail     string // what is before that
	progress func(int64)

	whole    bool // read from its beginning, although a run before read it
	sections []*transcript.Section
	until    time.Time
	lost     int // records that could not be read
}

// resumeAt returns where to go on: where the last run stopped, if the text before that is the same; otherwise at the
// beginning, and then only times tell what is new.
func (h *hearing) resumeAt(tail func(at int64) string) int64 {
	h.until = h.was.until
	if tail != nil && h.was.at > 0 && h.was.tail == tail(h.was.at) {
		h.at, h.tail = h.was.at, h.was.tail
		return h.at
	}
	h.whole = !h.was.until.IsZero()
	return 0
}

func (h *hearing) readRecord(line []byte) { h.ear.Line(line) }

// addStatement adds a statement to the section of its day, unless an earlier run has added it.
func (h *hearing) addStatement(s *source, w transcript.Said, zone *time.Location, maxChars int) {
	heardBefore := h.whole && !w.At.After(h.was.until)
	if heardBefore || w.At.IsZero() {
		return
	}
	if w.At.After(h.until) {
		h.until = w.At
	}
	w.At = w.At.In(zone)
	day := w.At.Format(time.DateOnly)
	var to *transcript.Section
	for _, x := range h.sections {
		if x.Day == day {
			to = x
		}
	}
	if to == nil {
		to = &transcript.Section{Program: s.Format, Session: s.ID, File: s.file, Day: day}
		h.sections = append(h.sections, to)
	}
	hits := len(scan.Text([]byte(w.Text), scan.Options{Classes: []scan.Class{scan.Secret}}))
	if hits > 0 {
		to.Masked += hits
		w.Text = string(scan.Mask([]byte(w.Text)))
	}
	to.Add(w, maxChars)
}

// markRead returns how far the session is read now.
func (h *hearing) markRead() mark { return mark{h.until, h.at, h.tail} }

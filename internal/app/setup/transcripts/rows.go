package transcripts

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"tend/internal/disk/sqlite"
	"tend/internal/text/transcript"
)

// The tables of the databases that are read. OpenClaw has one database for each agent with the events that older versions
// wrote as lines of a file; Hermes has one for everything.
const (
	eventsTable   = "transcript_events"
	messagesTable = "messages"
	sessionsTable = "sessions"
	sessionColumn = "session_id"
)

// findInDatabase finds the sessions in a database.
func (l *lookup) findInDatabase(name string, size int64) {
	var found []*source
	err := sqlite.View(name, func(db *sqlite.DB) error {
		found = nil
		events, err := db.Columns(eventsTable)
		if err != nil {
			return err
		}
		messages, err := db.Columns(messagesTable)
		switch {
		case err != nil:
			return err
		case events != nil:
			found, err = l.openClaw(db, name, columns(events))
		case messages != nil:
			found, err = l.findHermes(db, name)
		}
		return err
	})
	if err != nil {
		l.skipFile(name, causeOf(err))
		return
	}
	for _, s := range found {
		s.size = size / int64(len(found))
		l.add(s)
	}
}

// columns are the places of a table's columns.
type columns []string

func (c columns) text(row sqlite.Row, name string) string {
	s, _ := c.valueOf(row, name).(string)
	return s
}

func (c columns) valueOf(row sqlite.Row, name string) sqlite.Value {
	if i := slices.Index(c, name); i >= 0 && i < len(row) {
		return row[i]
	}
	return nil
}

// secondsOf reads a time that is a number of seconds, whole or not.
func (c columns) secondsOf(row sqlite.Row, name string) time.Time {
	n, _ := c.valueOf(row, name).(int64)
	if n == 0 {
		return time.Time{}
	}
	if n < 1<<40 { // a whole number is stored as such
		return time.Unix(n, 0)
	}
	return time.UnixMicro(int64(math.Float64frombits(uint64(n)) * 1e6))
}

func (l *lookup) openClaw(db *sqlite.DB, name string, names columns) (found []*source, err error) {
	var ids []string
	if err := db.Values(eventsTable, sessionColumn, func(id string) bool {
		ids = append(ids, id)
		return l.ctx.Err() == nil
	}); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		var lines [][]byte
		if err := db.Where(eventsTable, sessionColumn, id, func(_ int64, row sqlite.Row) bool {
			lines = append(lines, eventOf(names, row))
			return len(lines) < headLines
		}); err != nil {
			return nil, err
		}
		head, ok := transcript.HeadOf(id, lines)
		if !ok { // the first event may have gone with a compaction
			head = transcript.Head{Format: transcript.OpenClaw}
		}
		head.ID = id
		found = append(found, &source{Head: head, file: name, hear: hearEvents})
	}
	return found, nil
}

// hearEvents reads a session's events from a database of OpenClaw.
func hearEvents(ctx context.Context, s *source, h *hearing) error {
	return h.readRows(ctx, s, eventsTable, "seq", func(names columns, row sqlite.Row) {
		record := eventOf(names, row)
		if record == nil {
			h.lost++
		}
		h.progress(int64(len(record)))
		h.readRecord(record)
	})
}

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRecord))
	return d
})

// eventOf returns an event as JSON, nil if it cannot be read. From 2026.9.6 on OpenClaw compresses events of a kilobyte and
// more.
func eventOf(names columns, row sqlite.Row) []byte {
	if text := names.text(row, "event_json"); text != "" {
		return []byte(text)
	}
	packed := names.text(row, "event_zstd")
	if packed == "" || decoder() == nil {
		return nil
	}
	text, err := decoder().DecodeAll([]byte(packed), nil)
	if err != nil {
		return nil
	}
	return text
}

func (l *lookup) findHermes(db *sqlite.DB, name string) (found []*source, err error) {
	names, err := db.Columns(sessionsTable)
	if err != nil {
		return nil, err
	}
	c := columns(names)
	err = db.Rows(sessionsTable, func(row sqlite.Row) bool {
		h := transcript.Head{Format: transcript.Hermes, ID: c.text(row, "id"), Cwd: c.text(row, "cwd"), Start: c.secondsOf(row, "started_at")}
		by := c.text(row, "source")
		h.Others = h.ID == "" || by == "cron" || by == "subagent" || by == "batch"
		found = append(found, &source{Head: h, file: name, hear: hearMessages})
		return l.ctx.Err() == nil
	})
	return found, err
}

// hearMessages reads a session's messages from the database of Hermes.
func hearMessages(ctx context.Context, s *source, h *hearing) error {
	return h.readRows(ctx, s, messagesTable, "", func(names columns, row sqlite.Row) {
		content := json.RawMessage(names.text(row, "content"))
		if !json.Valid(content) || len(content) == 0 || content[0] != '[' {
			content, _ = json.Marshal(string(content))
		}
		record, err := json.Marshal(transcript.Message{Role: names.text(row, "role"), Content: content})
		h.progress(int64(len(record)))
		if err == nil {
			h.ear.Row(record, names.secondsOf(row, "timestamp"))
		}
	})
}

// readRows reads the rows of a session whose number is above that of the last run. number is the column with it, "" for the
// row's id. If the database changes meanwhile it is read again, but nothing is heard twice.
func (h *hearing) readRows(ctx context.Context, s *source, table, number string, do func(columns, sqlite.Row)) error {
	from := h.resumeAt(func(at int64) string { return s.file })
	h.at, h.tail = from, s.file
	err := sqlite.View(s.file, func(db *sqlite.DB) error {
		list, err := db.Columns(table)
		if err != nil {
			return err
		}
		names := columns(list)
		return db.Where(table, sessionColumn, s.ID, func(id int64, row sqlite.Row) bool {
			if number != "" {
				id, _ = names.valueOf(row, number).(int64)
				id++ // they begin with 0
			}
			if id > h.at {
				h.at = id
				do(names, row)
			}
			return ctx.Err() == nil
		})
	})
	if err == nil {
		err = ctx.Err()
	}
	return err
}

package transcript

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Head is what a session's first records say about it.
type Head struct {
	Format  Format
	ID      string
	Cwd     string // the folder it worked in, "" if that is not recorded
	Project string // Gemini CLI's digest of that folder
	Start   time.Time
	// Others: a program spoke instead of a person, as in a subagent's session.
	Others bool
}

// record has what the formats record about a session, each under its own names.
type record struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	ID        string    `json:"id"`
	Session   string    `json:"sessionId"`
	Cwd       string    `json:"cwd"`
	Version   any       `json:"version"`
	Parent    *string   `json:"parentUuid"`
	UUID      string    `json:"uuid"`
	Sidechain bool      `json:"isSidechain"`
	Hash      string    `json:"projectHash"`
	Start     time.Time `json:"startTime"`
	Kind      string    `json:"kind"`
	Payload   struct {
		ID     string          `json:"id"`
		Cwd    string          `json:"cwd"`
		Source json.RawMessage `json:"source"`
	} `json:"payload"`
}

// HeadOf recognises the format of a transcript by its first lines. name is that of the file. It reports false for what is
// no transcript.
func HeadOf(name string, lines [][]byte) (h Head, ok bool) {
	for _, line := range lines {
		var r record
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		if h.Format == "" {
			h.recogniseFormat(r)
		}
		if h.Format == "" {
			continue
		}
		h.ID = cmp.Or(h.ID, r.Session, r.Payload.ID)
		h.Cwd = cmp.Or(h.Cwd, r.Cwd, r.Payload.Cwd)
		h.Project = cmp.Or(h.Project, r.Hash)
		if h.Start.IsZero() {
			h.Start = r.Start
		}
		if h.Start.IsZero() {
			h.Start = r.Timestamp
		}
	}
	base := path.Base(name)
	h.ID = cmp.Or(h.ID, strings.TrimSuffix(base, path.Ext(base)))
	if h.Start.IsZero() {
		h.Start = dayIn(base)
	}
	return h, h.Format != ""
}

// recogniseFormat takes the format from a record that only one program writes.
func (h *Head) recogniseFormat(r record) {
	switch {
	case r.Type == "session" && r.ID != "":
		h.Format, h.ID = OpenClaw, r.ID
	case r.Type == "session_meta" && r.Payload.ID != "":
		h.Format, h.Others = Codex, bytes.HasPrefix(bytes.TrimSpace(r.Payload.Source), []byte(`{`))
	case r.Hash != "" && r.Session != "":
		h.Format, h.Others = Gemini, r.Kind == "subagent"
	case r.Session != "" && r.UUID != "":
		h.Format, h.Others = ClaudeCode, r.Sidechain
	}
}

var dated = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d{4}-\d{2}-\d{2}`) })

// dayIn finds a date in a file's name.
func dayIn(name string) time.Time {
	t, _ := time.Parse(time.DateOnly, dated().FindString(name))
	return t
}

// stampOf returns the time of a record, zero if it has none.
func stampOf(line []byte) time.Time {
	var r struct {
		Timestamp time.Time `json:"timestamp"`
	}
	_ = json.Unmarshal(line, &r)
	return r.Timestamp
}

// Whole reports whether a record without the end of its line is all there: a program may still be writing it.
func Whole(line []byte) bool { return json.Valid(line) }

// Key names a session in records: its id if that is plain, otherwise a digest of it.
func Key(id string) string {
	plain := func(r rune) bool {
		return r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_')
	}
	if id != "" && len(id) <= 80 && strings.IndexFunc(id, func(r rune) bool { return !plain(r) }) < 0 {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

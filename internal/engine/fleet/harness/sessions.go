package harness

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/sqlite"
	"tend/internal/text/layout"
)

// Record is a session that the harness has a record of.
type Record struct {
	ID  string
	At  time.Time
	Key string // OpenClaw's name of it
	// Files are the sizes of the files it loaded, in the harness's unit, by path; nil if that is not recorded.
	Files        map[string]int
	Limit, Total int // the harness's settings, 0 for the usual
}

// mostSessions is how many sessions are looked at, the newest ones.
const mostSessions = 500

// Sessions lists the sessions in a workspace that its harness has records of, oldest first: OpenClaw's reports of system
// prompts, Claude Code's transcripts beside the memory, Codex's rollouts.
func Sessions(workspace string, l layout.Layout) ([]Record, error) {
	var list []Record
	var err error
	if strings.HasPrefix(l.Name, "openclaw") {
		list, err = openclawSessions(workspace)
	}
	reported := map[string]bool{}
	for _, r := range list {
		reported[r.ID] = true
	}
	for _, file := range transcripts(l, workspace) {
		if r, ok := firstRecord(file); ok && !reported[r.ID] {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b Record) int { return a.At.Compare(b.At) })
	return list[max(0, len(list)-mostSessions):], err
}

// openclawSessions reads the reports that OpenClaw keeps of what its sessions' prompts were made of.
func openclawSessions(workspace string) ([]Record, error) {
	var list []Record
	own := workspaceKey(workspace)
	states, err := databases(workspace)
	if err != nil {
		return nil, err
	}
	for _, state := range states {
		files, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(state)), "agents", "*", "agent", "openclaw-agent.sqlite"))
		for _, file := range files {
			var found []Record
			err := sqlite.View(file, func(db *sqlite.DB) error {
				found = nil
				return db.Rows("session_nodes", func(row sqlite.Row) bool {
					if s, ok := parseReport(row, own); ok {
						found = append(found, s)
					}
					return true
				})
			})
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("the sessions in %s: %w", file, err)
			}
			list = append(list, found...)
		}
	}
	return list, nil
}

// The columns of OpenClaw's table of sessions that are read.
const (
	sessionKeyAt   = 0
	sessionIDAt    = 1
	sessionEntryAt = 2
)

// parseReport reads the report of a session in this workspace.
func parseReport(row sqlite.Row, own string) (Record, bool) {
	var entry struct {
		Report *struct {
			At    int64  `json:"generatedAt"`
			Dir   string `json:"workspaceDir"`
			Limit int    `json:"bootstrapMaxChars"`
			Total int    `json:"bootstrapTotalMaxChars"`
			Files []struct {
				Path    string `json:"path"`
				Missing bool   `json:"missing"`
				Raw     int    `json:"rawChars"`
			} `json:"injectedWorkspaceFiles"`
		} `json:"systemPromptReport"`
	}
	if len(row) <= sessionEntryAt {
		return Record{}, false
	}
	key, _ := row[sessionKeyAt].(string)
	id, _ := row[sessionIDAt].(string)
	text, _ := row[sessionEntryAt].(string)
	if json.Unmarshal([]byte(text), &entry) != nil || entry.Report == nil || workspaceKey(entry.Report.Dir) != own {
		return Record{}, false
	}
	r := entry.Report
	s := Record{ID: id, Key: key, At: time.UnixMilli(r.At), Limit: r.Limit, Total: r.Total, Files: map[string]int{}}
	for _, f := range r.Files {
		if rel, err := filepath.Rel(r.Dir, f.Path); err == nil && !f.Missing {
			s.Files[filepath.ToSlash(rel)] = f.Raw
		}
	}
	return s, true
}

// firstRecord finds the first record with a time among the first lines of a transcript.
func firstRecord(file string) (Record, bool) {
	f, err := fsys.OpenFile(file)
	if err != nil {
		return Record{}, false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for range 20 {
		if !lines.Scan() {
			break
		}
		var r struct {
			At        time.Time `json:"timestamp"`
			Session   string    `json:"sessionId"`
			Sidechain bool      `json:"isSidechain"`
			ID        string    `json:"id"`
			Type      string    `json:"type"`
			Payload   struct {
				ID string `json:"id"`
			} `json:"payload"`
		}
		if json.Unmarshal(lines.Bytes(), &r) == nil && !r.At.IsZero() && !r.Sidechain {
			name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
			if r.Type == "session" {
				name = r.ID
			}
			return Record{ID: cmp.Or(r.Session, r.Payload.ID, name), At: r.At}, true
		}
	}
	return Record{}, false
}

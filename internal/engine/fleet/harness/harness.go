// Package harness reads what a harness on this machine does with an agent's files:
// which it shows, and what it keeps beside them. All of it is optional evidence:
// anything missing or unknown is skipped.
package harness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/text/layout/loadview"
)

// Ask adds to an input what the harness keeps beside a workspace: its own failed jobs, the
// sessions it compacted, and links it may refuse to follow.
func Ask(workspace string, in *job.Input) {
	e := &in.Facts.Audit
	e.Links = kinds(workspace, in)
	if !strings.HasPrefix(in.Layout.Name, "openclaw") {
		return
	}
	home := filepath.Dir(workspace)
	for name, why := range cronErrors(filepath.Join(home, "cron", "jobs.json")) {
		e.Errors["openclaw cron "+name] = why
	}
	e.Compacted = compactions(filepath.Join(home, "agents"), in.Now)
}

// kinds finds the loaded files that are symbolic links, or memory by the harness's settings.
func kinds(root string, in *job.Input) map[vault.Path]loadview.Kind {
	out := map[vault.Path]loadview.Kind{}
	names := make([]string, 0, len(in.Files))
	for p := range in.Files {
		names = append(names, string(p))
	}
	for name, kind := range memoryFiles(in.Layout, root) {
		out[vault.Path(name)] = kind
	}
	for _, name := range loadview.Names(in.Layout, names, "") {
		if i, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); err == nil && i.Mode()&fs.ModeSymlink != 0 {
			out[vault.Path(name)] = loadview.Symlink
		}
	}
	return out
}

// cronErrors returns the enabled jobs of OpenClaw's own scheduler that failed, with their errors.
func cronErrors(file string) map[string]string {
	var store struct {
		Jobs []struct {
			Name    string `json:"name"`
			ID      string `json:"id"`
			Enabled *bool  `json:"enabled"`
			State   struct {
				LastStatus    string `json:"lastStatus"`
				LastRunStatus string `json:"lastRunStatus"`
				LastError     string `json:"lastError"`
			} `json:"state"`
		} `json:"jobs"`
	}
	data, err := fsys.ReadFile(file)
	if err != nil || json.Unmarshal(data, &store) != nil {
		return nil
	}
	out := map[string]string{}
	for _, j := range store.Jobs {
		if j.Enabled != nil && !*j.Enabled || j.State.LastStatus != "error" && j.State.LastRunStatus != "error" {
			continue
		}
		name, why := j.Name, j.State.LastError
		if name == "" {
			name = j.ID
		}
		if why == "" {
			why = "unknown error"
		}
		out[name] = why
	}
	return out
}

// compactions returns when OpenClaw compacted a session within the last two days,
// from its transcripts.
func compactions(agents string, now time.Time) []time.Time {
	const back = 48 * time.Hour
	files, _ := filepath.Glob(filepath.Join(agents, "*", "sessions", "*.jsonl"))
	var out []time.Time
	for _, file := range files {
		if i, err := os.Stat(file); err != nil || !i.Mode().IsRegular() || now.Sub(i.ModTime()) > back {
			continue
		}
		for _, t := range compactedIn(file) {
			if now.Sub(t) <= back && !t.After(now) {
				out = append(out, t)
			}
		}
	}
	slices.SortFunc(out, time.Time.Compare)
	return out
}

func compactedIn(file string) []time.Time {
	f, err := fsys.OpenFile(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	var out []time.Time
	r := bufio.NewReaderSize(f, 1<<16)
	for {
		line, err := r.ReadSlice('\n')
		// Such a record names its type at its beginning; the rest may be of any length.
		if head := line[:min(len(line), 4096)]; bytes.Contains(head, []byte(`"type":"compaction"`)) {
			if t, ok := stampIn(head); ok {
				out = append(out, t)
			}
		}
		for err == bufio.ErrBufferFull {
			_, err = r.ReadSlice('\n')
		}
		if err != nil {
			return out
		}
	}
}

// stampIn finds the time in the head of a record, which may be truncated.
func stampIn(head []byte) (time.Time, bool) {
	_, rest, ok := bytes.Cut(head, []byte(`"timestamp":"`))
	text, _, closed := bytes.Cut(rest, []byte(`"`))
	if !ok || !closed {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, string(text))
	return t, err == nil
}

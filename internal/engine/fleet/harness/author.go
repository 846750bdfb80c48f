package harness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/text/layout"
)

// Change is a change of a file by somebody else, and when it was seen.
type Change struct {
	File vault.Path
	At   time.Time
}

// The programs by which harnesses consolidate memory and skills on their own.
const (
	AutoDream     = "Claude Code's Auto Dream"
	HermesCurator = "Hermes's curator"
	CodexMemories = "Codex's memory consolidation"
)

// soon is how long after a program touched its mark, or a session called a tool, a change counts as theirs.
const soon = time.Hour

// Consolidator names the harness's program that made a change, by the marks it leaves beside the workspace's files; "" if none
// tells.
func Consolidator(l layout.Layout, workspace string, c Change) string {
	touched := func(mark string) bool {
		i, err := os.Lstat(filepath.Join(workspace, filepath.FromSlash(mark)))
		return err == nil && i.Mode().IsRegular() && within(i.ModTime(), c.At)
	}
	switch {
	case l.Name == "codex" && strings.HasPrefix(string(c.File), "memories/"):
		return CodexMemories
	case l.Name == "claude-code" && touched(".consolidate-lock"):
		return AutoDream
	case strings.HasPrefix(l.Name, "hermes") && l.IsSkill(string(c.File)) && touched("skills/.curator_state"):
		return HermesCurator
	}
	return ""
}

// Session names the session whose tool wrote the file last before the change was seen, by the harness's transcripts.
func Session(l layout.Layout, workspace string, c Change) string {
	return session(transcripts(l, workspace), c)
}

// within reports whether something happened shortly before a change was seen.
func within(happened, seen time.Time) bool {
	age := seen.Sub(happened)
	return age >= 0 && age < soon
}

// transcripts lists the harness's transcripts of the workspace's sessions.
func transcripts(l layout.Layout, workspace string) []string {
	var files []string
	switch {
	case strings.HasPrefix(l.Name, "openclaw"):
		files, _ = filepath.Glob(filepath.Join(filepath.Dir(workspace), "agents", "*", "sessions", "*.jsonl"))
	case l.Name == "claude-code" && filepath.Base(workspace) == "memory":
		files, _ = filepath.Glob(filepath.Join(filepath.Dir(workspace), "*.jsonl"))
	case l.Name == "codex":
		files, _ = filepath.Glob(filepath.Join(workspace, "sessions", "*", "*", "*", "rollout-*.jsonl"))
	}
	return files
}

func session(files []string, c Change) string {
	name, last := "", time.Time{}
	for _, file := range files {
		if i, err := os.Lstat(file); err != nil || !i.Mode().IsRegular() || i.ModTime().Before(c.At.Add(-soon)) {
			continue
		}
		for _, t := range writesIn(file, string(c.File)) {
			if within(t, c.At) && t.After(last) {
				name, last = strings.TrimSuffix(filepath.Base(file), ".jsonl"), t
			}
		}
	}
	if name == "" {
		return ""
	}
	return "session " + name[:min(len(name), 8)]
}

// mostRecord is the longest record of a transcript that is looked at, mostTranscript how much of a transcript's end is.
const mostRecord, mostTranscript = 1 << 20, 16 << 20

// writesIn returns when a session called a tool to write a file.
func writesIn(transcript, file string) []time.Time {
	f, err := fsys.OpenFile(transcript)
	if err != nil {
		return nil
	}
	defer f.Close()
	if i, err := f.Stat(); err == nil && i.Size() > mostTranscript {
		_, _ = f.Seek(-mostTranscript, 2)
	}
	var out []time.Time
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, mostRecord)
	base := []byte(path.Base(file))
	for lines.Scan() {
		if !bytes.Contains(lines.Bytes(), base) {
			continue
		}
		var record map[string]any
		if json.Unmarshal(lines.Bytes(), &record) != nil {
			continue
		}
		stamp, _ := record["timestamp"].(string)
		if t, err := time.Parse(time.RFC3339Nano, stamp); err == nil && writes(record, file) {
			out = append(out, t)
		}
	}
	return out
}

// writes looks in a record of any harness for a call of a tool that writes the file.
func writes(v any, file string) bool {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if writes(x, file) {
				return true
			}
		}
	case map[string]any:
		if name, _ := v["name"].(string); writesFiles(name) && (names(v["input"], file) || names(v["arguments"], file)) {
			return true
		}
		for _, x := range v {
			if writes(x, file) {
				return true
			}
		}
	}
	return false
}

// writesFiles reports a tool by which harnesses write files.
func writesFiles(tool string) bool {
	switch strings.ToLower(tool) {
	case "write", "edit", "multiedit", "apply_patch", "write_file", "replace":
		return true
	}
	return false
}

// names reports whether the arguments of a tool name the file.
func names(args any, file string) bool {
	m, _ := args.(map[string]any)
	for _, key := range []string{"file_path", "path"} {
		if p, _ := m[key].(string); p == file || strings.HasSuffix(filepath.ToSlash(p), "/"+file) {
			return true
		}
	}
	patch, _ := m["input"].(string)
	return strings.Contains(patch, " File: "+file+"\n")
}

// Package harnesstest writes what a harness keeps beside a workspace, for tests.
package harnesstest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tend/internal/disk/sqlite/sqlitetest"
)

// Write is a write of OpenClaw's agent to a memory file.
type Write struct {
	File, Text string
	Untrusted  bool
	At         time.Time
}

// OpenClaw records writes in the database of an OpenClaw whose folder is the one around the workspace.
func OpenClaw(t testing.TB, workspace string, writes ...Write) {
	t.Helper()
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = real
	}
	key := digest(filepath.ToSlash(workspace))
	rows := [][]string{{"core:other", "workspace-files", key + ":x", "{}"}}
	for _, w := range writes {
		origin := "agent"
		if w.Untrusted {
			origin = "untrusted"
		}
		value, err := json.Marshal(map[string]any{
			"version": 1, "workspaceKey": key, "relativePath": w.File, "fileHash": digest(w.Text), "originClass": origin,
			"observedAt": w.At.UnixMilli(), "reservationId": "r",
		})
		must(t, err)
		rows = append(rows, []string{"core:memory-artifact-provenance", "workspace-files", key + ":" + digest(w.File), string(value)})
	}
	dir := filepath.Join(filepath.Dir(workspace), "state")
	must(t, os.MkdirAll(dir, 0o755))
	columns := []string{"plugin_id", "namespace", "entry_key", "value_json"}
	must(t, sqlitetest.Write(filepath.Join(dir, "openclaw.sqlite"), "plugin_state_entries", columns, rows))
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

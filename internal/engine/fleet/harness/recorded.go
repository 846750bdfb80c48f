package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/sqlite"
	"tend/internal/disk/vault"
	"tend/internal/engine/job"
)

// Where OpenClaw keeps its records of writes: as state of a part of itself, in the database all its agents share.
const (
	stateTable = "plugin_state_entries"
	stateOwner = "core:memory-artifact-provenance"
	stateSpace = "workspace-files"
	valueAt    = 3 // the column with the record, after owner, namespace and key
)

var users = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^users/[a-zA-Z0-9][a-zA-Z0-9_-]{0,127}/USER\.md$`)
})

// CanRecord reports whether OpenClaw records its agent's writes to a file.
func CanRecord(p vault.Path) bool {
	name := string(p)
	switch name {
	case "MEMORY.md", "memory.md", "USER.md":
		return true
	}
	if strings.HasPrefix(name, "memory/dreaming/") || strings.HasPrefix(name, "memory/.dreams/") {
		return false
	}
	return strings.HasPrefix(name, "memory/") && strings.HasSuffix(name, ".md") || users().MatchString(name)
}

// Recorded reads what OpenClaw recorded of its agent's writes in a workspace on this machine. Without a database there are
// no records; one that cannot be read is an error, because nothing is known then.
func Recorded(workspace string) (map[vault.Path]job.Recorded, error) {
	key := workspaceKey(workspace)
	var out map[vault.Path]job.Recorded
	files, err := databases(workspace)
	if err != nil {
		return nil, fmt.Errorf("look for what OpenClaw recorded: %w", err)
	}
	for _, file := range files {
		err := sqlite.View(file, func(db *sqlite.DB) error {
			rows, err := db.Prefixed(stateTable, key+":", stateOwner, stateSpace)
			for _, row := range rows {
				if p, r, ok := parseRecord(row, key); ok {
					if out == nil {
						out = map[vault.Path]job.Recorded{}
					}
					if was, twice := out[p]; !twice || was.At.Before(r.At) {
						out[p] = r
					}
				}
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("what OpenClaw recorded in %s: %w", file, err)
		}
	}
	return out, nil
}

// workspaceKey is how OpenClaw names a workspace in its records.
func workspaceKey(workspace string) string {
	dir, err := filepath.Abs(workspace)
	if err != nil {
		dir = workspace
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	dir = filepath.ToSlash(dir)
	if runtime.GOOS == "windows" {
		dir = strings.ToLower(dir)
	}
	return digest(dir)
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func parseRecord(row sqlite.Row, key string) (vault.Path, job.Recorded, bool) {
	var v struct {
		Version      int    `json:"version"`
		WorkspaceKey string `json:"workspaceKey"`
		RelativePath string `json:"relativePath"`
		FileHash     string `json:"fileHash"`
		OriginClass  string `json:"originClass"`
		ObservedAt   int64  `json:"observedAt"`
	}
	if len(row) <= valueAt {
		return "", job.Recorded{}, false
	}
	text, _ := row[valueAt].(string)
	if json.Unmarshal([]byte(text), &v) != nil || v.Version != 1 || v.WorkspaceKey != key {
		return "", job.Recorded{}, false
	}
	p := vault.Path(v.RelativePath)
	return p, job.Recorded{Text: vault.Version(v.FileHash), Excluded: v.OriginClass != "agent", At: time.UnixMilli(v.ObservedAt)}, CanRecord(p)
}

// databases lists where the database may be: in OpenClaw's folder, which is the one around the workspace, one further up,
// the user's, or the one that the environment names. A record names its workspace, so that looking in too many does no harm.
func databases(workspace string) ([]string, error) {
	var homes []string
	if dir := os.Getenv("OPENCLAW_STATE_DIR"); dir != "" {
		homes = append(homes, dir)
	}
	dir, err := filepath.Abs(workspace)
	if err != nil {
		dir = workspace
	}
	for up := filepath.Dir(dir); ; up = filepath.Dir(up) {
		homes = append(homes, up, filepath.Join(up, ".openclaw"))
		if up == filepath.Dir(up) {
			break
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		homes = append(homes, filepath.Join(home, ".openclaw"))
		entries, err := fsys.ReadFolder(home)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".openclaw-") {
				homes = append(homes, filepath.Join(home, e.Name()))
			}
		}
	}
	var out []string
	for _, h := range homes {
		file := filepath.Join(h, "state", "openclaw.sqlite")
		if _, err := os.Stat(file); err == nil && !slices.Contains(out, file) {
			out = append(out, file)
		}
	}
	return out, nil
}

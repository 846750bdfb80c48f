package connect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

// Record is what a connection did, kept in the state folder so that it can be undone.
type Record struct {
	Harness string `json:"harness"`
	Agent   string `json:"agent"`
	Scope   Scope  `json:"scope"`
	Dir     string `json:"dir,omitempty"`
	Binary  string `json:"binary"`
	Config  string `json:"config"`
	Rules   string `json:"rules,omitempty"`
	// Env has the variables that moved the harness's folders at that time; older records have none.
	Env   map[string]string `json:"env"`
	Time  time.Time         `json:"time"`
	Files []FileRecord      `json:"files"`
}

// FileRecord is one file of a connection.
type FileRecord struct {
	Path   string   `json:"path"`
	Base   *string  `json:"base"`   // its text without us; null: there was no file
	Before string   `json:"before"` // digest of the base
	After  string   `json:"after"`  // digest of what we wrote
	Made   []string `json:"made,omitempty"`
}

// variables move the folders of harnesses.
var variables = []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "HERMES_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH", "XDG_CONFIG_HOME"}

// Keep remembers where the harness's folders are.
func (r *Record) Keep(env func(string) string) {
	r.Env = map[string]string{}
	for _, name := range variables {
		if v := env(name); v != "" {
			r.Env[name] = v
		}
	}
}

// Getenv returns the environment at the time of connecting, else the given one.
func (r Record) Getenv(now func(string) string) func(string) string {
	if r.Env == nil {
		return now
	}
	return func(name string) string { return r.Env[name] }
}

func digest(text *string) string {
	if text == nil {
		return ""
	}
	return string(vault.VersionOf([]byte(*text)))
}

func (r *Record) file(path string) *FileRecord {
	if i := slices.IndexFunc(r.Files, func(f FileRecord) bool { return f.Path == path }); i >= 0 {
		return &r.Files[i]
	}
	return nil
}

func find(known []Record, path string) *FileRecord {
	for i := range known {
		if f := known[i].file(path); f != nil {
			return f
		}
	}
	return nil
}

// Name returns the record's file in the state folder.
func (r Record) Name() string {
	sum := vault.VersionOf([]byte(string(r.Scope) + "\x00" + r.Dir))
	return "connect/" + r.Harness + "-" + r.Agent + "-" + string(sum[:8]) + ".json"
}

// Encode returns the record as it is stored.
func (r Record) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	return append(data, '\n'), err
}

// Take fills in the result of the edits. Folders to be created are recorded, considering those of the agent's other
// connections.
func (r *Record) Take(edits []Edit, known []Record) {
	r.Files = nil
	for _, e := range edits {
		f := FileRecord{Path: e.File, Base: e.base, Before: digest(e.base), After: digest(e.After)}
		if old := find(known, e.File); old != nil {
			f.Made = old.Made
		}
		for dir := filepath.Dir(e.Real); !exists(dir) && len(dir) > 1; dir = filepath.Dir(dir) {
			f.Made = append(f.Made, dir)
		}
		r.Files = append(r.Files, f)
	}
}

// Records reads all connections of a state folder.
func Records(state string) ([]Record, error) {
	dir := filepath.Join(state, "connect")
	entries, err := fsys.ReadFolder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Record
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		data, err := fsys.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		var r Record
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, e.Name()), err)
		}
		for _, f := range r.Files {
			if digest(f.Base) != f.Before {
				return nil, fmt.Errorf("%s: the text kept of %s is damaged", filepath.Join(dir, e.Name()), f.Path)
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// Undo returns the changes that undo the connection. Files that the agent's other connections need stay. A file that
// is as we left it becomes what it was, to the byte; from one that was changed since only our pieces are removed.
func (r Record) Undo(files []File, others []Record) ([]Edit, error) {
	var edits []Edit
	for k, f := range slices.Backward(r.Files) {
		if find(others, f.Path) != nil {
			continue
		}
		i := slices.IndexFunc(files, func(g File) bool { return g.Path == f.Path })
		if i < 0 && len(files) == len(r.Files) && !exists(f.Path) && exists(files[k].Path) {
			// The user's folder has moved, and the file with it.
			f.Path, i = files[k].Path, k
		}
		e, err := read(f.Path)
		if err != nil {
			return nil, err
		}
		switch now := digest(e.Before); {
		case now == f.Before:
			e.After = e.Before
		case now == f.After:
			e.After = f.Base
		case i < 0:
			return nil, &SettingsError{File: f.Path,
				Err: errors.New("it was changed, and nothing of this connection belongs there any more; check it by hand")}
		case e.Before != nil:
			if e.After, err = files[i].stripped(*e.Before, &f); err != nil {
				return nil, &SettingsError{File: f.Path, Err: err}
			}
		}
		edits = append(edits, e)
	}
	return edits, writable(edits)
}

// Forget removes what an undone connection had written from the texts that this record keeps; otherwise undoing this
// one later would restore it as the user's. It reports whether the record changed.
func (r *Record) Forget(gone Record, files []File, edits []Edit) (changed bool) {
	for _, e := range edits {
		f, was := r.file(e.File), gone.file(e.File)
		i := slices.IndexFunc(files, func(g File) bool { return g.Path == e.File })
		if f == nil || was == nil || i < 0 {
			continue
		}
		changed = true
		if f.After == digest(e.Before) {
			f.After = digest(e.After)
		}
		if f.Base != nil {
			if base, err := files[i].stripped(*f.Base, was); err == nil {
				f.Base, f.Before = base, digest(base)
			}
		}
		for _, dir := range was.Made {
			if !slices.Contains(f.Made, dir) {
				f.Made = append(f.Made, dir)
			}
		}
	}
	return changed
}

// Folders returns those that the connection created, the innermost first.
func (r Record) Folders() []string {
	var dirs []string
	for _, f := range r.Files {
		dirs = append(dirs, f.Made...)
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	slices.Reverse(dirs)
	return dirs
}

// Missing returns the files that no longer have our pieces.
func Missing(files []File) (gone []string, err error) {
	edits, err := Plan(files, nil)
	for _, e := range edits {
		if e.Changed() {
			gone = append(gone, e.File)
		}
	}
	return gone, err
}

// empty reports whether a text is blank, or an object without members.
func empty(text string) bool {
	t := strings.Join(strings.Fields(text), "")
	return t == "" || t == "{}"
}

// Covers reports whether the connection gives an agent's memory to sessions of a harness in a folder, "" if it is not known.
func (r Record) Covers(harness, agent, dir string) bool {
	return r.Harness == harness && r.Agent == agent && (r.Scope == User || dir != "" && r.Dir == dir)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

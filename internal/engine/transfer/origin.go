package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/text/layout/migrate"
)

// originFormat is the version of the record.
const originFormat = 1

// originRecord is an origin as it is written. The texts are files beside it, named by their digests.
type originRecord struct {
	V         int           `json:"v,omitempty"`
	From      string        `json:"from"`
	Workspace string        `json:"workspace,omitempty"`
	Files     []originFile  `json:"files"`
	Moved     []movedFile   `json:"moved"`
	Before    *originRecord `json:"before,omitempty"`
}

type originFile struct {
	Path   string        `json:"path"`
	SHA256 vault.Version `json:"sha256"`
}

type movedFile struct {
	Path  string `json:"path"`
	Lines []run  `json:"lines"`
}

// run is a run of lines of one file, or one line with a text of its own.
type run struct {
	File  *int   `json:"file,omitempty"` // index into the files, none for a line that Tend wrote
	From  int    `json:"from,omitempty"`
	Count int    `json:"count,omitempty"`
	Text  string `json:"text,omitempty"`
	Raw   []byte `json:"base64,omitempty"` // instead of Text when it is not UTF-8
}

// withText returns the run with a text.
func (r run) withText(text string) run {
	if utf8.ValidString(text) {
		r.Text = text
	} else {
		r.Raw = []byte(text)
	}
	return r
}

func (r run) text() string {
	if r.Raw != nil {
		return string(r.Raw)
	}
	return r.Text
}

const originName = "origin.json"

// OriginDir is the folder in an agent's state with what is remembered of its move.
func OriginDir(agent string) string { return "agents/" + agent + "/origin" }

// WriteOrigin replaces what is remembered of an agent's move.
func WriteOrigin(state fsys.FS, agent string, o migrate.Origin) error {
	dir := OriginDir(agent)
	if err := vault.MkdirAll(state, vault.SyncEach{}, dir, 0o700); err != nil {
		return err
	}
	texts := map[string][]byte{}
	rec := packOrigin(o, texts)
	rec.V = originFormat
	for name, data := range texts {
		if there, err := vault.ReadFile(state, path.Join(dir, name)); err == nil && string(there) == string(data) {
			continue
		}
		if err := vault.WriteOver(state, vault.NoSync{}, path.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	if err := state.SyncAll(); err != nil {
		return err
	}
	out, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	if err := vault.WriteOver(state, vault.SyncEach{}, path.Join(dir, originName), append(out, '\n'), 0o600); err != nil {
		return err
	}
	infos, err := state.ReadDir(dir)
	for _, i := range infos {
		if _, used := texts[i.Name]; !used && i.Name != originName && i.Mode.IsRegular() {
			err = errors.Join(err, state.Remove(path.Join(dir, i.Name)))
		}
	}
	return err
}

// ReadOrigin returns what is remembered of an agent's move, nil if it was not moved or if a text is missing.
func ReadOrigin(state fsys.FS, agent string) (*migrate.Origin, error) {
	dir := OriginDir(agent)
	data, err := vault.ReadFile(state, path.Join(dir, originName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var rec originRecord
	if json.Unmarshal(data, &rec) != nil || rec.V != originFormat {
		return nil, nil
	}
	o, err := unpackOrigin(&rec, func(v vault.Version) ([]byte, error) {
		if !isDigest(v) {
			return nil, errNoOrigin
		}
		text, err := vault.ReadFile(state, path.Join(dir, string(v)+".md"))
		if errors.Is(err, fs.ErrNotExist) || (err == nil && vault.VersionOf(text) != v) {
			return nil, errNoOrigin
		}
		return text, err
	})
	if errors.Is(err, errNoOrigin) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read where %s was moved from: %w", agent, err)
	}
	return o, nil
}

var errNoOrigin = errors.New("the origin is not complete")

// packOrigin returns the record of an origin, and adds the texts of its files to texts, by their names beside the record.
func packOrigin(o migrate.Origin, texts map[string][]byte) originRecord {
	rec := originRecord{From: o.From, Workspace: o.Workspace, Files: []originFile{}, Moved: []movedFile{}}
	index, lines := map[string]int{}, map[string][]string{}
	for i, f := range o.Files {
		v := vault.VersionOf(f.Data)
		texts[string(v)+".md"] = f.Data
		rec.Files = append(rec.Files, originFile{f.Path, v})
		index[f.Path], lines[f.Path] = i, splitLines(f.Data)
	}
	for _, t := range o.Moved {
		m := movedFile{Path: t.Path, Lines: []run{}}
		for _, l := range t.Lines {
			i, known := index[l.File]
			last := len(m.Lines) - 1
			switch {
			case !known:
				m.Lines = append(m.Lines, run{}.withText(l.Text))
			case l.N >= len(lines[l.File]) || lines[l.File][l.N] != l.Text:
				m.Lines = append(m.Lines, run{File: &i, From: l.N}.withText(l.Text))
			case last >= 0 && m.Lines[last].endsBefore(i, l.N):
				m.Lines[last].Count++
			default:
				m.Lines = append(m.Lines, run{File: &i, From: l.N, Count: 1})
			}
		}
		rec.Moved = append(rec.Moved, m)
	}
	if o.Before != nil {
		before := packOrigin(*o.Before, texts)
		rec.Before = &before
	}
	return rec
}

// endsBefore reports whether a line is the next one after a run.
func (r run) endsBefore(file, line int) bool {
	return r.File != nil && *r.File == file && r.Count > 0 && r.From+r.Count == line
}

func unpackOrigin(rec *originRecord, read func(vault.Version) ([]byte, error)) (*migrate.Origin, error) {
	o := &migrate.Origin{From: rec.From, Workspace: rec.Workspace}
	var lines [][]string
	for _, f := range rec.Files {
		text, err := read(f.SHA256)
		if err != nil {
			return nil, err
		}
		o.Files = append(o.Files, migrate.File{Path: f.Path, Data: text})
		lines = append(lines, splitLines(text))
	}
	for _, m := range rec.Moved {
		t := migrate.Target{Path: m.Path}
		for _, r := range m.Lines {
			if r.File == nil {
				t.Lines = append(t.Lines, migrate.Line{Text: r.text()})
				continue
			}
			file := *r.File
			if file < 0 || file >= len(lines) || r.From < 0 || r.Count < 0 || r.From+r.Count > len(lines[file]) {
				return nil, errNoOrigin
			}
			name := rec.Files[file].Path
			if r.Count == 0 {
				t.Lines = append(t.Lines, migrate.Line{Text: r.text(), File: name, N: r.From})
			}
			for n := r.From; n < r.From+r.Count; n++ {
				t.Lines = append(t.Lines, migrate.Line{Text: lines[file][n], File: name, N: n})
			}
		}
		o.Moved = append(o.Moved, t)
	}
	if rec.Before != nil {
		var err error
		if o.Before, err = unpackOrigin(rec.Before, read); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func splitLines(data []byte) (out []string) {
	for line := range strings.Lines(string(data)) {
		out = append(out, line)
	}
	return out
}

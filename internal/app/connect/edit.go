package connect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tend/internal/disk/fsys"
)

// Edit is the change of one file.
type Edit struct {
	File   string // as the harness names it
	Real   string // where it is, symlinks followed
	Rules  bool
	Mode   fs.FileMode
	Before *string // nil: there is none
	After  *string // nil: there is to be none
	base   *string // what it is, or would be, without us
}

// Changed reports whether the file changes.
func (e Edit) Changed() bool {
	if e.Before == nil || e.After == nil {
		return e.Before != e.After
	}
	return *e.Before != *e.After
}

// maxFile is the maximum size of a settings file.
const maxFile = 32 << 20

// read looks at a file without changing it.
func read(path string) (e Edit, err error) {
	e = Edit{File: path, Real: path, Mode: 0o644}
	real, err := follow(path)
	if err != nil {
		return e, err
	}
	e.Real = real
	info, err := os.Stat(real)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return e, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return e, fmt.Errorf("%s is not a settings file", path)
	}
	data, err := fsys.ReadFile(real)
	if err != nil {
		return e, err
	}
	text := string(data)
	e.Before, e.Mode = &text, info.Mode().Perm()
	return e, nil
}

// follow resolves a path, also one whose last part does not exist yet, or a dangling symlink, which the harness would
// create on its first write.
func follow(path string) (string, error) {
	for range 40 {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", fmt.Errorf("%s: too many symlinks", path)
}

// Plan returns the result of connecting: each file as it is and as it will be. Nothing is written. known are the
// agent's connections: one file may serve several of them.
func Plan(files []File, known []Record) ([]Edit, error) {
	edits := make([]Edit, 0, len(files))
	for _, f := range files {
		e, err := read(f.Path)
		if err != nil {
			return nil, err
		}
		if e.Rules = f.Rules; e.Before == nil && f.secret {
			e.Mode = 0o600
		}
		text := ""
		if e.Before != nil {
			text = *e.Before
		}
		for _, p := range f.pieces {
			if text, err = p.in(text); err != nil {
				return nil, &SettingsError{File: f.Path, Err: err}
			}
		}
		e.After = &text
		if e.base, err = f.base(e, find(known, f.Path)); err != nil {
			return nil, &SettingsError{File: f.Path, Err: err}
		}
		edits = append(edits, e)
	}
	return edits, writable(edits)
}

// base returns the file as it would be without us.
func (f File) base(e Edit, rec *FileRecord) (*string, error) {
	switch {
	case e.Before == nil:
		return nil, nil
	case rec != nil && digest(e.Before) == rec.After:
		return rec.Base, nil
	}
	return f.stripped(*e.Before, rec)
}

// stripped returns a text without our pieces; nil if we created the file and nothing is left.
func (f File) stripped(text string, rec *FileRecord) (*string, error) {
	base := text // no record: what is empty now is taken to be meant so
	if rec != nil {
		base = ""
		if rec.Base != nil {
			base = *rec.Base
		}
	}
	made := rec != nil && rec.Base == nil
	for i := len(f.pieces) - 1; i >= 0; i-- {
		if w, ok := f.pieces[i].(whole); ok {
			if made || text == string(w) {
				return nil, nil
			}
			return &base, nil
		}
		var err error
		if text, err = f.pieces[i].out(text, base); err != nil {
			return nil, err
		}
	}
	if made && empty(text) {
		return nil, nil
	}
	return &text, nil
}

// writable refuses a file that its owner made read-only: replacing it would circumvent that.
func writable(edits []Edit) error {
	for _, e := range edits {
		if e.Before != nil && e.Changed() && e.Mode&0o200 == 0 {
			return &SettingsError{File: e.File, Err: errors.New("it is read-only; make it writable first")}
		}
	}
	return nil
}

// SettingsError: a file cannot be changed safely.
type SettingsError struct {
	File string
	Err  error
}

func (e *SettingsError) Error() string { return fmt.Sprintf("%s: %v", e.File, e.Err) }

func (e *SettingsError) Unwrap() error { return e.Err }

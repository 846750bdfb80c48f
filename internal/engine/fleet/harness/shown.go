package harness

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
)

// deepest is how many folders deep a harness's files are looked for. The way to each folder is looked up from the top, so a
// chain of thousands would take the square of its length.
const deepest = 64

// Shown reads the files that a harness with this layout would show, in a folder of this
// machine, and lists all paths. It does not follow links that the harness would not.
func Shown(dir string, l layout.Layout, most int64) ([]loadview.File, []string, error) {
	var paths []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if p == dir {
				return err
			}
			return nil // the harness cannot show an unreadable folder either
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && strings.Count(rel, string(filepath.Separator)) >= deepest:
			return fs.SkipDir
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.IsDir():
			paths = append(paths, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	var files []loadview.File
	memory := memoryFiles(l, dir)
	for _, name := range loadview.Names(l, paths, "") {
		f := shownFile(dir, name, most)
		if f.Kind == loadview.Plain {
			f.Kind = memory[name]
		}
		files = append(files, f)
	}
	return files, paths, nil
}

func shownFile(dir, name string, most int64) loadview.File {
	f := loadview.File{Name: name}
	full := filepath.Join(dir, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	if errors.Is(err, fs.ErrNotExist) {
		f.Missing = true
		return f
	}
	if err == nil {
		switch {
		case info.IsDir():
			f.Kind = loadview.Folder
			return f
		case info.Mode()&fs.ModeSymlink != 0:
			f.Kind = loadview.Symlink
		case linkCount(info) > 1:
			f.Kind = loadview.Hardlink
		}
		f.Data, err = readPlain(full, most)
	}
	if err != nil {
		f.Broken = err.Error()
	}
	return f
}

// readPlain reads a file as a harness does, following links, but it does not block on a
// FIFO or read more than most bytes.
func readPlain(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fsys.ErrNotRegular
	case info.Size() > most:
		return nil, &vault.TooLargeError{Size: info.Size(), Most: most}
	}
	return fsys.ReadFile(name)
}

// linkCount is the number of a file's hard links.
func linkCount(info fs.FileInfo) uint64 {
	if st, ok := fsys.Owner(info); ok {
		return st.Links
	}
	return 1
}

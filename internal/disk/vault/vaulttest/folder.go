package vaulttest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tend/internal/disk/fsys"
)

// Folder is an agent at work in a real folder.
type Folder string

func (f Folder) at(name string) string { return filepath.Join(string(f), name) }

// WriteFile writes in place.
func (f Folder) WriteFile(name, text string) error {
	return os.WriteFile(f.at(name), []byte(text), 0o644)
}

// AppendFile adds at the end.
func (f Folder) AppendFile(name, text string) error {
	file, err := os.OpenFile(f.at(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteString(text)
	return err
}

// RenameOver writes a new file and renames it into place, as editors do.
func (f Folder) RenameOver(name, text string) error {
	if err := os.WriteFile(f.at(name+"~"), []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(f.at(name+"~"), f.at(name))
}

// ReadFile returns the text.
func (f Folder) ReadFile(name string) (string, error) {
	data, err := os.ReadFile(f.at(name))
	return string(data), err
}

// Remove removes a name.
func (f Folder) Remove(name string) error { return os.Remove(f.at(name)) }

// MkdirAll creates a folder and its parents.
func (f Folder) MkdirAll(name string) error { return os.MkdirAll(f.at(name), 0o755) }

// Symlink creates a link.
func (f Folder) Symlink(target, name string) error { return os.Symlink(target, f.at(name)) }

// Mkfifo creates a FIFO.
func (f Folder) Mkfifo(name string) error { return Mkfifo(f.at(name)) }

// Chmod sets the mode and, as root, the owner.
func (f Folder) Chmod(name string, p uint32, uid int) error {
	if err := os.Chmod(f.at(name), fs.FileMode(p)); err != nil || os.Geteuid() != 0 {
		return err
	}
	return os.Chown(f.at(name), uid, uid)
}

// Mode returns mode and owner.
func (f Folder) Mode(name string) (uint32, int, error) {
	i, err := fsys.LstatPath(f.at(name))
	return uint32(i.Mode.Perm()), i.UID, err
}

// Names lists every file.
func (f Folder) Names() ([]string, error) {
	var names []string
	err := filepath.WalkDir(string(f), func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, strings.TrimPrefix(name, string(f)+"/"))
		}
		return err
	})
	return names, err
}

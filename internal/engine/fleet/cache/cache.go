// Package cache keeps small files beside an agent's ledger that may be lost in a crash without harm: the sum of its ledger,
// since when entries are known, which texts the scan found clean.
package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync/atomic"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

// Store has the small files of one agent. They are written without the agent's lock; the last writer wins.
type Store struct {
	state fsys.FS
	agent string
}

// New returns the store of an agent.
func New(state fsys.FS, agent string) Store { return Store{state, agent} }

// Path returns where a file is in the state.
func (s Store) Path(name string) string { return "agents/" + s.agent + "/" + name }

// Read returns a file, nil if there is none.
func (s Store) Read(name string) ([]byte, error) {
	data, err := vault.ReadFile(s.state, s.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// written makes temporary names unique within this process: several goroutines may write one file at once.
var written atomic.Uint64

// Write saves a file.
func (s Store) Write(name string, data []byte) error {
	return s.write(name, fmt.Sprintf("%s.%d.%d", path.Base(name), os.Getpid(), written.Add(1)), data)
}

// WriteLocked saves a file of which there is only one writer at a time. What a writer that was killed left behind is gone
// with the next write.
func (s Store) WriteLocked(name string, data []byte) error {
	tmp := path.Base(name)
	err := s.write(name, tmp, data)
	if errors.Is(err, fs.ErrExist) {
		if err := s.state.Remove(s.Path(vault.TempPrefix + tmp)); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		err = s.write(name, tmp, data)
	}
	return err
}

// Append adds lines to a file, and reports whether it had more than most bytes before. Several may do so at once.
func (s Store) Append(name string, lines []byte, most int64) (full bool, err error) {
	name = s.Path(name)
	f, _, err := s.state.Append(name, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := vault.MkdirAll(s.state, vault.NoSync{}, path.Dir(name), 0o700); err != nil {
			return false, err
		}
		f, _, err = s.state.Append(name, 0o600)
	}
	if err != nil {
		return false, err
	}
	info, err := f.Stat()
	if err == nil {
		_, err = f.Write(lines)
	}
	return info.Size >= most, errors.Join(err, f.Close())
}

func (s Store) write(name, tmp string, data []byte) error {
	name = s.Path(name)
	tmp = path.Join(path.Dir(name), vault.TempPrefix+tmp)
	f, err := s.state.Create(tmp, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := vault.MkdirAll(s.state, vault.NoSync{}, path.Dir(name), 0o700); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		f, err = s.state.Create(tmp, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = s.state.Rename(tmp, name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, s.state.Remove(tmp)))
	}
	return nil
}

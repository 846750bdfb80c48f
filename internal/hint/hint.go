// Package hint keeps small files beside an agent's ledger that may be lost in a crash
// without harm: when jobs ran, since when entries are known, which texts the scan found
// clean.
package hint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync/atomic"

	"tend/internal/fsys"
	"tend/internal/vault"
)

// Store holds the hints of one agent. They are written without the agent's lock; the last writer wins.
type Store struct {
	state fsys.FS
	agent string
}

// Of returns the store of an agent.
func Of(state fsys.FS, agent string) Store { return Store{state, agent} }

// Path returns where a hint is in the state.
func (s Store) Path(name string) string { return path.Join("agents", s.agent, name) }

// Read returns a hint, nil if there is none.
func (s Store) Read(name string) ([]byte, error) {
	data, err := vault.ReadFile(s.state, s.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// written makes temporary names unique within this process: several goroutines may write one hint at once.
var written atomic.Uint64

// Write saves a hint.
func (s Store) Write(name string, data []byte) error {
	name = s.Path(name)
	tmp := path.Join(path.Dir(name), fmt.Sprintf("%s%s.%d.%d", vault.TempPrefix, path.Base(name), os.Getpid(), written.Add(1)))
	f, err := s.state.Create(tmp, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := vault.MkdirAll(s.state, vault.Unsynced{}, path.Dir(name), 0o700); err != nil {
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

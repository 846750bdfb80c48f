package fleet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync/atomic"

	"tend/internal/vault"
)

// hints are small files beside an agent's ledger that may be lost in a crash without
// harm. They are written without the agent's lock, so each writer has a temporary name of
// its own; the last one wins.

var hintsMade atomic.Uint64

// hint reads one; nil if there is none.
func (a *Agent) hint(name string) ([]byte, error) {
	data, err := vault.ReadFile(a.fleet.state, path.Join("agents", a.Name, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// keepHint writes one.
func (a *Agent) keepHint(name string, data []byte) error {
	state := a.fleet.state
	name = path.Join("agents", a.Name, name)
	tmp := path.Join(path.Dir(name), fmt.Sprintf("%s%s.%d.%d", vault.TempPrefix, path.Base(name), os.Getpid(), hintsMade.Add(1)))
	f, err := state.Create(tmp, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := vault.MkdirAll(state, vault.Unsynced{}, path.Dir(name), 0o700); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		f, err = state.Create(tmp, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = state.Rename(tmp, name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, state.Remove(tmp)))
	}
	return nil
}

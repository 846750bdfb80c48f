package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

// bindingFile names the configuration that owns the state. It is written when a configuration first uses the state.
const bindingFile = "configuration.json"

// binding is the configuration that owns a state: relative to the state, so that both can be moved or copied together.
type binding struct {
	Config string    `json:"config"`
	Since  time.Time `json:"since"`
	Format int       `json:"format,omitempty"` // of everything in the state; 0 means 1
}

// StateFormat is the format of the state that this program reads and writes. It increases when an older program would
// misread something; then this one must read all formats before it. 2: months of a ledger may be gzipped.
const StateFormat = 2

// NewerStateError: a newer Tend has written the state. Nothing more of it was read, and nothing changed.
type NewerStateError struct {
	State string
	Is    int
}

func (e *NewerStateError) Error() string {
	return fmt.Sprintf("state folder %s has format %d, and this tend knows formats up to %d", e.State, e.Is, StateFormat)
}

// Unwrap makes it a refusal.
func (e *NewerStateError) Unwrap() error { return vault.ErrRefused }

// Hint says what to do.
func (e *NewerStateError) Hint() string {
	return "a newer tend wrote it: install that version again, or restore a backup of the state from before the upgrade"
}

// ForeignStateError: the state belongs to another configuration. Two that share one would use each other's approvals
// and actions.
type ForeignStateError struct {
	State, Owner, Config string
}

func (e *ForeignStateError) Error() string {
	return fmt.Sprintf("state folder %s belongs to %s, and this is %s", e.State, e.Owner, e.Config)
}

// Unwrap makes it a refusal.
func (e *ForeignStateError) Unwrap() error { return vault.ErrRefused }

// Hint says what to do.
func (e *ForeignStateError) Hint() string {
	return "give " + e.Config + " a state_dir of its own; if it has taken the other's place for good, `tend move --state` hands the state over"
}

// bindState checks that the state belongs to this configuration, and claims it at first use. If the owning configuration no
// longer exists, it was moved or renamed, and this one takes over.
func (f *Fleet) bindState(write bool) error {
	if f.Config.Path == "" || f.Config.StateDir == "" || f.state == fsys.Missing {
		return nil
	}
	owner, format, err := ownerOf(f.state, f.Config.StateDir)
	if err != nil {
		return err
	}
	ours := owner == f.Config.Path
	if owner != "" && !ours {
		theirs, err := os.Stat(owner)
		mine, merr := os.Stat(f.Config.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err == nil && merr == nil && os.SameFile(theirs, mine):
			ours = true
		default:
			return &ForeignStateError{State: f.Config.StateDir, Owner: owner, Config: f.Config.Path}
		}
	}
	if !write || (ours && format == StateFormat) {
		return nil
	}
	// Programs that start at the same moment share the temporary name. One of them wins; the next start sees which.
	for range 100 {
		if err = writeBinding(f.state, f.Config.StateDir, f.Config.Path, f.Clock(), owner == ""); err == nil {
			return nil
		}
		if theirs, _, oerr := ownerOf(f.state, f.Config.StateDir); oerr == nil && theirs != "" {
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return err
}

// ownerOf returns the configuration that owns a state, "" if none does yet, and the state's format.
func ownerOf(state fsys.FS, dir string) (owner string, format int, err error) {
	data, err := vault.ReadFile(state, bindingFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, fmt.Errorf("read %s: %w", bindingFile, err)
	}
	var b binding
	if json.Unmarshal(data, &b) != nil {
		return "", 0, nil // damaged: written again
	}
	if b.Format > StateFormat {
		return "", 0, &NewerStateError{State: dir, Is: b.Format}
	}
	if !filepath.IsAbs(b.Config) && b.Config != "" {
		b.Config = filepath.Join(dir, b.Config)
	}
	return b.Config, b.Format, nil
}

func writeBinding(state fsys.FS, dir, config string, now time.Time, first bool) error {
	if rel, err := filepath.Rel(dir, config); err == nil {
		config = rel
	}
	data, err := json.MarshalIndent(binding{Config: config, Since: now.UTC().Truncate(time.Second), Format: StateFormat}, "", "  ")
	if err != nil {
		return err
	}
	if !first {
		return vault.WriteOver(state, vault.SyncEach{}, bindingFile, append(data, '\n'), 0o600)
	}
	// No lock is held: many programs may start at once, so each writes under a name of its own.
	own := fmt.Sprintf("%s%d.%d", vault.TempPrefix, os.Getpid(), claims.Add(1))
	if err := vault.WriteNew(state, vault.SyncEach{}, own, append(data, '\n'), 0o600); err != nil {
		return err
	}
	err = errors.Join(state.Link(own, bindingFile), state.Remove(own))
	if err != nil {
		return err
	}
	return vault.SyncEach{}.Dir(state, ".")
}

var claims atomic.Uint64

// TakeState binds a state folder to a configuration, even if it belonged to another one.
func TakeState(dir, config string, now time.Time) (err error) {
	state, err := openTree(dir, fsys.PrivateDir, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, state.Close()) }()
	var newer *NewerStateError
	if _, _, err := ownerOf(state, dir); errors.As(err, &newer) {
		return err
	}
	return writeBinding(state, dir, config, now, false)
}

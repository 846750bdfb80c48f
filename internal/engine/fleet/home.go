package fleet

import (
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet/cache"
	"tend/internal/engine/job"
	"tend/internal/engine/transfer"
	"tend/internal/state/ledger"
)

const homeFile = "home.json"

// homeAge is how old a saved home may be before it is rewritten.
const homeAge = 7 * 24 * time.Hour

// knownHome is what is saved of a workspace, to recognise it elsewhere.
type knownHome struct {
	At time.Time `json:"at"`
	transfer.Home
}

// Home recognises an agent's workspace elsewhere.
type Home struct {
	agent  *config.Agent
	cache  cache.Store
	state  fsys.FS
	ledger *ledger.Ledger
	now    func() time.Time
}

// isFresh reports whether less than homeAge lies between two times. It is false if the clock was set back.
func isFresh(then, now time.Time) bool { return now.Sub(then) < homeAge && !now.Before(then) }

// saveFiles saves a workspace's files and repository, once a week.
func (h *Home) saveFiles(in job.Input) error {
	if h.agent.Workspace.Kind != config.Local {
		return nil
	}
	old, err := h.readSaved()
	if err != nil || (old.Workspace == h.agent.Workspace.Path && isFresh(old.At, in.Now)) {
		return err
	}
	ws := h.agent.Workspace.Path
	k := knownHome{At: in.Now, Home: transfer.Home{Workspace: ws, Repository: transfer.RepositoryOf(ws)}}
	docs := in.All()
	k.Files = make(map[string][]vault.Version, len(docs))
	for _, d := range docs {
		k.Files[string(d.Path)] = []vault.Version{d.Version}
	}
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return h.cache.Write(homeFile, data)
}

// SaveRepository saves the repository a workspace is in, once a week, whenever an action is recorded;
// the ledger has the files' versions anyway. It is only a hint: errors are ignored, and the
// next action tries again.
func (h *Home) SaveRepository() error {
	if h.agent.Workspace.Kind != config.Local {
		return nil
	}
	i, err := h.state.Lstat(h.cache.Path(homeFile))
	if err == nil && isFresh(i.ModTime, h.now()) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	repo := transfer.RepositoryOf(h.agent.Workspace.Path)
	if repo.Remote == "" {
		return nil
	}
	old, err := h.readSaved()
	if err != nil {
		return err
	}
	old.Workspace, old.Repository = h.agent.Workspace.Path, repo
	data, err := json.Marshal(old) // the time stays: the saved files are still of that time
	if err != nil {
		return err
	}
	return h.cache.Write(homeFile, data)
}

// readSaved returns the saved home; it is empty if it cannot be parsed.
func (h *Home) readSaved() (k knownHome, err error) {
	data, err := h.cache.Read(homeFile)
	if err != nil || data == nil {
		return k, err
	}
	if json.Unmarshal(data, &k) != nil {
		k = knownHome{}
	}
	return k, nil
}

// Known returns what the agent's workspace is known by: the saved home, and every version
// of a file in the ledger.
func (h *Home) Known() (transfer.Home, error) {
	saved, err := h.readSaved()
	k := saved.Home
	if err != nil {
		return k, err
	}
	if k.Files == nil {
		k.Files = map[string][]vault.Version{}
	}
	for act, err := range h.ledger.Actions() {
		if err != nil {
			return k, err
		}
		for _, f := range act.Files {
			for _, v := range []vault.Version{f.Before, f.After} {
				if v != "" && v != vault.Absent {
					k.Files[string(f.Path)] = append(k.Files[string(f.Path)], v)
				}
			}
		}
	}
	return k, nil
}

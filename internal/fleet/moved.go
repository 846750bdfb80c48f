package fleet

import (
	"encoding/json"
	"time"

	"tend/internal/carry"
	"tend/internal/config"
	"tend/internal/job"
	"tend/internal/vault"
)

const homeFile = "home.json"

// homeAge is how old the memory of a home may be before it is written anew.
const homeAge = 24 * time.Hour

// knownHome is what is remembered of a workspace, so that it is recognised elsewhere.
type knownHome struct {
	At time.Time `json:"at"`
	carry.Home
}

// keepHome remembers a workspace by its files and its repository, once a day.
func (a *Agent) keepHome(in job.Input) error {
	if a.Workspace.Kind != config.Local {
		return nil
	}
	old, err := a.savedHome()
	if err != nil {
		return err
	}
	if old.Workspace == a.Workspace.Path && in.Now.Sub(old.At) < homeAge && !in.Now.Before(old.At) {
		return nil
	}
	h := knownHome{At: in.Now, Home: carry.Home{Workspace: a.Workspace.Path, Repository: a.fleet.repos.Of(a.Workspace.Path), Files: map[string][]vault.Version{}}}
	for p, doc := range in.Files {
		h.Files[string(p)] = []vault.Version{doc.Version}
	}
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return a.Hints.Write(homeFile, data)
}

// NoteHome remembers the repository a workspace is in, once a day, whenever an action is
// recorded: what the files were is in the ledger anyway. It is a hint, so that its failure
// is nobody's, and the next action tries again.
func (a *Agent) NoteHome() {
	f, now := a.fleet, a.Now()
	f.mu.Lock()
	looked := f.homed[a.Name]
	f.homed[a.Name] = now
	f.mu.Unlock()
	if a.Workspace.Kind != config.Local || now.Sub(looked) < homeAge && !now.Before(looked) {
		return
	}
	if i, err := f.state.Lstat(a.Hints.Path(homeFile)); err == nil && now.Sub(i.ModTime) < homeAge && !now.Before(i.ModTime) {
		return
	}
	repo := f.repos.Of(a.Workspace.Path)
	if repo.Remote == "" {
		return
	}
	old, err := a.savedHome()
	if err != nil {
		return
	}
	old.Workspace, old.Repository = a.Workspace.Path, repo
	// Its time stays: the files are as old as they were.
	if data, err := json.Marshal(old); err == nil {
		_ = a.Hints.Write(homeFile, data)
	}
}

// savedHome is what was remembered; nothing, if it cannot be read.
func (a *Agent) savedHome() (h knownHome, err error) {
	data, err := a.Hints.Read(homeFile)
	if err != nil || data == nil {
		return h, err
	}
	if json.Unmarshal(data, &h) != nil {
		h = knownHome{}
	}
	return h, nil
}

// Home is what the agent's workspace is known by: what jobs remembered, and every version
// of a file that the ledger has seen.
func (a *Agent) Home() (carry.Home, error) {
	saved, err := a.savedHome()
	h := saved.Home
	if err != nil {
		return h, err
	}
	if h.Files == nil {
		h.Files = map[string][]vault.Version{}
	}
	for act, err := range a.Ledger.Actions() {
		if err != nil {
			return h, err
		}
		for _, f := range act.Files {
			for _, v := range []vault.Version{f.Before, f.After} {
				if v != "" && v != vault.Absent {
					h.Files[string(f.Path)] = append(h.Files[string(f.Path)], v)
				}
			}
		}
	}
	return h, nil
}

package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/transfer"
	"tend/internal/model/usererr"
)

// AdoptRequest asks for a moved workspace to be bound to its agent again.
type AdoptRequest struct {
	Dir    string // where it is now; an agent or its configured folder to confirm that folder
	Agent  string // "" to recognise it
	Yes    bool   // bind it despite weak evidence; needs Agent
	DryRun bool
}

// Adopted says which agent a folder was bound to.
type Adopted struct {
	Agent      string      `json:"agent"`
	Workspace  string      `json:"workspace"`
	Was        string      `json:"was"`
	DryRun     bool        `json:"dry_run"`
	Candidates []Candidate `json:"candidates"`
}

// Candidate is an agent a folder may belong to.
type Candidate struct {
	Agent    string            `json:"agent"`
	Old      string            `json:"workspace"`
	Gone     bool              `json:"gone"` // the old workspace no longer exists
	Evidence transfer.Evidence `json:"evidence"`
}

func (c Candidate) isSure() bool { return c.Gone && c.Evidence.Sure() }

// Adopt finds out whose workspace a folder is and changes that one path in the configuration. It returns the candidates
// with an error too, so that the caller can show them.
func Adopt(ctx context.Context, f *fleet.Fleet, cfg *config.Config, req AdoptRequest) (out Adopted, err error) {
	if done, err := confirmWorkspace(ctx, f, cfg, req, &out); done || err != nil {
		return out, err
	}
	if req.Dir, err = filepath.Abs(req.Dir); err != nil {
		return out, err
	}
	if st, err := os.Stat(req.Dir); err != nil || !st.IsDir() {
		return out, usererr.Usagef("name the folder the workspace is in now", "%s is not a folder", req.Dir)
	}
	if req.Yes && req.Agent == "" {
		return out, usererr.Usagef("name the agent with --agent", "--yes needs --agent")
	}
	if out.Candidates, err = findCandidates(ctx, f, cfg, req.Agent, req.Dir); err != nil {
		return out, err
	}
	c, err := pickCandidate(out.Candidates, req)
	if err != nil {
		return out, err
	}
	env, err := config.OSEnv()
	if err != nil {
		return out, err
	}
	old, err := fsys.ReadFile(cfg.Path)
	if err != nil {
		return out, err
	}
	text, err := config.Rebind(cfg.Path, old, c.Agent, req.Dir, env)
	if err != nil {
		return out, usererr.Usage(err)
	}
	out.Agent, out.Workspace, out.Was, out.DryRun = c.Agent, req.Dir, c.Old, req.DryRun
	if req.DryRun {
		return out, nil
	}
	return out, vault.ReplaceFile(cfg.Path, text, 0o644)
}

// confirmWorkspace pins the folder at an agent's configured path if the request names the agent or that folder. Tend refuses a
// folder that was moved away and back, restored or recreated until the operator confirms it.
func confirmWorkspace(ctx context.Context, f *fleet.Fleet, cfg *config.Config, req AdoptRequest, out *Adopted) (done bool, err error) {
	dir, err := filepath.Abs(req.Dir)
	if err != nil {
		return false, err
	}
	_, missing := os.Stat(dir)
	for _, ag := range cfg.Agents {
		named := ag.Name == req.Dir && errors.Is(missing, fs.ErrNotExist)
		atDir := ag.Workspace.Kind == config.Local && ag.Workspace.Path == dir
		if !named && !atDir {
			continue
		}
		if req.Agent != "" && req.Agent != ag.Name {
			continue
		}
		*out = Adopted{Agent: ag.Name, Workspace: ag.Workspace.String(), Was: ag.Workspace.String(), DryRun: req.DryRun}
		if !req.DryRun {
			_, err = f.Confirm(ctx, ag.Name)
		}
		return true, err
	}
	return false, nil
}

// findCandidates returns the agents whose workspace is missing, or only the named one, the most likely first.
func findCandidates(ctx context.Context, f *fleet.Fleet, cfg *config.Config, named, dir string) (list []Candidate, err error) {
	if named != "" {
		if _, err := cfg.Agent(named); err != nil {
			return nil, err
		}
	}
	for _, ag := range cfg.Agents {
		if ag.Workspace.Kind != config.Local || (named != "" && ag.Name != named) {
			continue
		}
		_, err := os.Stat(ag.Workspace.Path)
		c := Candidate{Agent: ag.Name, Old: ag.Workspace.Path, Gone: errors.Is(err, fs.ErrNotExist)}
		if !c.Gone && named == "" {
			continue
		}
		records, err := f.Records(ag.Name)
		if err != nil {
			return nil, err
		}
		home, err := records.Home.Known()
		if err != nil {
			return nil, err
		}
		c.Evidence = transfer.Compare(ctx, home, dir)
		if named != "" || c.Evidence.Score() > 0 {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(x, y Candidate) int { return y.Evidence.Score() - x.Evidence.Score() })
	return list, nil
}

// pickCandidate returns the one that the folder belongs to, if there is no doubt.
func pickCandidate(list []Candidate, req AdoptRequest) (Candidate, error) {
	if req.Agent != "" && req.Yes {
		return list[0], nil
	}
	var sure []Candidate
	for _, c := range list {
		if c.isSure() {
			sure = append(sure, c)
		}
	}
	refused := func(text, hint string) (Candidate, error) {
		return Candidate{}, &usererr.Error{Code: usererr.CodeRefused, Err: errors.New(text), Hint: hint}
	}
	switch {
	case len(sure) == 1:
		return sure[0], nil
	case len(sure) > 1:
		return refused(fmt.Sprintf("%s may be the workspace of %d agents", req.Dir, len(sure)), "name the right one with --agent")
	case len(list) == 0:
		return refused(fmt.Sprintf("%s does not match any missing workspace", req.Dir),
			"add a new one with `tend init`, or force it with --agent NAME --yes")
	case req.Agent != "" && !list[0].Gone:
		return refused(fmt.Sprintf("%s still has its workspace %s", req.Agent, list[0].Old), "force it with --yes")
	}
	return refused(fmt.Sprintf("not sure that %s is the workspace of %s", req.Dir, list[0].Agent),
		fmt.Sprintf("force it with --agent %s --yes", list[0].Agent))
}

package replica

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/transfer"
	"tend/internal/model/usererr"
	"tend/internal/sync/journal"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/workcopy"
)

// CloneRequest asks to clone an agent of a store to this machine.
type CloneRequest struct {
	Agent      string
	Workspace  string                         // "" for workspaces/AGENT beside the configuration
	ConfigPath string                         // as given by --config, "" for the usual places
	Config     func() (*config.Config, error) // loads the existing configuration
	Store      config.Store                   // "" as URL for the configured one
	Clock      func() time.Time
	Who        string
	// Settings also takes the stored settings for what Tend protects; those of a sealed store are taken in any case.
	Settings bool
}

// Cloned is the result of Clone.
type Cloned struct {
	Agent     string `json:"agent"`
	Workspace string `json:"workspace"`
	Config    string `json:"config"`
	Made      bool   `json:"made"` // the configuration is new
	Entry     uint64 `json:"entry"`
	Files     int    `json:"files"` // in the workspace
	// Merged: the workspace had files, which were kept and merged.
	Merged []string `json:"merged,omitempty"`
	// Withheld are settings in the store that would change what Tend protects, and were not taken.
	Withheld        []string `json:"withheld,omitempty"`
	workcopy.Report `json:"-"`
}

// Clone copies an agent of a store to this machine: its memory, ledger, archives, trash, baselines and approvals. The
// configuration is written last.
func Clone(ctx context.Context, req CloneRequest) (out Cloned, err error) {
	text, cfg, env, err := transfer.OpenConfig(req.ConfigPath, req.Config)
	if err != nil {
		return out, err
	}
	file := cfg.Path
	if !config.ValidName(req.Agent) {
		return out, usererr.Usagef("`tend store status` lists the agents in the store", "%q cannot be an agent's name", req.Agent)
	}
	if _, err := cfg.Agent(req.Agent); err == nil {
		return out, usererr.Refusef("`tend sync "+req.Agent+"` syncs it; `tend store push --merge "+req.Agent+
			"` merges it with the one in the store", "%s already has an agent %s", file, req.Agent)
	}
	text, set, err := req.chooseStore(cfg, text, env)
	if err != nil {
		return out, err
	}
	s, err := dial.Connect(ctx, Settings(set))
	if err != nil {
		return out, Explain(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	x, err := readStored(ctx, s, req.Agent)
	if err != nil {
		return out, Explain(err)
	}
	draft, body, err := req.draftAgent(file, x)
	if err != nil {
		return out, err
	}
	var withheld []string
	if !s.Sealed && !req.Settings {
		withheld, body, err = transfer.Withhold(cfg, &draft, body)
	}
	if err == nil {
		text, err = transfer.AddLayout(cfg, text, &draft, body, env)
	}
	if err != nil {
		return out, err
	}
	if text, err = config.Append(file, text, draft, env); err != nil {
		return out, usererr.Usage(err)
	}
	with, err := config.Parse(file, text, env)
	if err != nil {
		return out, err
	}
	for _, dir := range foldersOf(draft) {
		if err := fsys.MakeFolder(dir, 0o755); err != nil {
			return out, err
		}
	}
	out = Cloned{Agent: req.Agent, Workspace: draft.Workspace, Config: file, Made: len(cfg.Agents) == 0, Withheld: withheld}
	if out.Report, err = req.fetchAgent(ctx, with, s); err != nil {
		return out, err
	}
	for name := range x {
		if strings.HasPrefix(name, journal.Workspace+"/") {
			out.Files++
		}
	}
	out.Entry, out.Merged = out.Report.Entry, out.Report.Merged
	if err := fsys.MakeFolder(filepath.Dir(file), 0o755); err != nil {
		return out, err
	}
	return out, vault.ReplaceFile(file, text, 0o644)
}

// chooseStore returns the store to clone from, and the text of a tend.yaml that names it: the one that is configured, or one
// that is added.
func (req CloneRequest) chooseStore(cfg *config.Config, text []byte, env config.Env) ([]byte, config.Store, error) {
	switch {
	case req.Store.URL == "" && cfg.Store.URL == "":
		return nil, cfg.Store, usererr.Usagef("name it with --store URL", "%s has no store", cfg.Path)
	case req.Store.URL == "" || req.Store.URL == cfg.Store.URL:
		return text, cfg.Store, nil
	case cfg.Store.URL != "":
		return nil, cfg.Store, usererr.Refusef("leave --store out, or change the file", "%s has a different store, %s", cfg.Path, cfg.Store.URL)
	}
	with, err := config.AddStore(cfg.Path, text, req.Store, env)
	if err != nil {
		return nil, req.Store, usererr.Usage(err)
	}
	return with, req.Store, nil
}

// readStored returns an agent's files as they are in the store.
func readStored(ctx context.Context, s *dial.Connected, agent string) (journal.Texts, error) {
	if s.Syncing {
		return workcopy.MergedTexts(ctx, s, agent)
	}
	x, _, err := journal.New(s, agent).Rebuild(ctx, 0)
	return x, err
}

// draftAgent returns the agent for tend.yaml, and its layout if that is one of the operator's own.
func (req CloneRequest) draftAgent(file string, x journal.Texts) (config.AgentDraft, string, error) {
	var a transfer.Agent
	if err := json.Unmarshal(x[journal.Config+"/agent.json"], &a); err != nil {
		return config.AgentDraft{}, "", usererr.Refusef("push it again from a machine that has it", "the store has no configuration for %s",
			req.Agent)
	}
	beside := filepath.Dir(file)
	ws, err := filepath.Abs(cmp.Or(req.Workspace, filepath.Join(beside, "workspaces", req.Agent)))
	if err != nil {
		return config.AgentDraft{}, "", err
	}
	d := a.Draft()
	d.Name, d.Workspace = req.Agent, ws
	for _, name := range slices.Sorted(maps.Keys(x)) {
		f, ok := strings.CutPrefix(name, journal.Operator+"/")
		if p := vault.Path(f); ok && journal.CheckPath(name) == nil && p.Markdown() && !p.Hidden() {
			source := filepath.Join(beside, "baselines", req.Agent, strings.ReplaceAll(f, "/", "-"))
			d.Baselines = append(d.Baselines, config.BaselineDraft{File: f, Source: source})
		}
	}
	return d, a.LayoutText, nil
}

// foldersOf returns the folders that a draft needs.
func foldersOf(d config.AgentDraft) []string {
	list := []string{d.Workspace}
	for _, b := range d.Baselines {
		list = append(list, path.Dir(b.Source))
	}
	return list
}

// fetchAgent fetches the agent's files and merges them with those that its workspace has.
func (req CloneRequest) fetchAgent(ctx context.Context, cfg *config.Config, s *dial.Connected) (r workcopy.Report, err error) {
	f, err := fleet.Open(cfg, fleet.Options{Clock: req.Clock, Write: true})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return Push(ctx, f, s, req.Agent, req.Who, true)
}

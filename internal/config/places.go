package config

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// places checks that no two agents claim the same files, and that nothing of Tend's is within an agent's reach.
func (d *decoder) places(cfg *Config, state, archive *entry) {
	for _, dir := range []struct {
		name, path string
		at         *entry
	}{{"state_dir", cfg.StateDir, state}, {"archive_dir", cfg.ArchiveDir, archive}} {
		if dir.name == "archive_dir" && dir.at == nil {
			continue // below state_dir
		}
		for i := range cfg.Agents {
			d.apart(&cfg.Agents[i], dir.name, dir.path, dir.at)
		}
	}
	d.shared(cfg)
	for i := range cfg.Agents {
		d.reach(cfg, &cfg.Agents[i])
	}
}

// apart reports a workspace and a folder of Tend's of which one is in the other.
func (d *decoder) apart(a *Agent, name, dir string, at *entry) {
	if a.Workspace.Kind != Local || !overlap(a.Workspace.Path, dir) {
		return
	}
	where, hint := a.at, "add "+name+": with a folder outside the workspaces"
	if at != nil {
		where, hint = at.value.pos, "choose a folder outside the workspaces"
	}
	if inside(dir, a.Workspace.Path) {
		d.errorf(where, hint, "%s (%s) is inside the workspace of %s, within the agent's reach", name, dir, a.Name)
		return
	}
	d.errorf(a.at, "choose a workspace outside "+name, "the workspace of %s is inside %s (%s)", a.Name, name, dir)
}

// shared reports agents whose workspaces meet. Two may share a folder only when each says by its baselines which files
// are its own: memory files of several agents side by side in one folder are common, one file with two owners is not
// workable.
func (d *decoder) shared(cfg *Config) {
	type place struct {
		agent *Agent
		key   string
	}
	order := make([]place, 0, len(cfg.Agents))
	for i := range cfg.Agents {
		if a := &cfg.Agents[i]; a.Workspace.Kind != "" {
			order = append(order, place{a, strings.TrimSuffix(filepath.ToSlash(a.Workspace.String()), "/") + "/"})
		}
	}
	slices.SortStableFunc(order, func(a, b place) int { return cmp.Compare(a.key, b.key) })
	var open []place // each inside the one before
	owners := map[string]*Agent{}
	for _, p := range order {
		for len(open) > 0 && !strings.HasPrefix(p.key, open[len(open)-1].key) {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			clear(owners)
			open = append(open, p)
			continue
		}
		if len(owners) == 0 {
			d.claim(owners, open[0].agent)
		}
		d.claim(owners, p.agent)
		outer := open[len(open)-1]
		d.meet(outer.agent, p.agent, outer.key == p.key)
		if outer.key != p.key {
			open = append(open, p)
		}
	}
}

// claim reports files of the agent that another one has a baseline for.
func (d *decoder) claim(owners map[string]*Agent, a *Agent) {
	for _, b := range a.Baselines {
		file := a.Workspace.File(b.File)
		if other, ok := owners[file]; ok && other != a {
			d.errorf(b.at, "leave it to one of them", "%s of %s also belongs to agent %s (line %d)", b.File, a.Name, other.Name, other.Line)
			continue
		}
		owners[file] = a
	}
}

func (d *decoder) meet(outer, inner *Agent, same bool) {
	switch {
	case same && (len(outer.Baselines) == 0 || len(inner.Baselines) == 0):
		d.errorf(inner.at, "give each its own folder, or make them one agent with several baselines",
			"agents %s (line %d) and %s have the same workspace", outer.Name, outer.Line, inner.Name)
	case same:
		d.warnf(inner.at, "each can read the other's notes; a folder of its own is safer",
			"agents %s (line %d) and %s share a workspace", outer.Name, outer.Line, inner.Name)
	default:
		d.warnf(inner.at, "the outer agent's jobs and tools reach the inner one's files",
			"the workspace of %s is inside that of %s (line %d)", inner.Name, outer.Name, outer.Line)
	}
}

// reach looks at the operator's files from inside the workspace.
func (d *decoder) reach(cfg *Config, a *Agent) {
	if a.Workspace.Kind != Local {
		return
	}
	if cfg.Path != "" && inside(cfg.Path, a.Workspace.Path) {
		d.warnf(a.at, "move it out of the workspace", "agent %s can change this very file", a.Name)
	}
	for _, b := range a.Baselines {
		switch {
		case b.Source == a.Workspace.File(b.File):
			d.errorf(b.at, "name the operator's own copy", "the baseline of %s is the file itself", b.File)
		case inside(b.Source, a.Workspace.Path):
			d.warnf(b.at, "keep baselines outside the workspace", "agent %s can change its own baseline %s", a.Name, b.Source)
		}
	}
}

package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/model/usererr"
	"tend/internal/text/layout"
)

// checkOverlaps checks that no two agents claim the same files, and that nothing of Tend's is within an agent's reach.
func (d *decoder) checkOverlaps(cfg *Config, state, archive *entry) {
	for _, dir := range []struct {
		name, path string
		at         *entry
	}{{"state_dir", cfg.StateDir, state}, {"archive_dir", cfg.ArchiveDir, archive}} {
		if dir.name == "archive_dir" && dir.at == nil {
			continue // below state_dir
		}
		for i := range cfg.Agents {
			d.checkApart(&cfg.Agents[i], dir.name, dir.path, dir.at)
		}
	}
	d.checkShared(cfg)
	for i := range cfg.Agents {
		d.checkReach(cfg, &cfg.Agents[i])
	}
}

// checkApart reports a workspace and a folder of Tend's of which one is inside the other.
func (d *decoder) checkApart(a *Agent, name, dir string, at *entry) {
	if a.Workspace.Kind != Local || !foldersOverlap(a.Workspace.Path, dir) {
		return
	}
	where, hint := a.at, "add "+name+": with a folder outside the workspaces"
	if at != nil {
		where, hint = at.value.pos, "choose a folder outside the workspaces"
	}
	if isInside(dir, a.Workspace.Path) {
		d.errorf(where, hint, "%s (%s) is inside the workspace of %s, within the agent's reach", name, dir, a.Name)
		return
	}
	d.errorf(a.at, "choose a workspace outside "+name, "the workspace of %s is inside %s (%s)", a.Name, name, dir)
}

// checkShared reports agents whose workspaces overlap. Two may share a folder only if each lists its own files by its
// baselines: memory files of several agents side by side in one folder are common, but a file needs one owner.
func (d *decoder) checkShared(cfg *Config) {
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
			d.checkClaims(owners, open[0].agent)
		}
		d.checkClaims(owners, p.agent)
		outer := open[len(open)-1]
		d.reportOverlap(outer.agent, p.agent, outer.key == p.key)
		if outer.key != p.key {
			open = append(open, p)
		}
	}
}

// checkClaims reports files of the agent for which another one has a baseline.
func (d *decoder) checkClaims(owners map[string]*Agent, a *Agent) {
	for _, b := range a.Baselines {
		file := a.Workspace.File(b.File)
		if other, ok := owners[file]; ok && other != a {
			d.errorf(b.at, "leave it to one of them", "%s of %s also belongs to agent %s (line %d)", b.File, a.Name, other.Name, other.Line)
			continue
		}
		owners[file] = a
	}
}

func (d *decoder) reportOverlap(outer, inner *Agent, same bool) {
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

// checkReach checks that the operator's files are not inside the workspace.
func (d *decoder) checkReach(cfg *Config, a *Agent) {
	if a.Workspace.Kind != Local {
		return
	}
	if cfg.Path != "" && isInside(cfg.Path, a.Workspace.Path) {
		d.warnf(a.at, "move it out of the workspace", "agent %s can change this very file", a.Name)
	}
	for _, b := range a.Baselines {
		switch {
		case b.Source == a.Workspace.File(b.File):
			d.errorf(b.at, "name the operator's own copy", "the baseline of %s is the file itself", b.File)
		case isInside(b.Source, a.Workspace.Path):
			d.warnf(b.at, "keep baselines outside the workspace", "agent %s can change its own baseline %s", a.Name, b.Source)
		}
	}
}

// ErrUntrusted: someone else may have written the configuration. A configuration names programs to run and folders to
// write to, so it must be the operator's.
var ErrUntrusted = errors.New("refusing an untrusted configuration")

func untrustedError(format string, args ...any) error {
	return &usererr.Error{Code: usererr.CodeRefused, Err: fmt.Errorf("%w: %s", ErrUntrusted, fmt.Sprintf(format, args...))}
}

// checkOwner checks that only the user and root can write a file: neither the file nor its folder may be writable by
// others.
func checkOwner(path string, env Env) error {
	names := []string{path, filepath.Dir(path)}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		names = append(names, filepath.Dir(real))
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		st, ok := fsys.Owner(info)
		if !ok {
			continue // Windows uses access control lists
		}
		if !isOperator(st.UID, env) {
			return untrustedError("%s belongs to another user (%d); `chown` it to yourself or to root", name, st.UID)
		}
		mode := info.Mode()
		if mode&fs.ModeSticky != 0 {
			continue // sticky: nobody can replace another user's file there
		}
		if mode.Perm()&0o002 != 0 {
			return untrustedError("every user of this machine can write %s; `chmod o-w %s`", name, name)
		}
		// By convention a group with the user's own number has no other members.
		if mode.Perm()&0o020 != 0 && st.GID != st.UID && st.GID != 0 {
			return untrustedError("the group %d can write %s; `chmod g-w %s`", st.GID, name, name)
		}
	}
	return nil
}

// isOperator reports whether an owner counts as the operator: the user, the user behind sudo, or root.
func isOperator(uid int, env Env) bool {
	if uid == 0 || uid == os.Geteuid() {
		return true
	}
	sudo, err := strconv.Atoi(env.Get("SUDO_UID"))
	return err == nil && os.Geteuid() == 0 && uid == sudo
}

// checkWorkingFolder refuses a tend.yaml that was found in the working folder, not named, if that folder is an agent's: the agent
// can write there. One that the operator names with --config or $TEND_CONFIG is accepted.
func checkWorkingFolder(path string, env Env) error {
	dir := filepath.Dir(path)
	use := "name your configuration with --config or $TEND_CONFIG"
	for _, other := range env.otherConfigs(dir) {
		text, err := readText(other)
		if err != nil {
			continue
		}
		cfg, err := Parse(other, text, env)
		if cfg == nil || err != nil {
			continue
		}
		if a, in := cfg.agentAround(path); in {
			return untrustedError("%s is in the workspace of agent %s of %s; `--config %s` uses that configuration", path, a, other, other)
		}
	}
	if what := looksLike(dir); what != "" {
		return untrustedError("%s is in what looks like an agent's workspace (%s); %s", path, what, use)
	}
	return nil
}

// otherConfigs returns the configurations that may know a folder: the user's, the system's, and those in the parent
// folders.
func (e Env) otherConfigs(dir string) []string {
	list := e.SearchPath()[1:]
	for up := filepath.Dir(dir); up != dir; up, dir = filepath.Dir(up), up {
		list = append(list, filepath.Join(up, "tend.yaml"))
	}
	return list
}

// agentAround returns the agent in whose workspace a file is. It compares the identity of the file's parent folders, also
// those of a link's target, with the workspaces: one lookup for each of up to 10,000 agents.
func (c *Config) agentAround(path string) (agent string, in bool) {
	above := foldersAbove(filepath.Dir(path))
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		above = append(above, foldersAbove(filepath.Dir(real))...)
	}
	for _, a := range c.Agents {
		if a.Workspace.Kind != Local {
			continue
		}
		ws, err := os.Stat(a.Workspace.Path)
		if err != nil {
			continue // nothing is in a missing folder
		}
		if slices.ContainsFunc(above, func(dir os.FileInfo) bool { return os.SameFile(dir, ws) }) {
			return a.Name, true
		}
	}
	return "", false
}

// foldersAbove returns a folder and its parents.
func foldersAbove(dir string) (list []os.FileInfo) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	for {
		if i, err := os.Stat(dir); err == nil {
			list = append(list, i)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return list
		}
		dir = up
	}
}

// sure is the confidence with which a folder must be recognized to count as a workspace.
const sure = 0.75

// looksLike returns the harness whose workspace a folder seems to be.
func looksLike(dir string) string {
	var paths []string
	for _, sub := range []string{"", "memory"} {
		entries, err := fsys.ReadFolder(filepath.Join(dir, sub))
		if err != nil || len(entries) > 5000 {
			continue
		}
		for _, e := range entries {
			paths = append(paths, filepath.ToSlash(filepath.Join(sub, e.Name())))
		}
	}
	if !slices.ContainsFunc(paths, func(p string) bool { return strings.HasSuffix(p, ".md") }) {
		return "" // memory is markdown; every start looks here, so save it the signs of all harnesses
	}
	guesses, err := layout.Detect(paths, nil)
	if err != nil || len(guesses) == 0 || guesses[0].Confidence < sure {
		return ""
	}
	return guesses[0].Ref
}

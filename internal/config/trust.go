package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"tend/internal/fault"
	"tend/internal/fsys"
	"tend/internal/layout"
)

// ErrUntrusted is a configuration that somebody else may have written. A configuration names programs to run and folders
// to write to, so it must be the operator's.
var ErrUntrusted = errors.New("refusing an untrusted configuration")

func untrusted(format string, args ...any) error {
	return &fault.Error{Code: fault.CodeRefused, Err: fmt.Errorf("%w: %s", ErrUntrusted, fmt.Sprintf(format, args...))}
}

// owned makes sure that nobody but the user and root can write a file: not the file, and not the folder it is in.
func owned(path string, env Env) error {
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
			continue // its access control list is Windows's business
		}
		if !ours(st.UID, env) {
			return untrusted("%s belongs to another user (%d); `chown` it to yourself or to root", name, st.UID)
		}
		mode := info.Mode()
		if mode&fs.ModeSticky != 0 {
			continue // in such a folder nobody replaces another's file
		}
		if mode.Perm()&0o002 != 0 {
			return untrusted("every user of this machine can write %s; `chmod o-w %s`", name, name)
		}
		// A group that has the user's own number has no other members by custom.
		if mode.Perm()&0o020 != 0 && st.GID != st.UID && st.GID != 0 {
			return untrusted("the group %d can write %s; `chmod g-w %s`", st.GID, name, name)
		}
	}
	return nil
}

// ours reports whether a file of this owner is the operator's: the user, the user behind sudo, or root.
func ours(uid int, env Env) bool {
	if uid == 0 || uid == os.Geteuid() {
		return true
	}
	sudo, err := strconv.Atoi(env.Get("SUDO_UID"))
	return err == nil && os.Geteuid() == 0 && uid == sudo
}

// beside refuses a tend.yaml that was found in the working folder, not named, when that folder is an agent's: an agent
// writes what it likes there. What the operator names with --config or $TEND_CONFIG is taken.
func beside(path string, env Env) error {
	dir := filepath.Dir(path)
	use := "name your own with --config or $TEND_CONFIG"
	for _, other := range env.others(dir) {
		text, err := readText(other)
		if err != nil {
			continue
		}
		cfg, err := Parse(other, text, env)
		if cfg == nil || err != nil {
			continue
		}
		if a, in := cfg.within(path); in {
			return untrusted("%s lies in the workspace of agent %s, which %s names; `--config %s` uses that one", path, a, other, other)
		}
	}
	if what := looksLike(dir); what != "" {
		return untrusted("%s lies in what looks like an agent's workspace (%s); %s", path, what, use)
	}
	return nil
}

// others are the configurations that may know of a folder: the user's, the system's, and those in the folders above.
func (e Env) others(dir string) []string {
	list := e.Places()[1:]
	for up := filepath.Dir(dir); up != dir; up, dir = filepath.Dir(up), up {
		list = append(list, filepath.Join(up, "tend.yaml"))
	}
	return list
}

// within tells in whose workspace a file lies. It compares the folders above the file, and above where it leads if it
// is a link, with the workspaces by identity: one question for each of what may be 10,000 agents.
func (c *Config) within(path string) (agent string, in bool) {
	above := folders(filepath.Dir(path))
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		above = append(above, folders(filepath.Dir(real))...)
	}
	for _, a := range c.Agents {
		if a.Workspace.Kind != Local {
			continue
		}
		ws, err := os.Stat(a.Workspace.Path)
		if err != nil {
			continue // nothing lies in a folder that is missing
		}
		if slices.ContainsFunc(above, func(dir os.FileInfo) bool { return os.SameFile(dir, ws) }) {
			return a.Name, true
		}
	}
	return "", false
}

// folders are a folder and those above it.
func folders(dir string) (list []os.FileInfo) {
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

// sure is how sure a guess of the harness must be for a folder to count as a workspace.
const sure = 0.75

// looksLike names the harness whose workspace a folder seems to be.
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
	guesses, err := layout.Detect(paths, nil)
	if err != nil || len(guesses) == 0 || guesses[0].Confidence < sure {
		return ""
	}
	return guesses[0].Ref
}

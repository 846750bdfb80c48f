package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tend/internal/disk/fsys"
)

// ourConfig is the complete configuration of our repositories.
const ourConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"

// ErrForeign: the repository has settings that Tend did not write. No git command is run on it: settings can name programs.
var ErrForeign = errors.New("the git history has settings that Tend did not make; `tend doctor --rebuild-history` builds it again")

// leading are files that redirect git or change what it does.
var leading = []string{
	"hooks", "modules", "worktrees", "commondir", "gitdir", "config.worktree", "shallow", "info/attributes", "info/grafts",
	"info/sparse-checkout", "objects/info/alternates", "objects/info/http-alternates", "refs/replace",
}

// checkTrusted checks that nothing in a repository makes git do more than read and write its own objects.
func (g Git) checkTrusted() error {
	foreign := func(what string) error { return fmt.Errorf("%s: %w", what, ErrForeign) }
	for _, name := range []string{"HEAD", "config", "objects", "refs", "packed-refs", "info", "objects/pack", "objects/info", "refs/heads"} {
		info, err := os.Lstat(filepath.Join(g.Dir, name))
		if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return foreign(name)
		}
	}
	for _, name := range leading {
		path := filepath.Join(g.Dir, name)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && info.IsDir() && !hasContent(path) {
			continue // from git's template
		}
		return foreign(name)
	}
	text, err := fsys.ReadFile(filepath.Join(g.Dir, "config"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // git reads it as empty
	}
	if err != nil {
		return err
	}
	if !hasOnlyInitSettings(string(text)) {
		return foreign("config")
	}
	return nil
}

// hasContent reports whether a folder contains anything but git's samples.
func hasContent(dir string) bool {
	entries, err := fsys.ReadFolder(dir)
	return err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasSuffix(e.Name(), ".sample") })
}

// harmless are the settings that git init writes.
var harmless = []string{"repositoryformatversion = 0", "filemode = true", "filemode = false", "bare = true", "ignorecase = true",
	"precomposeunicode = true", "symlinks = false"}

// hasOnlyInitSettings reports whether a configuration has only settings of git init.
func hasOnlyInitSettings(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line != "[core]" && !slices.Contains(harmless, line) {
			return false
		}
	}
	return true
}

// stripSettings writes our settings and removes the files that redirect git. Objects and branches stay.
func (g Git) stripSettings() error {
	if err := g.remove(append([]string{"config"}, leading...)...); err != nil {
		return err
	}
	return g.write("config", ourConfig)
}

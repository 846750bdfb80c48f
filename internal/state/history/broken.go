package history

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/model/finding"
)

// brokenMark is in the names of repositories that were set aside.
const brokenMark = ".broken-"

// Broken lists the damaged repositories of this agent that were set aside.
func (r Repo) Broken() (dirs []string, err error) {
	entries, err := fsys.ReadFolder(filepath.Dir(r.Git.Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), filepath.Base(r.Git.Dir)+brokenMark) {
			dirs = append(dirs, filepath.Join(filepath.Dir(r.Git.Dir), e.Name()))
		}
	}
	return dirs, err
}

// Findings reports the damaged repositories.
func (r Repo) Findings() (found []finding.Finding) {
	dirs, err := r.Broken()
	if err != nil {
		return nil
	}
	for _, dir := range dirs {
		found = append(found, finding.HistoryBroken.In("",
			"a damaged git history was set aside as %s; delete the folder when you no longer need it", dir))
	}
	return found
}

// isFatal reports whether an error is other than a failed git command, so that it is not about a damaged repository.
func isFatal(err error) bool {
	var git *gitError
	return err != nil && !errors.As(err, &git)
}

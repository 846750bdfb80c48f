package transfer

import (
	"bufio"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"tend/internal/disk/fsys"
)

// Repository is the git repository a folder is in.
type Repository struct {
	Remote string `json:"remote,omitempty"` // its origin's URL, without any password
	Within string `json:"within,omitempty"` // the folder's place in it, "." at the top
}

// RepositoryOf returns the repository of a folder; none if it has no origin.
func RepositoryOf(dir string) Repository {
	within := "."
	for {
		if remote := readOrigin(filepath.Join(dir, ".git")); remote != "" {
			return Repository{Remote: remote, Within: within}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return Repository{}
		}
		within, dir = path.Join(filepath.Base(dir), within), up
	}
}

// readOrigin reads the settings of a repository, or of the one that a worktree belongs to.
func readOrigin(git string) string {
	st, err := os.Stat(git)
	if err != nil {
		return ""
	}
	if st.Mode().IsRegular() && st.Size() < 1<<16 {
		text, err := fsys.ReadFile(git)
		if err != nil {
			return ""
		}
		// A worktree: its repository is two folders above the one the file names.
		target := strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:"))
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(git), target)
		}
		git = filepath.Join(target, "..", "..")
	}
	f, err := fsys.OpenFile(filepath.Join(git, "config"))
	if err != nil {
		return ""
	}
	defer f.Close()
	return parseOrigin(f)
}

func parseOrigin(f *os.File) string {
	in := false
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if strings.HasPrefix(line, "[") {
			in = line == `[remote "origin"]`
			continue
		}
		if key, value, ok := strings.Cut(line, "="); ok && in && strings.TrimSpace(key) == "url" {
			value = strings.TrimSpace(value)
			if u, err := url.Parse(value); err == nil && u.User != nil && u.Scheme != "" && u.Scheme != "ssh" {
				u.User = nil
				value = u.String()
			}
			return strings.TrimSuffix(value, ".git")
		}
	}
	return ""
}

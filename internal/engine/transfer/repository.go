package transfer

import (
	"bufio"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tend/internal/disk/fsys"
)

// Repository is the git repository a folder is in.
type Repository struct {
	Remote string `json:"remote,omitempty"` // its origin's URL, without any password
	Within string `json:"within,omitempty"` // the folder's place in it, "." at the top
}

// Repositories finds the repositories of many folders, asking each parent once.
type Repositories struct {
	mu    sync.Mutex
	since time.Time
	known map[string]string // remote by folder, "" if it is not a repository
}

// maxAge is how long an answer is valid.
const maxAge = time.Hour

// In returns the repository of a folder; none if it has no origin.
func (r *Repositories) In(dir string) Repository {
	within := "."
	for {
		remote, found := r.originAt(dir)
		if found {
			return Repository{Remote: remote, Within: within}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return Repository{}
		}
		within, dir = path.Join(filepath.Base(dir), within), up
	}
}

// originAt returns the origin of the repository whose top is this folder.
func (r *Repositories) originAt(dir string) (string, bool) {
	r.mu.Lock()
	if time.Since(r.since) > maxAge {
		r.known, r.since = nil, time.Now()
	}
	remote, asked := r.known[dir]
	r.mu.Unlock()
	if !asked {
		remote = readOrigin(filepath.Join(dir, ".git"))
		r.mu.Lock()
		if r.known == nil {
			r.known = map[string]string{}
		}
		r.known[dir] = remote
		r.mu.Unlock()
	}
	return remote, remote != ""
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

package carry

import (
	"bufio"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"tend/internal/policy"
	"tend/internal/vault"
)

// Home is what a workspace is known by, besides its path.
type Home struct {
	Workspace string                     `json:"workspace"`
	Remote    string                     `json:"remote,omitempty"` // of its git repository
	Files     map[string][]vault.Version `json:"files,omitempty"`  // versions each file has had
}

// Evidence is how much a folder is like a home.
type Evidence struct {
	Known  int  `json:"known"`  // files that are known of it
	Same   int  `json:"same"`   // of those, with a text that is known
	Named  int  `json:"named"`  // of those, there with another text
	Remote bool `json:"remote"` // it has the same git remote
}

// Sure says whether the evidence is enough to act on.
func (e Evidence) Sure() bool {
	if e.Remote {
		return e.Same+e.Named > 0
	}
	return e.Same > 0 && 2*e.Same >= e.Known
}

// Score orders candidates.
func (e Evidence) Score() int {
	s := 4*e.Same + e.Named
	if e.Remote {
		s += 1000
	}
	return s
}

// Compare looks for a home's files in a folder.
func Compare(h Home, dir string) Evidence {
	e := Evidence{Known: len(h.Files)}
	if r := Remote(dir); r != "" && r == h.Remote {
		e.Remote = true
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return e
	}
	defer root.Close()
	for p, versions := range h.Files {
		name := filepath.FromSlash(p)
		st, err := root.Stat(name)
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		if st.Size() > int64(policy.FileMaxRead.Of(policy.Policy{})) {
			e.Named++
			continue
		}
		data, err := root.ReadFile(name)
		if err != nil {
			continue
		}
		v, same := vault.VersionOf(data), false
		for _, k := range versions {
			same = same || k == v
		}
		if same {
			e.Same++
		} else {
			e.Named++
		}
	}
	return e
}

// Remote is the address of the repository a folder is in, as its origin says, without
// any password; "" if there is none.
func Remote(dir string) string {
	for {
		name := filepath.Join(dir, ".git", "config")
		if target, err := os.ReadFile(filepath.Join(dir, ".git")); err == nil {
			// A worktree: its repository is two folders above what the file names.
			git := strings.TrimSpace(strings.TrimPrefix(string(target), "gitdir:"))
			name = filepath.Join(git, "..", "..", "config")
		}
		f, err := os.Open(name)
		if err == nil {
			defer f.Close()
			return origin(f)
		}
		up := filepath.Dir(dir)
		if up == dir || !errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		dir = up
	}
}

func origin(f *os.File) string {
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

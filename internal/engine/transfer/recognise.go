package transfer

import (
	"context"
	"errors"
	"slices"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
)

// Home is what identifies a workspace.
type Home struct {
	Workspace string `json:"workspace"`
	Repository
	Files map[string][]vault.Version `json:"files,omitempty"` // versions each file has had
}

// Evidence is how well a folder matches a home.
type Evidence struct {
	Known  int  `json:"known"`  // files on record
	Same   int  `json:"same"`   // of those, found with a text on record
	Named  int  `json:"named"`  // of those, found with another text
	Remote bool `json:"remote"` // the same git remote
}

// Sure reports whether the evidence is enough to act on.
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
func Compare(ctx context.Context, h Home, dir string) Evidence {
	e := Evidence{Known: len(h.Files)}
	if here := RepositoryOf(dir); here.Remote != "" && here.Remote == h.Remote {
		// A repository may have the workspaces of many agents.
		e.Remote = here.Within == h.Within || h.Within == ""
	}
	t, err := fsys.Dir(dir)
	if err != nil {
		return e
	}
	defer t.Close()
	files := vault.New(t, fsys.Missing, "", "", vault.NoSync{}).Within(int64(policy.FileMaxRead.Of(policy.Policy{})))
	for name, versions := range h.Files {
		p, err := vault.ParsePath(name)
		if err != nil {
			continue
		}
		doc, err := files.Read(ctx, p)
		switch {
		case err == nil && slices.Contains(versions, doc.Version):
			e.Same++
		case err == nil, errors.As(err, new(*vault.TooLargeError)):
			e.Named++
		}
	}
	return e
}

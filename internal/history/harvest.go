package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/pack"
)

const mainBranch = "refs/heads/main"

// asideMark is in the names of repositories that were set aside.
const asideMark = ".broken-"

// Aside is a damaged repository that was set aside.
type Aside struct {
	Path   string `json:"path"`
	Looked bool   `json:"looked"` // its texts were taken
	Texts  int    `json:"texts"`  // texts taken from it
	Lost   int    `json:"lost"`   // objects that cannot be read
}

// Asides lists the damaged repositories of this agent.
func (r Repo) Asides() ([]Aside, error) {
	entries, err := fsys.ReadFolder(filepath.Dir(r.Git.Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Aside
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), filepath.Base(r.Git.Dir)+asideMark) {
			continue
		}
		a := Aside{Path: filepath.Join(filepath.Dir(r.Git.Dir), e.Name())}
		if data, err := fsys.ReadFile(filepath.Join(a.Path, lookedAt)); err == nil && json.Unmarshal(data, &a) == nil {
			a.Looked = true
		}
		list = append(list, a)
	}
	return list, nil
}

// lookedAt is a file in a repository that was set aside, written once its texts were taken.
const lookedAt = "tend-looked-at"

// Findings reports the damaged repositories.
func (r Repo) Findings() []finding.Finding {
	list, err := r.Asides()
	if err != nil {
		return nil
	}
	var found []finding.Finding
	for _, a := range list {
		what := "its texts have not been taken yet: run `tend history sync`"
		if a.Looked {
			what = fmt.Sprintf("%d texts were taken from it; delete the folder when you no longer need it", a.Texts)
			if a.Lost > 0 {
				what = fmt.Sprintf("%d texts were taken from it, at least %d objects cannot be read; delete the folder when you no longer need it", a.Texts, a.Lost)
			}
		}
		found = append(found, finding.HistoryBroken.In("", "a damaged git history was set aside as %s: %s", a.Path, what))
	}
	return found
}

// harvest brings texts that only git has into the packs: from repositories older than packs, from imported ones, and
// from those that were set aside.
func (r Repo) harvest(ctx context.Context) error {
	if r.Seen == nil || r.Branch == nil {
		return nil
	}
	if empty, err := r.Seen.Empty(); err != nil {
		return err
	} else if noted, ok := r.Git.readContent(); empty && !(ok && noted.unseen) {
		if _, err := r.harvestMain(ctx, r.Git); err != nil {
			return err
		}
	}
	asides, err := r.Asides()
	if err != nil {
		return err
	}
	for _, a := range asides {
		if a.Looked {
			continue
		}
		if err := r.salvage(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// harvestMain takes what the agent wrote from a repository's commits and returns the blobs it took.
func (r Repo) harvestMain(ctx context.Context, from Git) (map[string]bool, error) {
	list, err := from.changes(ctx)
	taken := map[string]bool{}
	if err != nil {
		return taken, err
	}
	list = slices.DeleteFunc(list, func(c change) bool { return !c.agent })
	return taken, r.take(ctx, from, list, taken)
}

// take adds changes to the Seen pack, as far as they can be read.
func (r Repo) take(ctx context.Context, from Git, list []change, taken map[string]bool) error {
	var entries []pack.Entry
	size := 0
	flush := func() error {
		err := r.Seen.Add(entries)
		entries, size = nil, 0
		return err
	}
	for _, c := range list {
		e := pack.Entry{Name: c.name, At: c.at, Action: c.action, Gone: c.blob == ""}
		if !e.Gone {
			lost, err := from.texts(ctx, []string{c.blob}, func(_ string, text []byte) error {
				e.Text = text
				return nil
			})
			if err != nil {
				return err
			}
			if len(lost) > 0 {
				continue
			}
			taken[c.blob] = true
			size += len(e.Text)
		}
		if entries = append(entries, e); size > 16<<20 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// salvage takes everything readable from a repository that was set aside.
func (r Repo) salvage(ctx context.Context, a Aside) error {
	from := Git{Dir: a.Path, Lock: r.Git.Lock}
	if err := from.strip(); err != nil {
		return err
	}
	taken, err := r.harvestMain(ctx, from)
	if fatal(err) {
		return err
	}
	a.Texts = len(taken)
	// Blobs that no commit leads to have lost their names, but not their texts.
	ids, err := from.blobs(ctx)
	if fatal(err) {
		return err
	}
	if err != nil {
		a.Lost++ // the object that stopped the listing
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return taken[id] })
	var entries []pack.Entry
	lost, err := from.texts(ctx, ids, func(id string, text []byte) error {
		entries = append(entries, pack.Entry{Name: "git-" + id, At: time.Unix(0, 0), Text: text})
		return nil
	})
	if err != nil {
		return err
	}
	a.Lost, a.Texts = a.Lost+len(lost), a.Texts+len(entries)
	if err := r.Branch.Add(entries); err != nil {
		return err
	}
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return Git{Dir: a.Path}.write(lookedAt, string(data)+"\n")
}

// fatal reports whether an error is other than a failed git command, so that it is not about a damaged repository.
func fatal(err error) bool {
	var git *gitError
	return err != nil && !errors.As(err, &git)
}

package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"tend/internal/ledger"
	"tend/internal/pack"
)

// Rebuilt is the result of a rebuild.
type Rebuilt struct {
	Texts   int `json:"texts"`   // distinct texts in the old repository
	Rescued int `json:"rescued"` // of those, texts that only git had; they are in the pack now
	Commits int `json:"commits"` // of the new one
	Lost    int `json:"lost"`    // objects of the old one that cannot be read
}

// Rebuild deletes the repository and builds it again from ledger, packs and workspace. The old one is deleted only when
// the new one or a pack has every text that could be read from it.
func (r Repo) Rebuild(ctx context.Context, l *ledger.Ledger, read func() (Worktree, error), clock time.Time) (res Rebuilt, err error) {
	if r.Seen == nil || r.Branch == nil || r.Git.Lock == nil {
		return res, errors.New("history: a rebuild needs packs and a lock")
	}
	old := r.Git.old()
	if err := r.Git.startOver(); err != nil {
		return res, err
	}
	var had map[string]bool
	if _, err := os.Stat(old.Dir); err == nil {
		if had, res.Lost, err = r.inventory(ctx, old); err != nil {
			return res, errors.Join(err, r.Git.takeBack(old))
		}
	}
	res.Texts = len(had)
	for round := 0; ; round++ {
		if err := r.Git.init(); err != nil {
			return res, errors.Join(err, r.Git.takeBack(old))
		}
		if res.Commits, err = r.sync(ctx, l, read, clock); err != nil {
			return res, errors.Join(err, r.Git.takeBack(old))
		}
		missing, err := r.missing(ctx, had)
		if err == nil && len(missing) > 0 && round < 2 {
			res.Rescued += len(missing)
			if err = r.rescue(ctx, old, missing); err == nil {
				err = r.Git.remove(".")
			}
			if err == nil {
				continue
			}
		}
		if err == nil && len(missing) > 0 {
			err = fmt.Errorf("%d texts of the old history would be missing in the new one", len(missing))
		}
		if err != nil {
			return res, errors.Join(err, r.Git.takeBack(old))
		}
		// Rename it first: a partly deleted repository must not be taken for the old one.
		if _, err := os.Stat(old.Dir); err != nil {
			return res, nil
		}
		return res, errors.Join(old.rename(r.Git.gone().Dir), r.Git.gone().remove("."))
	}
}

// Drop deletes the repository, and this agent's repositories that were set aside or moved away.
func (r Repo) Drop() (dropped bool, err error) {
	asides, err := r.Asides()
	if err != nil {
		return false, err
	}
	dirs := []string{r.Git.Dir, r.Git.old().Dir, r.Git.gone().Dir}
	for _, a := range asides {
		dirs = append(dirs, a.Path)
	}
	for _, dir := range dirs {
		if _, serr := os.Stat(dir); serr == nil {
			dropped = true
		}
		if rerr := (Git{Dir: dir}).remove("."); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return dropped, err
}

// old is where a rebuild moves the repository; gone is its name while it is deleted.
func (g Git) old() Git  { return Git{Dir: g.Dir + ".old", Lock: g.Lock} }
func (g Git) gone() Git { return Git{Dir: g.Dir + ".gone", Lock: g.Lock} }

// settle undoes a rebuild that was interrupted, or finishes one that only had to delete the old repository.
func (g Git) settle() error {
	if g.Lock == nil {
		return nil
	}
	return errors.Join(g.gone().remove("."), g.takeBack(g.old()))
}

// startOver moves the repository away.
func (g Git) startOver() error {
	if err := g.settle(); err != nil {
		return err
	}
	err := g.rename(g.old().Dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// takeBack moves the old repository back.
func (g Git) takeBack(old Git) error {
	if _, err := os.Stat(old.Dir); err != nil {
		return nil
	}
	return errors.Join(g.remove("."), old.rename(g.Dir))
}

// inventory lists the texts of the old repository after harvesting it into the packs.
func (r Repo) inventory(ctx context.Context, from Git) (had map[string]bool, lost int, err error) {
	if from.trusted() != nil {
		if err := from.strip(); err != nil {
			return nil, 0, err
		}
	}
	if err := (Repo{from, r.Seen, r.Branch}).harvest(ctx); fatal(err) {
		return nil, 0, err
	}
	if err := r.harvest(ctx); fatal(err) { // repositories set aside are named after the current one
		return nil, 0, err
	}
	ids, err := from.blobs(ctx)
	if fatal(err) {
		return nil, 0, err
	}
	had = map[string]bool{}
	missing, err := from.texts(ctx, ids, func(id string, _ []byte) error { had[id] = true; return nil })
	return had, len(missing), err
}

// missing lists the texts that neither the new repository nor a pack has.
func (r Repo) missing(ctx context.Context, had map[string]bool) ([]string, error) {
	left := map[string]bool{}
	for id := range had {
		left[id] = true
	}
	ids, err := r.Git.blobs(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		delete(left, id)
	}
	drop := func(e pack.Entry, err error) error {
		if err == nil && !e.Gone && !e.Purged {
			delete(left, blobID(e.Text))
		}
		return nil
	}
	if err := errors.Join(r.Seen.Each(drop), r.Branch.Each(drop)); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(left)), nil
}

// rescue brings texts that only git has into the packs: what an action wrote and nothing else keeps, and what no commit
// leads to.
func (r Repo) rescue(ctx context.Context, from Git, ids []string) error {
	want := map[string]bool{}
	for _, id := range ids {
		want[id] = true
	}
	list, err := from.changes(ctx)
	if fatal(err) {
		return err
	}
	list = slices.DeleteFunc(list, func(c change) bool { return !want[c.blob] })
	taken := map[string]bool{}
	if err := r.take(ctx, from, list, taken); err != nil {
		return err
	}
	var entries []pack.Entry
	ids = slices.DeleteFunc(ids, func(id string) bool { return taken[id] })
	if _, err := from.texts(ctx, ids, func(id string, text []byte) error {
		entries = append(entries, pack.Entry{Name: "git-" + id, At: time.Unix(0, 0), Text: text})
		return nil
	}); err != nil {
		return err
	}
	return r.Branch.Add(entries)
}

// seen commits what the agent wrote up to an action, one commit for all files of one moment.
func (s *stream) seen(list *[]pack.Entry, upto string) {
	for len(*list) > 0 && (*list)[0].Action <= upto {
		at := (*list)[0].At
		texts := map[string][]byte{}
		for len(*list) > 0 && (*list)[0].Action <= upto && (*list)[0].At.Equal(at) {
			e := (*list)[0]
			if _, twice := texts[e.Name]; twice {
				break
			}
			texts[e.Name] = e.Text
			if e.Gone {
				texts[e.Name] = nil
			}
			*list = (*list)[1:]
		}
		s.commit("agent", s.agent, at, "what "+s.agent+" wrote", texts)
	}
}

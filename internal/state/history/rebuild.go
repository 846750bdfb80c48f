package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"time"

	"tend/internal/state/ledger"
	"tend/internal/state/pack"
)

// Rebuilt is the result of a rebuild.
type Rebuilt struct {
	Texts   int // different texts the old repository had
	Commits int // of the new one
}

// Rebuild deletes the repository and builds it again from ledger, packs and workspace. The old one stays, and the rebuild
// fails, if it has a text that neither the new one nor the pack has: someone may have removed it from the state.
func (r Repo) Rebuild(ctx context.Context, l *ledger.Ledger, read func() (Worktree, error), clock time.Time) (res Rebuilt, err error) {
	old := r.Git.oldFolder()
	if err := r.Git.startOver(); err != nil {
		return res, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Git.takeBack(old))
		}
	}()
	had, err := old.listBlobs(ctx)
	if err != nil {
		return res, err
	}
	res.Texts = len(had)
	if err := r.Git.init(); err != nil {
		return res, err
	}
	if res.Commits, err = r.sync(ctx, l, read, clock); err != nil {
		return res, err
	}
	if err := r.coversAll(ctx, had); err != nil {
		return res, err
	}
	if _, err := os.Stat(old.Dir); err != nil {
		return res, nil
	}
	if err := old.rename(r.Git.goneFolder().Dir); err != nil { // half of it must not be taken for the old one
		return res, err
	}
	return res, r.Git.goneFolder().remove(".")
}

// coversAll checks that every text is in the repository or in the pack.
func (r Repo) coversAll(ctx context.Context, texts map[string]bool) error {
	have, err := r.Git.listBlobs(ctx)
	if err != nil {
		return err
	}
	err = r.Seen.Each(func(e pack.Entry, err error) error {
		if err == nil && !e.Gone && !e.Purged {
			have[blobID(e.Text)] = true
		}
		return nil
	})
	maps.DeleteFunc(texts, func(id string, _ bool) bool { return have[id] })
	if err == nil && len(texts) > 0 {
		err = fmt.Errorf("%d texts of the old history would not be in the new one", len(texts))
	}
	return err
}

// listBlobs are the ids of all texts a repository has, as far as they can be listed.
func (g Git) listBlobs(ctx context.Context) (map[string]bool, error) {
	ids := map[string]bool{}
	if _, err := os.Stat(g.Dir); err != nil {
		return ids, nil
	}
	if g.checkTrusted() != nil {
		if err := g.stripSettings(); err != nil {
			return nil, err
		}
	}
	out, err := g.runGit(ctx, nil, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)")
	if isFatal(err) {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "blob "); ok {
			ids[id] = true
		}
	}
	return ids, nil
}

// Drop deletes the repository, and this agent's repositories that were set aside or moved away.
func (r Repo) Drop() (dropped bool, err error) {
	asides, err := r.Broken()
	if err != nil {
		return false, err
	}
	dirs := []string{r.Git.Dir, r.Git.oldFolder().Dir, r.Git.goneFolder().Dir}
	for _, dir := range append(dirs, asides...) {
		if _, serr := os.Stat(dir); serr == nil {
			dropped = true
		}
		if rerr := (Git{Dir: dir}).remove("."); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return dropped, err
}

// oldFolder is where a rebuild moves the repository; gone is its name while it is deleted.
func (g Git) oldFolder() Git  { return Git{Dir: g.Dir + ".old", Lock: g.Lock} }
func (g Git) goneFolder() Git { return Git{Dir: g.Dir + ".gone", Lock: g.Lock} }

// recoverRebuild undoes a rebuild that was interrupted, or finishes one that only had to delete the old repository.
func (g Git) recoverRebuild() error {
	if g.Lock == nil {
		return nil
	}
	return errors.Join(g.goneFolder().remove("."), g.takeBack(g.oldFolder()))
}

// startOver moves the repository away.
func (g Git) startOver() error {
	if err := g.recoverRebuild(); err != nil {
		return err
	}
	err := g.rename(g.oldFolder().Dir)
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

// commitObserved commits what the agent wrote up to an action, one commit for all files of one moment.
func (s *stream) commitObserved(list *[]pack.Entry, upto string) {
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

// Package index is the search index of a memory: the words of its files and, on request, of what is kept of the past.
package index

import (
	"context"
	"errors"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tend/internal/app/memory/scope"
	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/search"
)

// Index is derived from the files, built on first use, and updated before every answer from every file's size and time.
type Index struct {
	agent *fleet.Agent
	files *scope.Files

	mu    sync.Mutex
	words *search.Index
	seen  map[vault.Path]sighting
	past  pastIndex
}

// New returns the index of an agent's files.
func New(a *fleet.Agent, f *scope.Files) *Index { return &Index{agent: a, files: f} }

// sighting is a file as it was when it was read.
type sighting struct {
	size int64
	at   time.Time
	// fresh: it had changed so recently that another change may not show in its time.
	fresh bool
}

// many files take so much memory to index that it is freed at once.
const many = 1000

// timeStep is how old a change must be for the next one to have a different time.
const timeStep = 2 * time.Second

// Fresh returns the index of the files as they are now.
func (x *Index) Fresh(ctx context.Context) (*search.Index, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	first := x.words == nil
	if first {
		x.words, x.seen = search.New(), map[vault.Path]sighting{}
	}
	err := x.lookAtAll(ctx)
	if first && len(x.seen) > many {
		// Building takes several times the memory that is kept.
		debug.FreeOSMemory()
	}
	return x.words, err
}

// lookAtAll compares every file with what was read and reads those that differ.
func (x *Index) lookAtAll(ctx context.Context) error {
	var todo []vault.Path
	there := make(map[vault.Path]bool, len(x.seen))
	most, left := int64(policy.FileMaxBytes.Of(x.agent.Policy)), int64(policy.FilesMaxTotal.Of(x.agent.Policy))
	err := x.files.WalkAll(ctx, func(i vault.Info) bool {
		if !x.Searched(i.Path) {
			return true
		}
		there[i.Path] = true
		if i.Size > min(most, left) {
			why := "is beyond files.max_total"
			if i.Size > most {
				why = "is larger than file.max_bytes"
			}
			x.words.Fail(string(i.Path), why)
			x.seen[i.Path] = sighting{fresh: true} // looked at again
			return ctx.Err() == nil
		}
		left -= i.Size
		if was, ok := x.seen[i.Path]; !ok || was.fresh || was.size != i.Size || was.at != i.ModTime {
			todo = append(todo, i.Path)
		}
		return ctx.Err() == nil
	}, func(dir vault.Path, why string) { x.words.Fail(string(dir), why) })
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	for p := range x.seen {
		if !there[p] {
			x.words.Remove(string(p))
			delete(x.seen, p)
		}
	}
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range todo {
		g.Go(func() error {
			seen, ok, err := x.addFile(ctx, p)
			mu.Lock()
			defer mu.Unlock()
			if ok {
				x.seen[p] = seen
			} else {
				delete(x.seen, p)
			}
			return err
		})
	}
	return g.Wait()
}

// addFile adds a file to the index. Files that cannot be read are recorded there, so that every answer lists them.
func (x *Index) addFile(ctx context.Context, p vault.Path) (sighting, bool, error) {
	began := time.Now()
	doc, err := x.files.Read(ctx, p)
	switch {
	case errors.Is(err, vault.ErrAbsent):
		x.words.Remove(string(p))
		return sighting{}, false, nil
	case ctx.Err() != nil:
		return sighting{}, false, ctx.Err()
	case err != nil:
		x.words.Fail(string(p), strings.TrimSuffix(toolerr.Translate("read", p, err).Text, "."))
		return sighting{}, false, nil
	}
	seen := sighting{int64(len(doc.Data)), doc.ModTime, began.Sub(doc.ModTime) < timeStep}
	if most := policy.FileMaxBytes.Of(x.agent.Policy); len(doc.Data) > most {
		x.words.Fail(string(p), "is larger than file.max_bytes")
		return seen, true, nil
	}
	l := x.agent.Layout
	role, _ := l.RoleOf(string(p))
	on, ok := l.DayOf(string(p))
	if name := p.Base(); !ok && len(name) >= len(time.DateOnly) { // another tool's log, named by its day
		on = name[:len(time.DateOnly)]
	}
	day, _ := note.ParseDay(on)
	x.words.Put(search.Markdown(string(p), tierOf(role), day, x.syntaxOf(p), doc.Data))
	return seen, true, nil
}

// Searched reports whether a search covers a file: text that belongs to the memory.
func (x *Index) Searched(p vault.Path) bool {
	if !x.files.Known(p) {
		return false
	}
	switch strings.ToLower(path.Ext(string(p))) {
	case ".md", ".markdown", ".txt", ".json", ".org":
	default:
		return false
	}
	if strings.Contains(string(p), "node_modules/") || strings.HasPrefix(p.Base(), vault.TempPrefix) {
		return false
	}
	if strings.HasPrefix(string(p), ".") || strings.Contains(string(p), "/.") {
		_, known := x.agent.Layout.RoleOf(string(p))
		return known && !strings.Contains("/"+string(p), "/.git/")
	}
	return strings.Count(string(p), "/") <= policy.PathMaxDepth.Of(x.agent.Policy)
}

func (x *Index) syntaxOf(p vault.Path) note.Syntax {
	return x.agent.Layout.Syntax(string(p), x.agent.Policy)
}

// tierOf returns how close to the model the files of a role are.
func tierOf(r layout.Role) search.Tier {
	switch r {
	case layout.Identity, layout.Agents, layout.Hot, layout.User, layout.Tools:
		return search.Hot
	case layout.Session, layout.Buffer:
		return search.Buffer
	case layout.Daily, layout.Observations, layout.History, layout.Learnings, layout.Archive:
		return search.Cold // also a log that was moved to the workspace's archive: it stays findable
	}
	return search.Warm
}

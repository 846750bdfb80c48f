package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tend/internal/app/memory/index"
	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/engine/past"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/text/search"
)

// SearchRequest searches for entries.
type SearchRequest struct {
	Query string
	Limit int  // 0 is search.results
	Files bool // whole files instead of entries
	// Past also searches archives and what actions displaced, as it happens anyway if the files have nothing.
	// tier:archive or tier:history in the query does the same.
	Past bool
	// FilesOnly leaves the past out even if the files have nothing.
	FilesOnly bool
	Fit       Fit
}

// Found is the result of a search. It always lists what could not be searched.
type Found struct {
	search.Answer
	Past  bool      // archives and history were searched
	Limit int       // how many hits were wanted
	Shown []Passage // the hits as they stand in their files, as far as they fit
	Rest  []Passage // those that do not
}

// Search finds entries by their words.
func (f *Finder) Search(ctx context.Context, r SearchRequest) (Found, error) {
	if strings.TrimSpace(r.Query) == "" {
		return Found{}, f.fail("search", "search", "", toolerr.New(toolerr.BadInput, "The query is empty."))
	}
	index, err := f.index.Fresh(ctx)
	if err != nil {
		return Found{}, f.fail("search", "search", "", err)
	}
	found := Found{Past: r.Past || strings.Contains(r.Query, "tier:archive") || strings.Contains(r.Query, "tier:history")}
	q := search.Request{
		Query: r.Query, Limit: r.Limit, Now: f.agent.Now(), Source: func(path string) (string, error) { return f.textOf(ctx, path) },
		Current: true,
		Tiers:   []search.Tier{search.Hot, search.Buffer, search.Warm, search.Cold},
	}
	if q.Limit <= 0 {
		q.Limit = policy.SearchResults.Of(f.agent.Policy)
	}
	found.Limit = q.Limit
	if r.Files {
		q.Group = search.ByFile
	}
	if !found.Past {
		found.Answer = index.Search(ctx, q)
		if len(found.Hits) > 0 {
			f.lookBack(ctx, index, &found, q)
		}
		if len(found.Hits) > 0 || r.FilesOnly || ctx.Err() != nil {
			found.Shown, found.Rest = f.passages(ctx, found.Hits, r.Fit)
			return found, f.cancelled(ctx)
		}
	}
	// What is not in the files may be in the past: one question, one answer.
	asked := found.Past
	if err := f.index.AddPast(ctx, index); err != nil {
		if err = f.fail("search", "search the past", "", err); asked {
			return found, err
		}
		found.Notes = append(found.Notes, "the past could not be searched: "+err.Error())
		return found, f.cancelled(ctx)
	}
	found.Past, q.Tiers = true, nil
	found.Answer = index.Search(ctx, q)
	if n := len(found.Hits); n > 0 && !asked {
		found.Notes = append(found.Notes, inThePast(n))
	}
	found.Shown, found.Rest = f.passages(ctx, found.Hits, r.Fit)
	return found, f.cancelled(ctx)
}

// lookBack says how often the past has the words that no file has. An answer does not fail for it.
func (f *Finder) lookBack(ctx context.Context, index *search.Index, found *Found, q search.Request) {
	if len(found.Missing) == 0 || f.index.AddPast(ctx, index) != nil {
		return
	}
	q.Query, q.Tiers, q.Source = strings.Join(found.Missing, " "), []search.Tier{search.Archive, search.History}, nil
	if n := len(index.Search(ctx, q).Hits); n > 0 {
		found.Notes = append(found.Notes, fmt.Sprintf("%s for %s in the past", textfmt.Count(n, "hit"), strings.Join(found.Missing, ", ")))
	}
}

// cancelled is the error of a search whose caller has left.
func (f *Finder) cancelled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return f.fail("search", "search", "", err)
	}
	return nil
}

// textOf reads a hit's text: a file, an archive or an earlier version.
func (f *Finder) textOf(ctx context.Context, path string) (string, error) {
	if text, ok, err := f.index.PastText(path); ok {
		return text, err
	}
	doc, err := f.files.Read(ctx, vault.Path(path))
	if err != nil {
		return "", errors.New(strings.TrimSuffix(toolerr.Translate("read", vault.Path(path), err).Text, "."))
	}
	return string(doc.Data), nil
}

// Problem is a file that could not be searched.
type Problem = search.Problem

// Match is a line that contains a text exactly.
type Match struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// GrepRequest searches for literal text.
type GrepRequest struct {
	Match func(line string) bool
	// Past also searches archives and the trash. Most of a displaced file is still elsewhere: of the trash only lines
	// found nowhere else are reported.
	Past  bool
	Limit int // 0 is no limit
}

// Grepped is the result of an exact search.
type Grepped struct {
	Matches  []Match   `json:"matches"`
	Files    int       `json:"files"` // searched
	More     bool      `json:"more,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
}

// Grep finds every line that matches.
func (f *Finder) Grep(ctx context.Context, r GrepRequest) (Grepped, error) {
	g := Grepped{Matches: []Match{}}
	var paths []string
	err := f.files.WalkAll(ctx, func(i vault.Info) bool {
		if f.index.Searched(i.Path) {
			paths = append(paths, string(i.Path))
		}
		return ctx.Err() == nil
	}, func(dir vault.Path, why string) {
		g.Problems = append(g.Problems, Problem{Path: string(dir), Reason: why})
	})
	if err != nil {
		return g, f.fail("grep", "search", "", err)
	}
	met := map[string]bool{}
	for _, p := range paths {
		text, err := f.textOf(ctx, p)
		if ctx.Err() != nil {
			return g, f.cancelled(ctx)
		}
		if g.look(r, p, text, err, func(line string) bool { met[line] = true; return true }); g.More {
			return g, nil
		}
	}
	if r.Past {
		once := func(line string) bool {
			was := met[line]
			met[line] = true
			return !was
		}
		for _, k := range f.beside(ctx, paths) {
			g.look(r, string(k.Path.Dir().Join(vault.TempPrefix+k.TrashName())), string(k.Data), nil, once)
		}
		enough := errors.New("enough")
		look := func(k past.StoredText, err error) error {
			g.look(r, k.Ref, string(k.Data), err, once)
			if g.More {
				return enough
			}
			return ctx.Err()
		}
		kept := past.Open(f.agent)
		err := kept.Each(ctx, look)
		if err == nil {
			_, err = kept.Displaced(ctx, "", index.MostPast, look)
		}
		if err != nil && !errors.Is(err, enough) {
			return g, f.fail("grep", "search the past", "", err)
		}
	}
	slices.SortFunc(g.Problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return g, nil
}

// look adds the matching lines of one text that should be reported.
func (g *Grepped) look(r GrepRequest, path, text string, err error, tell func(line string) bool) {
	if err != nil {
		g.Problems = append(g.Problems, Problem{Path: path, Reason: err.Error()})
		return
	}
	g.Files++
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimRight(line, "\r\n"); !r.Match(line) || !tell(line) {
			continue
		}
		if r.Limit > 0 && len(g.Matches) == r.Limit {
			g.More = true
			return
		}
		g.Matches = append(g.Matches, Match{Path: path, Line: n, Text: line})
	}
}

// beside lists displaced files that are kept in the workspace, because the trash is on another file system: a writer
// may have added to them since.
func (f *Finder) beside(ctx context.Context, paths []string) []vault.Found {
	dirs := map[vault.Path]bool{"": true}
	for _, p := range paths {
		dirs[vault.Path(p).Dir()] = true
	}
	var all []vault.Found
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		found, err := f.agent.Vault.Leftovers(ctx, dir)
		if err != nil {
			continue // a folder that cannot be listed is reported by the walk
		}
		all = append(all, found...)
	}
	return all
}

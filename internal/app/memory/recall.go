package memory

import (
	"context"
	"errors"
	"slices"

	"tend/internal/disk/vault"
	"tend/internal/engine/past"
	"tend/internal/text/search"
)

// Recalled is what is true now, as far as the notes say.
type Recalled struct {
	Found
	Now      *search.Hit    // the current statement, nil if nothing was found
	Replaced []past.Wording // what its line said before, newest first
}

// Recall answers "what is X now": the newest wording of the best hit's line, and what that line said before. Both come from
// the history of the line, not from a likeness to other hits.
func (f *Finder) Recall(ctx context.Context, q SearchRequest) (Recalled, error) {
	found, err := f.Search(ctx, q)
	if err != nil {
		return Recalled{}, err
	}
	r := Recalled{Found: found}
	at := slices.IndexFunc(r.Hits, func(h search.Hit) bool { return h.Tier != search.Archive && h.Tier != search.History })
	if at < 0 {
		return r, nil
	}
	r.Now = &r.Hits[at]
	now, before, err := past.Open(f.agent).Follow(ctx, vault.Path(r.Now.Path), r.Now.Line)
	if errors.Is(err, past.ErrNoEntry) { // a table, code or a whole file has no line to follow
		return r, nil
	}
	if err != nil {
		return r, f.fail("search", "search", "", err)
	}
	r.Replaced = before
	if string(now.File) != r.Now.Path || now.Line != r.Now.Line {
		newest := search.Hit{
			Path: string(now.File), Line: now.Line, EndLine: now.Line, Tier: r.Now.Tier, Headings: r.Now.Headings,
			Date: now.Day.Start(f.agent.Location),
		}
		newest.Snippet.Text = now.Text
		r.Now = &newest
	}
	return r, nil
}

package memory

import (
	"context"
	"slices"

	"tend/internal/text/recall"
)

// Recalled is what is true now, as far as the notes say.
type Recalled struct {
	Found
	Now      *recall.Hit  // the current statement, nil if nothing was found
	Replaced []recall.Hit // the older statements it replaced, the best first
}

// recallHits is how many hits are searched for the current statement and what it replaced.
const recallHits = 10

// Recall answers "what is X now": the best hit that no newer statement has replaced, and what it replaced.
func (f *Finder) Recall(ctx context.Context, query string) (Recalled, error) {
	found, err := f.Search(ctx, SearchRequest{Query: query, Limit: recallHits})
	if err != nil {
		return Recalled{}, err
	}
	r := Recalled{Found: found}
	at := slices.IndexFunc(r.Hits, func(h recall.Hit) bool {
		return h.Superseded == nil && h.Tier != recall.Archive && h.Tier != recall.History
	})
	if at < 0 {
		return r, nil
	}
	r.Now = &r.Hits[at]
	// What it replaced, and what that had replaced before.
	newer := map[place]bool{{r.Now.Path, r.Now.Line}: true}
	for more := true; more; {
		more = false
		for _, h := range r.Hits {
			if h.Superseded != nil && newer[place{h.Superseded.By.Path, h.Superseded.By.Line}] && !newer[place{h.Path, h.Line}] {
				newer[place{h.Path, h.Line}], more = true, true
				r.Replaced = append(r.Replaced, h)
			}
		}
	}
	return r, nil
}

// place returns an entry's place.
type place struct {
	path string
	line int
}

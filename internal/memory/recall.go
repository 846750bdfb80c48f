package memory

import (
	"context"

	"tend/internal/recall"
)

// Recalled is what holds now, as far as the notes say.
type Recalled struct {
	Found
	Now      *recall.Hit  // the current statement, nil if nothing was found
	Replaced []recall.Hit // the older statements it took the place of, the best first
}

// recallHits is how many hits are looked at for the current statement and what it replaced.
const recallHits = 10

// Recall answers "what is X now": the best hit that no newer statement has replaced, and what it replaced.
func (s *Service) Recall(ctx context.Context, query string) (Recalled, error) {
	f, err := s.Search(ctx, SearchRequest{Query: query, Limit: recallHits})
	if err != nil {
		return Recalled{}, err
	}
	r := Recalled{Found: f}
	for i, h := range f.Hits {
		switch {
		case h.Superseded == nil && r.Now == nil:
			r.Now = &f.Hits[i]
		case r.Now != nil && h.Superseded != nil && h.Superseded.By.Path == r.Now.Path && h.Superseded.By.Line == r.Now.Line:
			r.Replaced = append(r.Replaced, h)
		}
	}
	return r, nil
}

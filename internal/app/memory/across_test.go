package memory

import (
	"context"
	"errors"
	"slices"
	"testing"

	"tend/internal/text/search"
)

// One ranking of several agents keeps each agent's order: a newer entry stays before the older one that fits better.
func TestSearchAcrossKeepsEachOrder(t *testing.T) {
	answer := func(known float64, missing []string, hits ...search.Hit) Found {
		return Found{Answer: search.Answer{Known: known, Missing: missing, Hits: hits}}
	}
	answers := map[string]Found{
		"a": answer(1, []string{"quay"}, search.Hit{Path: "new", Score: 2}, search.Hit{Path: "old", Score: 5}, search.Hit{Path: "far", Score: 1}),
		"b": answer(0.5, []string{"quay", "crane"}, search.Hit{Path: "b", Score: 8}),
	}
	found, err := SearchAcross(context.Background(), []string{"broken", "a", "b"}, SearchRequest{Query: "crane"},
		func(agent string, _ SearchRequest) (Found, error) {
			f, ok := answers[agent]
			if !ok {
				return f, errors.New("cannot be read")
			}
			return f, nil
		})
	var got []string
	for _, h := range found.Hits {
		got = append(got, h.Agent+" "+h.Path)
	}
	if want := []string{"a new", "a old", "b b", "a far"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if err == nil || !slices.Equal(found.Missing, []string{"quay"}) {
		t.Errorf("got the error %v and %v in no file, want an error and quay", err, found.Missing)
	}
}

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
	answers := map[string]Found{
		"a": {Answer: search.Answer{Known: 1, Missing: []string{"quay"}, Hits: []search.Hit{{Path: "new", Score: 2}, {Path: "old", Score: 5}, {Path: "far", Score: 1}}}},
		"b": {Answer: search.Answer{Known: 0.5, Missing: []string{"quay", "crane"}, Hits: []search.Hit{{Path: "b", Score: 8}}}},
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

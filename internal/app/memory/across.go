package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tend/internal/model/textfmt"
	"tend/internal/text/search"
)

// SearchAcross asks several agents the same and makes one ranking of their answers. ask searches one of them; the past of all is
// searched if the files of none have a hit. The error lists the agents that could not be asked; the answer covers the others.
func SearchAcross(ctx context.Context, agents []string, r SearchRequest,
	ask func(agent string, r SearchRequest) (Found, error)) (Found, error) {
	r.FilesOnly = !r.Past
	all, err := searchEach(ctx, agents, r, ask)
	if len(all.Hits) > 0 || all.Past || ctx.Err() != nil {
		return all, err
	}
	r.FilesOnly, r.Past = false, true
	past, err := searchEach(ctx, agents, r, ask)
	if n := len(past.Hits); n > 0 {
		past.Notes = append(past.Notes, inThePast(n))
	}
	return past, err
}

func inThePast(n int) string {
	return fmt.Sprintf("nothing in the files; %s in the past", textfmt.Count(n, "hit"))
}

func searchEach(ctx context.Context, agents []string, r SearchRequest,
	ask func(agent string, r SearchRequest) (Found, error)) (Found, error) {
	all := Found{Past: r.Past}
	var hits []ranked
	var errs []error
	for i, name := range agents {
		f, err := ask(name, r)
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		hits = append(hits, normalizeScores(name, f)...)
		for _, p := range f.Problems {
			all.Problems = append(all.Problems, Problem{Path: name + ":" + p.Path, Reason: p.Reason})
		}
		all.Files, all.Units, all.Past = all.Files+f.Files, all.Units+f.Units, all.Past || f.Past
		all.Limit = max(all.Limit, f.Limit)
		// A word is in no file, and a note true, if it is so for every agent.
		both := func(list, other []string) []string {
			if i == len(errs) { // the first that answers
				return other
			}
			return slices.DeleteFunc(list, func(s string) bool { return !slices.Contains(other, s) })
		}
		all.Missing, all.Notes = both(all.Missing, f.Missing), both(all.Notes, f.Notes)
	}
	slices.SortStableFunc(hits, func(a, b ranked) int { return cmp.Compare(b.rank, a.rank) })
	if all.Limit > 0 {
		hits = hits[:min(len(hits), all.Limit)]
	}
	for _, h := range hits {
		all.Hits = append(all.Hits, h.Hit)
	}
	return all, errors.Join(errs...)
}

// ranked is a hit and what it is ordered by among those of other agents.
type ranked struct {
	search.Hit
	rank float64
}

// normalizeScores makes one agent's hits comparable. Their order stays: a hit that goes before a better one, for it is newer,
// ranks like that one.
func normalizeScores(agent string, f Found) []ranked {
	out := make([]ranked, len(f.Hits))
	best := 0.0
	for i, h := range slices.Backward(f.Hits) {
		h.Agent, h.Score = agent, h.Score*f.Known
		best = max(best, h.Score)
		out[i] = ranked{h, best}
	}
	return out
}

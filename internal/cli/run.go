package cli

import (
	"context"
	"errors"

	"tend/internal/act"
	"tend/internal/fleet"
)

// runDue runs what is due for all agents that are enabled.
func runDue(ctx context.Context, a *app) (results []act.Result, err error) {
	names, err := a.chosen(nil, true)
	if err != nil {
		return nil, err
	}
	f, err := a.fleet(fleet.Options{Write: true, Many: len(names) > 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lists := make([][]act.Result, len(names))
	fleet.Parallel(len(names), atOnce(), func(i int) {
		lists[i] = act.Due(ctx, f, names[i])
	})
	for _, list := range lists {
		results = append(results, list...)
	}
	return results, nil
}

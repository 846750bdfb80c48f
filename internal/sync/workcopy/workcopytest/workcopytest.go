// Package workcopytest runs a pull without the engine, for tests below it.
package workcopytest

import (
	"context"
	"errors"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// Run reads, locks and commits in this order, and starts over if a file changed meanwhile.
func Run(l *ledger.Ledger, who string) func(
	context.Context, func(context.Context) (plan.Plan, error), func(context.Context, *ledger.Session, plan.Plan) (ledger.Action, error),
) ([]finding.Finding, error) {
	return func(
		ctx context.Context, read func(context.Context) (plan.Plan, error),
		commit func(context.Context, *ledger.Session, plan.Plan) (ledger.Action, error),
	) (found []finding.Finding, err error) {
		pl, err := read(ctx)
		if err != nil {
			return nil, err
		}
		s, err := l.Begin(ctx, who)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		for try := 1; ; try++ {
			if len(s.Recovered) > 0 || try > 1 {
				if pl, err = read(ctx); err != nil {
					return nil, err
				}
			}
			if _, err = commit(ctx, s, pl); try == 10 || !errors.Is(err, vault.ErrChanged) {
				return append(pl.Findings, s.Recovered...), err
			}
		}
	}
}

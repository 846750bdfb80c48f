package runner

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/transfer"
	"tend/internal/model/textfmt"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/text/layout/migrate"
)

// Arrival is memory that is moved into an agent's workspace.
type Arrival struct {
	Files  []vault.Doc // paths and texts
	Origin migrate.Origin
	From   string // for the record: the agent or folder
	// Replace replaces files that exist with another text; they stay in the trash. Otherwise they are in the way.
	Replace bool
	Judges  []plan.Judge // who chose what fills a small page
}

// TakenError: files with another text are in the way.
type TakenError struct{ Paths []string }

func (e *TakenError) Error() string {
	return "already there, with another text: " + strings.Join(e.Paths, ", ")
}

// Migrate writes moved memory as one action, and remembers where it is from.
func Migrate(ctx context.Context, a *fleet.Agent, m Arrival, o Options) (Result, error) {
	paths := make([]vault.Path, len(m.Files))
	for i, f := range m.Files {
		paths[i] = f.Path
	}
	return Run(ctx, a, Request{
		Options: o, Job: "migrate", Read: Some(a, paths...),
		Plan: func(in job.Input) (plan.Plan, error) { return arrivalPlan(in, m) },
		Commit: func(ctx context.Context, s *ledger.Session, pl plan.Plan) (ledger.Action, error) {
			if err := transfer.WriteOrigin(a.State(), a.Name, m.Origin); err != nil || changesNothing(pl) {
				return ledger.Action{}, err
			}
			return s.Apply(ctx, pl)
		},
	})
}

func arrivalPlan(in job.Input, m Arrival) (plan.Plan, error) {
	pl := plan.Plan{Job: "migrate", Summary: "everything is there already", Judges: m.Judges}
	var taken []string
	for _, f := range m.Files {
		doc := in.File(f.Path)
		switch {
		case doc.Version != vault.Absent && bytes.Equal(doc.Data, f.Data):
			continue
		case doc.Version != vault.Absent && !m.Replace:
			taken = append(taken, string(f.Path))
		}
		pl.Changes = append(pl.Changes, plan.Change{Path: f.Path, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: f.Data,
			Why: "moved from " + m.From})
	}
	if len(taken) > 0 {
		return pl, &TakenError{taken}
	}
	if len(pl.Changes) > 0 {
		pl.Summary = fmt.Sprintf("%s moved from %s", textfmt.Count(len(pl.Changes), "file"), m.From)
	}
	return pl, nil
}

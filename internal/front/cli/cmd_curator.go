package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/engine/curator"
	"tend/internal/engine/curator/dial"
	"tend/internal/engine/fleet"
	"tend/internal/model/policy"
	"tend/internal/model/usererr"
	"tend/internal/text/session"
)

func newCuratorCommand(a *app) *cobra.Command {
	cmd := a.command("curator", func(context.Context, []string) error {
		return usererr.Usagef("`tend curator test` tries the configured curator", "say what to do")
	})
	cmd.AddCommand(a.command("test [AGENT]", func(ctx context.Context, args []string) error {
		return a.withAgent(ctx, firstArg(args), fleet.Options{}, func(ag *fleet.Agent) error { return testCurator(ctx, a, ag) })
	}))
	return cmd
}

// curatorTest is the result of one round on sample data.
type curatorTest struct {
	Curator   string             `json:"curator"`
	SentTo    string             `json:"sent_to"`
	Tokens    int                `json:"tokens"` // of the request, estimated
	Seconds   float64            `json:"seconds"`
	Accepted  int                `json:"accepted"`
	Decisions []curator.Decision `json:"decisions"`
}

func testCurator(ctx context.Context, a *app, ag *fleet.Agent) error {
	choice := policy.Curator.Of(ag.Policy)
	if choice.Off() {
		return usererr.Usagef("add `curator: ollama/NAME` or another one to tend.yaml; docs/curator.md lists them", "%s has no curator", ag.Name)
	}
	m, err := ag.CuratorModel()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, policy.CurateTimeout.Of(ag.Policy).Std())
	defer cancel()
	r := curator.Sample()
	res := curatorTest{Curator: choice.String(), SentTo: dial.Target(choice), Tokens: session.EstimateTokens(r.Text())}
	began := time.Now()
	res.Decisions, err = curator.Consult(ctx, m, r, ag.CuratorMay())
	res.Seconds = time.Since(began).Seconds()
	if err != nil {
		return fmt.Errorf("%s: %w", res.Curator, err)
	}
	for _, d := range res.Decisions {
		if d.Verdict == curator.Accepted {
			res.Accepted++
		}
	}
	res.Decisions = orEmpty(res.Decisions)
	return a.emit(res, func() {
		a.printf("%s, sent to %s\n", res.Curator, res.SentTo)
		a.printf("%d tokens asked, %.1f s, %d of %d operations accepted\n", res.Tokens, res.Seconds, res.Accepted, len(res.Decisions))
		for _, d := range res.Decisions {
			a.printf("  %s %s %s\n", d.Op, d.Verdict, d.Reason)
		}
	})
}

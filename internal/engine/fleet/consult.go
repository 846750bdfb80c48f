package fleet

import (
	"context"
	"strings"

	"tend/internal/engine/curator"
	"tend/internal/engine/curator/dial"
	"tend/internal/engine/job"
	"tend/internal/model/policy"
	"tend/internal/state/ledger"
	"tend/internal/text/layout"
)

// Consult asks the configured curator about everything unread, in as many requests as a night may have. It holds no lock: the
// job that follows looks for every line again. A request without an answer is part of the result, with the reason.
func (a *Agent) Consult(ctx context.Context, in job.Input) []job.Judged {
	ctx, cancel := context.WithTimeout(ctx, policy.CurateTimeout.Of(a.Policy).Std())
	defer cancel()
	return a.consult(in, a.configuredCurator(ctx))
}

// ConsultOn asks the configured curator one request.
func (a *Agent) ConsultOn(ctx context.Context, r curator.Request) job.Judged {
	ctx, cancel := context.WithTimeout(ctx, policy.CurateTimeout.Of(a.Policy).Std())
	defer cancel()
	return askOnce(r, a.configuredCurator(ctx))
}

// Asker answers a request.
type Asker func(context.Context, curator.Request) (curator.Answer, error)

// ConsultWith is Consult with a function of the caller's in the place of the configured curator.
func (a *Agent) ConsultWith(ctx context.Context, in job.Input, ask Asker) []job.Judged {
	return a.consult(in, func(r curator.Request) ([]curator.Decision, string, error) {
		answer, err := ask(ctx, r)
		if err != nil {
			return nil, "", err
		}
		decided, err := curator.Decide(r, a.CuratorMay(), answer)
		return decided, answer.Model, err
	})
}

// CuratorMay is how much of an answer is applied: nothing where promotions need a person.
func (a *Agent) CuratorMay() policy.CuratorLevel {
	if policy.Promotion.Of(a.Policy) == policy.PromotionPropose {
		return policy.CuratorSuggest
	}
	return policy.CuratorMay.Of(a.Policy)
}

// CuratorModel returns the configured curator.
func (a *Agent) CuratorModel() (curator.Model, error) {
	return dial.New(policy.Curator.Of(a.Policy), dial.Options{KeyFile: policy.CuratorKeyFile.Of(a.Policy)})
}

// ForCurator adds what only a curator needs to know: which entries the agent wrote itself, and which files its harness
// recorded as its agent's.
func (a *Agent) ForCurator(in job.Input) (job.Input, error) {
	records, err := a.Files.Recorded()
	if err != nil {
		return in, err
	}
	in.Facts.Audit.Recorded = records
	in.Facts.ByAgent, err = a.agentWrote(in)
	return in, err
}

// decider answers a request with decisions, and names the model that made them.
type decider func(curator.Request) ([]curator.Decision, string, error)

// configuredCurator returns a function that has the configured curator answer.
func (a *Agent) configuredCurator(ctx context.Context) decider {
	m, err := a.CuratorModel()
	return func(r curator.Request) ([]curator.Decision, string, error) {
		if err != nil {
			return nil, "", err
		}
		decided, err := curator.Consult(ctx, m, r, a.CuratorMay())
		return decided, m.Name(), err
	}
}

func (a *Agent) consult(in job.Input, decide decider) []job.Judged {
	var out []job.Judged
	for r := range job.Requests(in) {
		if len(out) == policy.CuratorRequests.Of(a.Policy) {
			break
		}
		j := job.Judged{Request: r, GivenUp: true}
		if !job.GivenUp(in, r) {
			j = askOnce(r, decide)
		}
		out = append(out, j)
	}
	return out
}

// askOnce returns a request with its answer, or why there is none.
func askOnce(r curator.Request, decide decider) job.Judged {
	decided, model, err := decide(r)
	j := job.Judged{Request: r, Model: model, Decisions: decided}
	if err != nil {
		j.Failed = err.Error()
	}
	return j
}

// agentWrote finds the entries of the hot file that the agent added with Tend's tools. Where the text of an action is
// no longer stored, its entries are nobody's.
func (a *Agent) agentWrote(in job.Input) (map[job.Mark]bool, error) {
	out := map[job.Mark]bool{}
	for act, err := range a.Ledger.Actions() {
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(act.Who, "agent:") || act.Outcome == ledger.RolledBack || act.Outcome == ledger.Intent {
			continue
		}
		for i, f := range act.Files {
			if f.Path == in.Sole(layout.Hot) {
				a.markAdded(in, act, i, out)
			}
		}
	}
	return out, nil
}

// markAdded marks the entries that an action added to a file.
func (a *Agent) markAdded(in job.Input, act ledger.Action, i int, to map[job.Mark]bool) {
	after, err := a.Ledger.After(act, i)
	if err != nil {
		return
	}
	before, err := a.Ledger.Before(act, i)
	if err != nil {
		return
	}
	syntax := in.Syntax(act.Files[i].Path)
	had := map[string]bool{}
	for _, e := range syntax.Parse(before).Entries(0) {
		had[e.Normal()] = true
	}
	for _, e := range syntax.Parse(after).Entries(0) {
		if n := e.Normal(); n != "" && !had[n] {
			to[job.MarkOf(n)] = true
		}
	}
}

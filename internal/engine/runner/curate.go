package runner

import (
	"context"
	"fmt"
	"iter"

	"tend/internal/engine/curator"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/table"
	"tend/internal/state/plan"
)

// ErrStaleRequest: what a request showed has changed since.
var ErrStaleRequest error = &job.Refusal{
	Why: "the memory or the log has changed since this request was made",
	Try: "ask for the request again (`tend curate AGENT --print-request`, memory_review) and answer that one",
}

// NextRequest is what a curator would be asked now; ok is false if everything was read and the page fits.
func NextRequest(ctx context.Context, a *fleet.Agent) (r curator.Request, ok bool, err error) {
	in, err := a.Input(ctx)
	if err != nil {
		return r, false, err
	}
	if in, err = a.ForCurator(in); err != nil {
		return r, false, err
	}
	for r := range job.Requests(in) {
		if !job.GivenUp(in, r) {
			return r, true, nil
		}
	}
	return r, false, nil
}

// judgeAnswer decides on an answer that came by another way: from a file, or from the agent itself. The request that it names is
// built again from the files; a model that names none answers the next one.
func judgeAnswer(a *fleet.Agent, in job.Input, answer curator.Answer) (job.Judged, error) {
	key := answer.Request
	if key == "" {
		next, ok := firstOf(job.Requests(in))
		if !ok {
			return job.Judged{}, ErrStaleRequest
		}
		key = next.Key
	}
	r, ok := job.RequestFor(in, key)
	if !ok {
		return job.Judged{}, fmt.Errorf("%w: %.40q", ErrStaleRequest, key)
	}
	decided := curator.Check(r, a.CuratorMay(), answer.Operations)
	return job.Judged{Request: r, Model: answer.Model, Decisions: decided}, nil
}

func firstOf(requests iter.Seq[curator.Request]) (r curator.Request, ok bool) {
	for r := range requests {
		return r, true
	}
	return r, false
}

// DoAnswered is Do for a job with a curator, with an answer that came by another way. The person or agent who brings the answer
// asked for it, so the automation level does not hold it back.
func DoAnswered(ctx context.Context, f *fleet.Fleet, agent, name string, answer curator.Answer, o Options) Result {
	a, err := f.Agent(ctx, agent)
	if err != nil {
		return Failed(agent, err)
	}
	defer a.Close()
	r, err := JobAnswered(ctx, a, name, answer, o)
	if err != nil {
		return Failed(agent, err)
	}
	return r
}

// JobAnswered is DoAnswered for an open agent.
func JobAnswered(ctx context.Context, a *fleet.Agent, name string, answer curator.Answer, o Options) (Result, error) {
	o.Force, o.Judge = true, func(_ context.Context, in job.Input) ([]job.Judged, error) {
		judged, err := judgeAnswer(a, in, answer)
		if err != nil {
			return nil, err
		}
		if o.Decided != nil {
			o.Decided(judged.Decisions)
		}
		return []job.Judged{judged}, nil
	}
	return Job(ctx, a, name, o)
}

// planComparison wraps a comparison so that the curator is asked for contradictions, before the lock is taken.
func planComparison(ctx context.Context, a *fleet.Agent, row table.Row) job.Planner {
	var answers []job.Judged
	done := false
	return func(in job.Input) (plan.Plan, error) {
		if r, ok := job.CompareRequest(in); ok && !done {
			answers = []job.Judged{a.ConsultOn(ctx, r)}
		}
		done = true
		in.Judged = answers
		return row.Plan(in)
	}
}

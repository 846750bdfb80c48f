package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tend/internal/app/memory/toolerr"
	"tend/internal/engine/curator"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
	"tend/internal/state/plan"
)

// ReviewRequest asks for what is unread.
type ReviewRequest struct{}

// Review returns what the agent is to decide on: its memory page and its unread log, as a curator sees them. ok is false if
// there is nothing.
func (r *Reader) Review(ctx context.Context, _ ReviewRequest) (q curator.Request, ok bool, err error) {
	q, ok, err = runner.NextRequest(ctx, r.agent)
	if err != nil {
		err = r.fail("review", "review", "", err)
	}
	return q, ok, err
}

// DecideRequest is the answer to a review.
type DecideRequest struct {
	Request    string          `json:"request"`
	Operations json.RawMessage `json:"operations"`
}

// Decided is what became of an answer.
type Decided struct {
	Summary   string             `json:"summary"`
	Decisions []curator.Decision `json:"decisions,omitempty"`
	Proposals []plan.Proposal    `json:"proposals,omitempty"`
	More      bool               `json:"more"` // something is still unread
}

func (d Decided) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Done: %s.\n", strings.TrimSuffix(d.Summary, "."))
	for i, x := range d.Decisions {
		if x.Verdict != curator.Accepted {
			fmt.Fprintf(&b, "operation %d (%s) was %s: %s\n", i+1, x.Op, x.Verdict, x.Reason)
		}
	}
	if d.More {
		b.WriteString("More is unread: call memory_review again.\n")
	}
	return b.String()
}

// Decide carries out the agent's answer to a review. It is checked like that of any curator: lines of a person become
// proposals, and no quote is taken on trust.
func (w *Writer) Decide(ctx context.Context, r DecideRequest) (Decided, error) {
	bad := func(err error) (Decided, error) {
		return Decided{}, w.fail("decide", "decide", "",
			toolerr.New(toolerr.BadInput, "%v.", err).Try("memory_review shows how an answer looks."))
	}
	answer, err := curator.Read(operations(r.Operations))
	if err != nil {
		return bad(err)
	}
	answer.Request, answer.Model = r.Request, w.who
	w.writing.Lock()
	defer w.writing.Unlock()
	var decided []curator.Decision
	o := runner.Options{Who: w.who, Decided: func(d []curator.Decision) { decided = d }}
	res, err := runner.JobAnswered(ctx, w.agent, "curate", answer, o)
	if errors.Is(err, runner.ErrStaleRequest) {
		return bad(err)
	}
	if err != nil {
		return Decided{}, w.fail("decide", "decide", "", err)
	}
	_, more, err := runner.NextRequest(ctx, w.agent)
	return Decided{Summary: res.Summary, Decisions: decided, Proposals: res.Proposals, More: more && err == nil}, nil
}

// operations is a list of operations as an answer. Some clients send it as text.
func operations(raw json.RawMessage) []byte {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []byte(text)
	}
	return append(append([]byte(`{"operations":`), raw...), '}')
}

// Curate asks a function of the caller's about everything unread, and carries out its answers.
func (w *Writer) Curate(ctx context.Context, ask fleet.Asker) (runner.Result, []curator.Decision, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	var decided []curator.Decision
	o := runner.Options{Who: w.who, Force: true, Judge: func(ctx context.Context, in job.Input) ([]job.Judged, error) {
		list := w.agent.ConsultWith(ctx, in, ask)
		for _, j := range list {
			decided = append(decided, j.Decisions...)
		}
		return list, ctx.Err()
	}}
	res, err := runner.Job(ctx, w.agent, "curate", o)
	if err != nil {
		err = w.fail("curate", "curate", "", err)
	}
	return res, decided, err
}

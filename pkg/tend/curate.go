package tend

import (
	"context"

	"tend/internal/engine/curator"
)

// Request is what a model is asked about the memory: the page, what of the log is unread, and how to answer.
type Request struct {
	Name   string // of this request; the prompt contains it
	Prompt string // for a model, secrets masked
}

// Answer is what a model answered.
type Answer struct {
	Output string // as the model wrote it: Tend finds the operations in it
	Model  string // who answered, for the record
}

// Decision is what became of one operation of an answer.
type Decision struct {
	Operation string // keep, replace, retire …
	Verdict   string // accepted, proposed or rejected
	Reason    string // why it was not accepted
	Text      string // what was or would be written
}

// Curated is the result of Curate.
type Curated struct {
	Change    Change // the zero value if nothing was changed
	Decisions []Decision
}

// Curate lets a model bring the memory up to date with the log. ask is called for each part of what is unread, and may use
// any model. Every operation of its answer is checked: what is written is a passage of the log, in whole sentences; lines that
// nobody is known to have written become proposals. If ask fails, nothing is lost: the same is asked the next time.
func (m *Memory) Curate(ctx context.Context, ask func(context.Context, Request) (Answer, error)) (Curated, error) {
	if err := m.writable(); err != nil {
		return Curated{}, err
	}
	res, decided, err := m.service.Writer.Curate(ctx, func(ctx context.Context, r curator.Request) (curator.Answer, error) {
		said, err := ask(ctx, Request{Name: r.Key, Prompt: r.Text()})
		if err != nil {
			return curator.Answer{}, err
		}
		a, err := curator.Read([]byte(said.Output))
		a.Model = said.Model
		return a, err
	})
	if err != nil {
		return Curated{}, public(err)
	}
	out := Curated{}
	if res.Action != "" {
		out.Change = m.change("curate", res.Action, res.Summary)
	}
	for _, d := range decided {
		out.Decisions = append(out.Decisions, Decision{Operation: d.Op, Verdict: string(d.Verdict), Reason: d.Reason, Text: d.Passage})
	}
	return out, nil
}

package memory

import (
	"context"
	"fmt"
	"strings"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// mostWaiting bounds an agent's pending proposals, and mostProposed the length of one.
const (
	mostWaiting  = 20
	mostProposed = 4000
)

// ProposeRequest asks the operator for a change that the agent may not make.
type ProposeRequest struct {
	Text string `json:"text"` // the proposed text
	Why  string `json:"why,omitempty"`
	Path string `json:"filename,omitempty"` // the file to change, "" for the agent's identity file
}

// Proposed is the state of a proposal.
type Proposed struct {
	ID    string     `json:"id"`
	Path  vault.Path `json:"path"`
	State string     `json:"state"`
}

func (p Proposed) String() string {
	if p.State != fleet.Waiting {
		return fmt.Sprintf("Proposal %s for %s was already %s.", p.ID, p.Path, p.State)
	}
	return fmt.Sprintf("Proposal %s for %s needs the operator's approval. Nothing was changed.", p.ID, p.Path)
}

// Propose submits a change of the operator's text to the operator. It is stored out of the agent's reach, and no tool
// of an agent can decide on it.
func (w *Writer) Propose(ctx context.Context, r ProposeRequest) (Proposed, error) {
	p, err := w.proposedFor(r.Path)
	if err == nil {
		err = checkProposal(p, r)
	}
	if err == nil {
		_, err = scanAdded(p, nil, []byte(r.Text+"\n"+r.Why), w.agent.Policy)
	}
	if err != nil {
		return Proposed{}, w.fail("propose", "propose", "", err)
	}
	why := "the agent asks for it"
	if w := strings.Join(strings.Fields(r.Why), " "); w != "" {
		why += ": " + w
	}
	text := "- " + strings.ReplaceAll(strings.TrimSpace(r.Text), "\n", "\n  ")
	w.writing.Lock()
	defer w.writing.Unlock()
	kept, err := runner.Propose(ctx, w.agent, plan.Proposal{
		ID: plan.ProposalID(p, note.Normal(text)), Job: job.ByAgent, Text: text, Target: p, Why: why,
	}, mostWaiting)
	if err != nil {
		return Proposed{}, w.fail("propose", "propose", p, err)
	}
	if kept.ID == "" {
		return Proposed{}, w.fail("propose", "propose", p, toolerr.New(toolerr.TooLarge, "%d proposals are already pending.", mostWaiting).
			Try("The operator must decide on those first: `tend proposals`."))
	}
	return Proposed{ID: kept.ID, Path: p, State: kept.State}, nil
}

// proposedFor returns the file that a proposal is for.
func (w *Writer) proposedFor(name string) (vault.Path, error) {
	if strings.TrimSpace(name) != "" {
		return w.files.Name(name)
	}
	if list := w.agent.Agent.Baselines; len(list) > 0 {
		return vault.Path(list[0].File), nil
	}
	for _, role := range []layout.Role{layout.Identity, layout.Agents, layout.Hot} {
		if p := w.agent.Layout.Path(role, ""); p != "" {
			return vault.Path(p), nil
		}
	}
	return "", toolerr.New(toolerr.BadInput, "Say which file it is for.")
}

func checkProposal(p vault.Path, r ProposeRequest) error {
	switch {
	case strings.TrimSpace(r.Text) == "":
		return toolerr.New(toolerr.BadInput, "The proposed text is empty.")
	case len(r.Text)+len(r.Why) > mostProposed:
		return toolerr.New(toolerr.TooLarge, "A proposal has at most %d bytes.", mostProposed).
			Try("Describe the change instead of sending all of the new text.")
	}
	return checkText(p, r.Text+r.Why)
}

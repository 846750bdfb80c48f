package memory

import (
	"context"

	"tend/internal/model/policy"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/session"
	"tend/internal/text/session/cost"
)

// Cost counts the tokens of a session's start with the agent's own harness. tools is the list of Tend's tools as the model gets
// it.
func (s *Session) Cost(ctx context.Context, tools string, count func(string) int) (cost.Bill, error) {
	a := s.agent
	files, _, err := a.Files.Shown(ctx, a.Layout)
	if err != nil {
		return cost.Bill{}, s.fail("cost", "read the files", "", err)
	}
	shown := loadview.Inject(a.Layout, files, loadview.Options{Root: a.Workspace.Path})
	added := cost.Added{Tools: tools}
	if h, ok := hookFor(s); ok {
		c, err := s.Context(ctx, session.Options{Harness: h})
		if err != nil {
			return cost.Bill{}, err
		}
		added.Hook = c.Text
	}
	return cost.Count(shown, added, count, policy.CostInput.Of(a.Policy)), nil
}

// hookFor returns the hook of the harness that the agent's layout is of.
func hookFor(s *Session) (session.Hook, bool) {
	for _, h := range session.Hooks() {
		if h.Runs(s.agent.Layout) {
			return h, true
		}
	}
	return "", false
}

package curator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"tend/internal/model/policy"
)

// Model sends a prompt to a model and returns its output.
type Model interface {
	// Name says who answers, for the ledger.
	Name() string
	Ask(ctx context.Context, prompt string) (output []byte, err error)
}

// Consult asks a model and checks its answer. An answer that cannot be read, or of which operations were rejected, is sent
// back once with what is wrong with it.
func Consult(ctx context.Context, m Model, r Request, may policy.CuratorLevel) ([]Decision, error) {
	prompt := r.Text()
	decided, err := consult(ctx, m, r, may, prompt)
	if err != nil && !errors.Is(err, ErrNoAnswer) && !errors.Is(err, ErrOtherRequest) {
		return nil, err
	}
	wrong := problems(decided, err)
	if wrong == "" {
		return decided, nil
	}
	prompt += "\nYour last answer could not be used:\n" + wrong + "Answer again with the corrected operations only.\n"
	again, retryErr := consult(ctx, m, r, may, prompt)
	if retryErr != nil {
		return decided, err // what was right at first still is
	}
	var out []Decision
	for _, d := range decided {
		if d.Verdict != Rejected {
			out = append(out, d)
		}
	}
	seen := map[string]bool{}
	for _, d := range out {
		seen[fmt.Sprint(d.Op, d.From, d.Lines, d.Passage)] = true
	}
	for _, d := range again {
		if !seen[fmt.Sprint(d.Op, d.From, d.Lines, d.Passage)] {
			out = append(out, d)
		}
	}
	return out, nil
}

func consult(ctx context.Context, m Model, r Request, may policy.CuratorLevel, prompt string) ([]Decision, error) {
	output, err := m.Ask(ctx, prompt)
	if err != nil {
		return nil, err
	}
	a, err := Read(bytes.ReplaceAll(output, []byte(prompt), nil)) // some programs print what they were asked
	if err != nil {
		return nil, err
	}
	return Decide(r, may, a)
}

// Decide checks an answer. One that names another request is rejected as a whole: its ids mean something else.
func Decide(r Request, may policy.CuratorLevel, a Answer) ([]Decision, error) {
	if a.Request != "" && a.Request != r.Key {
		return nil, fmt.Errorf("%w: it names %.40q", ErrOtherRequest, a.Request)
	}
	return Check(r, may, a.Operations), nil
}

// problems says what is wrong with an answer, for the model; "" if nothing is.
func problems(decided []Decision, err error) string {
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for i, d := range decided {
		if d.Verdict == Rejected {
			fmt.Fprintf(&b, "operation %d (%s): %s\n", i+1, d.Op, d.Reason)
		}
	}
	return b.String()
}

package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"tend/internal/vault"
)

// The counts say how often each file was approved. They stand apart from the
// approvals, so that old ones put back with their good signatures are noticed.

func (g *Guard) countFile() string { return path.Join("agents", g.agent, "approved.json") }

func (g *Guard) counts() (map[vault.Path]int, error) {
	counts := map[vault.Path]int{}
	data, err := vault.ReadFile(g.state, g.countFile())
	if errors.Is(err, fs.ErrNotExist) {
		return counts, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &counts)
	}
	if err != nil {
		return nil, fmt.Errorf("read counts of approvals of %s: %w", g.agent, err)
	}
	return counts, nil
}

// saveCounts comes after the approvals: cut off between the two, an approval has
// a higher count than was noted, which is no harm.
func (g *Guard) saveCounts(counts map[vault.Path]int) error {
	data, err := json.Marshal(counts)
	if err != nil {
		return err
	}
	if err := vault.MkdirAll(g.state, g.dur, path.Dir(g.countFile()), 0o700); err != nil {
		return fmt.Errorf("make state folder: %w", err)
	}
	if err := vault.WriteOver(g.state, g.dur, g.countFile(), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write counts of approvals: %w", err)
	}
	return g.dur.Barrier()
}

// checkSigned holds an approval against the keys that count, if there are any.
func (g *Guard) checkSigned(a Approval) error {
	if g.signers == nil {
		return nil
	}
	counts, err := g.counts()
	if err != nil {
		return err
	}
	if a.Count < counts[a.File] {
		return fmt.Errorf("the approval is an old one that was put back (the %d. of %d)", a.Count, counts[a.File])
	}
	return g.signers.check(g.agent, a)
}

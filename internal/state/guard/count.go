package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"tend/internal/disk/vault"
)

// The counts record how often each file was approved. They are stored apart from the approvals and signed like them,
// to detect old approvals that were put back with their valid signatures, and counts that were removed or lowered.

func (g *Guard) countFile() string { return path.Join("agents", g.agent, "approved.json") }

// Counts are the contents of the file.
type Counts struct {
	Counts    map[vault.Path]int `json:"counts"`
	Signature string             `json:"signature,omitempty"`
}

// errNoCount: the file of counts is missing.
var errNoCount = errors.New("the count of approvals is missing")

func (g *Guard) readCounts() (c Counts, err error) {
	c.Counts = map[vault.Path]int{}
	data, err := vault.ReadFile(g.state, g.countFile())
	if errors.Is(err, fs.ErrNotExist) {
		return c, errNoCount
	}
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return c, fmt.Errorf("read counts of approvals of %s: %w", g.agent, err)
	}
	return c, nil
}

// manifest returns what is signed: plain lines, as for an approval.
func (c Counts) manifest(agent string) []byte {
	text := fmt.Appendf(nil, "tend approvals v1\nagent %s\n", agent)
	for _, file := range slices.Sorted(maps.Keys(c.Counts)) {
		text = fmt.Appendf(text, "count %d %s\n", c.Counts[file], file)
	}
	return text
}

// saveCounts comes after the approvals: after an interruption between the two, an approval has a higher count than
// recorded, which is harmless.
func (g *Guard) saveCounts(c Counts, sign func([]byte) (string, error)) (err error) {
	c.Signature = ""
	if sign != nil {
		if c.Signature, err = sign(c.manifest(g.agent)); err != nil {
			return err
		}
	}
	if err := vault.MkdirAll(g.state, g.dur, path.Dir(g.countFile()), 0o700); err != nil {
		return fmt.Errorf("make state folder: %w", err)
	}
	if err := vault.WriteJSON(g.state, g.dur, g.countFile(), c); err != nil {
		return fmt.Errorf("write counts of approvals: %w", err)
	}
	return g.dur.Barrier()
}

// checkSigned checks an approval against the accepted keys, if there are any.
func (g *Guard) checkSigned(a Approval) error {
	if g.signers == nil {
		return nil
	}
	if err := g.signers.check(a.Signature, a.manifest(g.agent)); err != nil {
		return err
	}
	c, err := g.readCounts()
	if errors.Is(err, errNoCount) {
		return fmt.Errorf("the approval is signed, but %w (check the text and approve it again with --sign)", err)
	}
	if err != nil {
		return err
	}
	if a.Count < c.Counts[a.File] {
		return fmt.Errorf("the approval is an old one that was put back (number %d of %d)", a.Count, c.Counts[a.File])
	}
	if err := g.signers.check(c.Signature, c.manifest(g.agent)); err != nil {
		return fmt.Errorf("the count of approvals was changed: %w", err)
	}
	return nil
}

package workcopy

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/sync/journal"
)

// approval is what of an approval a person must see.
type approval struct {
	File    string        `json:"file"`
	Version vault.Version `json:"sha256"`
	By      string        `json:"by"`
}

// reportGuarded shows what another machine changed in the operator's texts: what they approved, and what they work on.
func (c *Copy) reportGuarded(in incoming, todo map[string]decision, r *Report) error {
	const list = journal.Approved + "/approvals.json"
	report := func(file, text, diff string) {
		f := finding.StoreGuarded.In(file, "%s", text).WithDiff(diff)
		f.Agent = c.Agent
		r.Findings = append(r.Findings, f)
	}
	for _, name := range slices.Sorted(maps.Keys(todo)) {
		file, operators := strings.CutPrefix(name, journal.Operator+"/")
		if !operators && name != list {
			continue
		}
		was, err := in.base(name)
		if err != nil {
			return err
		}
		if operators {
			report(file, "another machine changed the operator's working text; it has no effect until it is approved",
				udiff.Unified(file+" here", file+" of another machine", string(was), string(todo[name].text)))
			continue
		}
		before, after := readApprovals(was), readApprovals(todo[name].text)
		for _, f := range slices.Sorted(maps.Keys(after)) {
			if before[f].Version == after[f].Version {
				continue
			}
			old, err := in.base(approvedText(before[f].Version))
			if err != nil {
				return err
			}
			text, err := in.text(approvedText(after[f].Version))
			if err != nil {
				return err
			}
			report(f, "on another machine, "+cmp.Or(after[f].By, "somebody")+" approved a new text",
				udiff.Unified(f+" as approved before", f+" as approved now", string(old), string(text)))
		}
	}
	return nil
}

func approvedText(v vault.Version) string { return journal.Approved + "/" + string(v) + ".md" }

// readApprovals returns the approvals by file; none if they cannot be read.
func readApprovals(text []byte) map[string]approval {
	var list []approval
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	out := make(map[string]approval, len(list))
	for _, a := range list {
		out[a.File] = a
	}
	return out
}

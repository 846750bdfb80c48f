package curator

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/model/policy"
)

// FuzzCheck: whatever a model answers, what is accepted without a person changes lines that exist and are not pinned, and names
// no file outside of memory.
func FuzzCheck(f *testing.F) {
	for _, op := range []Operation{
		{Op: Keep, From: []string{"e1"}, Quote: "API moved to port 8081", Under: "Servers"},
		{Op: Replace, From: []string{"e1"}, Quote: "API moved to port 8081", Lines: []int{1}},
		{Op: Retire, Lines: []int{11}, Why: "done", By: "e12"}, {Op: Move, Lines: []int{1, 2}, To: "memory/servers.md"},
		{Op: Move, Lines: []int{1}, To: "../.git/config"}, {Op: Merge, Lines: []int{1, 2}, Keep: 1}, {Op: Merge, Keep: -1},
		{Op: Rewrite, Lines: []int{3}, Text: "The backup takes 90 seconds", From: []string{"e1"}},
		{Op: Confirm, Lines: []int{1}, From: []string{"e4"}},
		{Op: Add, Text: "x", Under: "Rules"}, {Op: Propose, Text: "x", File: "AGENTS.md"}, {Op: Skip, From: []string{"e9"}}, {Op: Replace},
	} {
		text, err := json.Marshal(Answer{Operations: []Operation{op, op}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, answer string) {
		a, err := Read([]byte(answer))
		if err != nil {
			return
		}
		r := sample(t)
		for _, may := range []policy.CuratorLevel{policy.CuratorSuggest, policy.CuratorExtract, policy.CuratorRewrite} {
			taken := map[int]bool{}
			for _, d := range Check(r, may, a.Operations) {
				if d.Verdict != Accepted {
					continue
				}
				for _, target := range d.Targets {
					for id := target.From; id <= target.To; id++ {
						_, line, ok := r.line(id)
						if !ok || taken[id] && d.Op != Confirm || strings.Contains(line.Text, "#pinned") && d.Op != Confirm {
							t.Errorf("%s: line %d was accepted: %+v", may, id, d.Operation)
						}
						taken[id] = taken[id] || d.Op != Confirm
					}
				}
				for _, name := range []string{d.To, d.File} {
					if p, err := vault.ParsePath(name); name != "" && slices.Contains([]string{Move, Propose}, d.Op) && (err != nil || p.Hidden()) {
						t.Errorf("%s: the file %q was accepted: %+v", may, name, d.Operation)
					}
				}
			}
		}
	})
}

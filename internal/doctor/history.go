package doctor

import (
	"context"
	"slices"

	"tend/internal/finding"
	"tend/internal/fleet"
	"tend/internal/words"
)

// lookHistory checks the packs, which are the truth, and the git repositories, which are derived from them.
func lookHistory(ctx context.Context, p *patient) []Diagnosis {
	var out []Diagnosis
	for _, ag := range p.agents {
		if p.Rebuild {
			res, err := ag.History.Rebuild(ctx)
			if err != nil {
				out = append(out, broken("the old one was left in place", "%s: the git history was not rebuilt: %v", ag.Name, err))
				continue
			}
			out = append(out, Diagnosis{Result: OK, Message: ag.Name + ": rebuilt with " + words.Count(res.Commits, "commit") + "; all " +
				words.Count(res.Texts, "text") + " of the old one can be had"})
			if res.Lost > 0 {
				out = append(out, warn("compare with your backup", "%s: %s of the old history could not be read", ag.Name, words.Count(res.Lost, "object")))
			}
		}
		for _, f := range slices.Concat(ag.History.Check(), fleet.CheckArchives(ag.Ledger)) {
			d := warn(f.Remedy, "%s: %s", ag.Name, f.Text)
			if f.Severity == finding.Error {
				d = broken(f.Remedy, "%s: %s", ag.Name, f.Text)
			}
			out = append(out, d)
		}
	}
	if len(out) > 0 {
		return out
	}
	return fine("what left the trash is whole for %s", words.Count(len(p.agents), "agent"))
}

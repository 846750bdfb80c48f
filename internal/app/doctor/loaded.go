package doctor

import (
	"context"

	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
)

// lookLoaded reports memory files that a harness does not load, by its own records.
func lookLoaded(ctx context.Context, p *patient) []Diagnosis {
	var out []Diagnosis
	for _, ag := range p.agents {
		for _, f := range ag.RecordedFindings(ctx) {
			d := warn(f.Remedy, "%s: %s: %s", ag.Name, f.File, f.Text)
			if f.Severity == finding.Error {
				d.Result = Failed
			}
			out = append(out, d)
		}
	}
	if len(out) > 0 {
		return out
	}
	return fine("no harness excludes memory of %s", textfmt.Count(len(p.agents), "agent"))
}

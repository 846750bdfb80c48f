package job

import "tend/internal/plan"

// Night is curation and pruning in one plan, for a look at what both would do. To be
// carried out they are two, so that each can be taken back alone.
func Night(in Input) plan.Plan {
	d := newDraft(in, "nightly")
	d.curate("curate")
	curated := d.pl.Summary
	d.pruneAll(false)
	d.pl.Summary = "curate: " + curated + "; prune: " + d.pl.Summary
	return d.plan()
}

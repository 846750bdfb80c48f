package cli

// curationCommands are those of the jobs of day and night.
func curationCommands() []entry {
	return []entry{
		{"nightly", newNightlyCommand},
		{"curate", newCurateCommand},
		{"prune", newPruneCommand},
		{"rotate", newRotateCommand},
		{"archive", newArchiveCommand},
		{"review", newReviewCommand},
		{"replay", newReplayCommand},
		{"compare", newCompareCommand},
		{"proposals", newProposalsCommand},
		{"approve", newApproveCommand},
		{"reject", newRejectCommand},
		{"why", newWhyCommand},
	}
}

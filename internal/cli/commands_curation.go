package cli

// curationCommands are those of the jobs of day and night.
func curationCommands() []entry {
	return []entry{
		{"compare", newCompareCommand},
		{"proposals", newProposalsCommand},
		{"approve", newApproveCommand},
		{"reject", newRejectCommand},
		{"why", newWhyCommand},
	}
}

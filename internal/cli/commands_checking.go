package cli

// checkingCommands are those of audit, check and what they need.
func checkingCommands() []entry {
	return []entry{
		{"audit", newAuditCommand},
		{"check", newCheckCommand},
		{"rules", newRulesCommand},
		{"doctor", newDoctorCommand},
		{"tags", newTagsCommand},
		{"trash", newTrashCommand},
	}
}

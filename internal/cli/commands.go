package cli

import "slices"

// contents is every command there is, by the part of the house it belongs to.
func contents() []entry {
	return slices.Concat(coreCommands(), jobCommands(), writingCommands(), checkingCommands(), curationCommands(), agentCommands(), keeperCommands())
}

// coreCommands are those of baselines, resets and history.
func coreCommands() []entry {
	return []entry{
		{"demo", newDemoCommand},
		{"init", newInitCommand},
		{"import", newImportCommand},
		{"run", newRunCommand},
		{"past", newPastCommand},
		{"status", newStatusCommand},
		{"baseline", newBaselineCommand},
		{"log", newLogCommand},
		{"show", newShowCommand},
		{"diff", newDiffCommand},
		{"restore", newRestoreCommand},
		{"undo", newUndoCommand},
		{"archives", newArchivesCommand},
		{"history", newHistoryCommand},
		{"purge", newPurgeCommand},
		{"policy", newPolicyCommand},
		{"man", newManCommand},
		{"version", newVersionCommand},
	}
}

package cli

// keeperCommands are those of the keeper.
func keeperCommands() []entry {
	return []entry{
		{"up", newUpCommand},
		{"findings", newFindingsCommand},
		{"token", newTokenCommand},
		{"store", newStoreCommand},
		{"agent", newAgentCommand},
		{"sync", newSyncCommand},
		{"service", newServiceCommand},
		{"connect", newConnectCommand},
		{"move", newMoveCommand},
		alias("adopt", newMoveCommand),
		{"export", newExportCommand},
		{"import-archive", newImportArchiveCommand},
	}
}

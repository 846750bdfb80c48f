package cli

// writingCommands are those of what agents and people write.
func writingCommands() []entry {
	return []entry{
		{"note", newNoteCommand},
		{"buffer", newBufferCommand},
		{"session", newSessionCommand},
		{"verify", newVerifyCommand},
		{"checkpoint", newCheckpointCommand},
	}
}

package cli

// agentCommands are those of what an agent sees.
func agentCommands() []entry {
	return []entry{
		{"mcp", newMCPCommand},
		{"context", newContextCommand},
		{"search", newSearchCommand},
		{"grep", newGrepCommand},
		{"preview", newPreviewCommand},
		{"fit", newFitCommand},
	}
}

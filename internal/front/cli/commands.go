package cli

import (
	"github.com/spf13/cobra"

	"tend/internal/engine/job/table"
)

// groups are the titles of the help, in order. A job in none of them is listed by `tend run`.
var groups = []cobra.Group{
	{ID: "start", Title: "Start:"},
	{ID: "daily", Title: "Daily:"},
	{ID: "baselines", Title: "Baselines:"},
	{ID: "automation", Title: "Automation:"},
	{ID: "agents", Title: "For agents and hooks:"},
	{ID: "more", Title: "More:"},
}

// entry is a command in the table of contents, built only when called.
type entry struct {
	name, group string
	make        func(*app) *cobra.Command
}

// command builds the command.
func (e entry) command(a *app) *cobra.Command {
	cmd := e.make(a)
	cmd.GroupID, cmd.Hidden = e.group, e.group == ""
	return cmd
}

// contents lists every command.
func contents() []entry { return append(jobCommands(), fixedCommands()...) }

// fixedCommands lists the commands that are not jobs.
func fixedCommands() []entry {
	return []entry{
		{"init", "start", newInitCommand},
		{"demo", "start", newDemoCommand},
		{"connect", "start", newConnectCommand},
		{"doctor", "start", newDoctorCommand},
		{"import", "start", newImportCommand},
		{"migrate", "start", newMigrateCommand},

		{"status", "daily", newStatusCommand},
		{"check", "daily", newCheckCommand},
		{"log", "daily", newLogCommand},
		{"search", "daily", newSearchCommand},
		{"grep", "daily", newGrepCommand},
		{"why", "daily", newWhyCommand},
		{"show", "daily", newShowCommand},
		{"diff", "daily", newDiffCommand},
		{"restore", "daily", newRestoreCommand},
		{"undo", "daily", newUndoCommand},
		{"past", "daily", newPastCommand},
		{"tags", "daily", newTagsCommand},
		{"compare", "daily", newCompareCommand},

		{"baseline", "baselines", newBaselineCommand},

		{"run", "automation", newRunCommand},
		{"proposals", "automation", newProposalsCommand},
		{"findings", "automation", newFindingsCommand},
		{"curator", "automation", newCuratorCommand},
		{"up", "automation", newUpCommand},
		{"sync", "automation", newSyncCommand},
		{"service", "automation", newServiceCommand},
		{"policy", "automation", newPolicyCommand},

		{"mcp", "agents", newMCPCommand},
		{"context", "agents", newContextCommand},
		{"preview", "agents", newPreviewCommand},
		{"fit", "agents", newFitCommand},
		{"note", "agents", newNoteCommand},
		{"buffer", "agents", newBufferCommand},
		{"session", "agents", newSessionCommand},
		{"checkpoint", "agents", newCheckpointCommand},
		{"rules", "agents", newRulesCommand},
		{"verify", "agents", newVerifyCommand},

		{"store", "more", newStoreCommand},
		{"token", "more", newTokenCommand},
		{"history", "more", newHistoryCommand},
		{"export", "more", newExportCommand},
		{"move", "more", newMoveCommand},
		{"purge", "more", newPurgeCommand},
		{"man", "more", newManCommand},
		{"version", "more", newVersionCommand},
	}
}

// jobCommands lists the commands of jobs that change files.
func jobCommands() []entry {
	var list []entry
	for _, row := range table.Rows() {
		if row.Reads() || row.Help == "" {
			continue
		}
		group := ""
		if row.Listed {
			group = "automation"
		}
		list = append(list, entry{row.Name, group, func(a *app) *cobra.Command { return newJobCommand(a, row) }})
	}
	return list
}

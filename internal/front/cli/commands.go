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

// entry is a command in the table of contents.
type entry struct {
	group string
	make  func(*app) *cobra.Command
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
		{"start", newInitCommand},
		{"start", newDemoCommand},
		{"start", newConnectCommand},
		{"start", newDoctorCommand},
		{"start", newImportCommand},
		{"start", newMigrateCommand},

		{"daily", newStatusCommand},
		{"daily", newCheckCommand},
		{"daily", newLogCommand},
		{"daily", newSearchCommand},
		{"daily", newGrepCommand},
		{"daily", newWhyCommand},
		{"daily", newShowCommand},
		{"daily", newDiffCommand},
		{"daily", newRestoreCommand},
		{"daily", newUndoCommand},
		{"daily", newPastCommand},
		{"daily", newTagsCommand},
		{"daily", newCompareCommand},

		{"baselines", newBaselineCommand},

		{"automation", newRunCommand},
		{"automation", newProposalsCommand},
		{"automation", newFindingsCommand},
		{"automation", newCuratorCommand},
		{"automation", newUpCommand},
		{"automation", newSyncCommand},
		{"automation", newServiceCommand},
		{"automation", newPolicyCommand},

		{"agents", newMCPCommand},
		{"agents", newContextCommand},
		{"agents", newPreviewCommand},
		{"agents", newFitCommand},
		{"agents", newNoteCommand},
		{"agents", newBufferCommand},
		{"agents", newSessionCommand},
		{"agents", newCheckpointCommand},
		{"agents", newRulesCommand},
		{"agents", newVerifyCommand},

		{"more", newStoreCommand},
		{"more", newTokenCommand},
		{"more", newHistoryCommand},
		{"more", newExportCommand},
		{"more", newMoveCommand},
		{"more", newPurgeCommand},
		{"more", newManCommand},
		{"more", newVersionCommand},
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
		list = append(list, entry{group, func(a *app) *cobra.Command { return newJobCommand(a, row) }})
	}
	return list
}

package cli

import (
	"github.com/spf13/cobra"

	"tend/internal/job"
)

// groups are the titles of the help, in their order. A command in none of them is an older name or a part of another: it
// works as ever, and help does not mention it.
var groups = []cobra.Group{
	{ID: "start", Title: "Start:"},
	{ID: "daily", Title: "Daily:"},
	{ID: "baselines", Title: "Baselines:"},
	{ID: "automation", Title: "Automation:"},
	{ID: "agents", Title: "For agents and hooks:"},
	{ID: "more", Title: "More:"},
}

// entry is a command in the table of contents, made when it is called.
type entry struct {
	name, group string
	make        func(*app) *cobra.Command
}

// command makes the command.
func (e entry) command(a *app) *cobra.Command {
	cmd := e.make(a)
	cmd.GroupID, cmd.Hidden = e.group, e.group == ""
	return cmd
}

// contents is every command there is.
func contents() []entry {
	return append(jobCommands(),
		entry{"init", "start", newInitCommand},
		entry{"demo", "start", newDemoCommand},
		entry{"connect", "start", newConnectCommand},
		entry{"doctor", "start", newDoctorCommand},
		entry{"import", "start", newImportCommand},

		entry{"status", "daily", newStatusCommand},
		entry{"check", "daily", newCheckCommand},
		entry{"log", "daily", newLogCommand},
		entry{"search", "daily", newSearchCommand},
		entry{"why", "daily", newWhyCommand},
		entry{"show", "daily", newShowCommand},
		entry{"diff", "daily", newDiffCommand},
		entry{"restore", "daily", newRestoreCommand},
		entry{"undo", "daily", newUndoCommand},
		entry{"past", "daily", newPastCommand},

		entry{"baseline", "baselines", newBaselineCommand},

		entry{"run", "automation", newRunCommand},
		entry{"proposals", "automation", newProposalsCommand},
		entry{"findings", "automation", newFindingsCommand},
		entry{"up", "automation", newUpCommand},
		entry{"sync", "automation", newSyncCommand},
		entry{"service", "automation", newServiceCommand},
		entry{"policy", "automation", newPolicyCommand},

		entry{"mcp", "agents", newMCPCommand},
		entry{"context", "agents", newContextCommand},
		entry{"preview", "agents", newPreviewCommand},
		entry{"fit", "agents", newFitCommand},
		entry{"note", "agents", newNoteCommand},
		entry{"buffer", "agents", newBufferCommand},
		entry{"session", "agents", newSessionCommand},
		entry{"checkpoint", "agents", newCheckpointCommand},
		entry{"rules", "agents", newRulesCommand},

		entry{"store", "more", newStoreCommand},
		entry{"token", "more", newTokenCommand},
		entry{"export", "more", newExportCommand},
		entry{"move", "more", newMoveCommand},
		entry{"purge", "more", newPurgeCommand},
		entry{"man", "more", newManCommand},
		entry{"version", "more", newVersionCommand},

		entry{"adopt", "", newAdoptCommand},
		entry{"agent", "", newAgentCommand},
		entry{"approve", "", newApproveCommand},
		entry{"archives", "", newArchivesCommand},
		entry{"audit", "", newAuditCommand},
		entry{"compare", "", newCompareCommand},
		entry{"grep", "", newGrepCommand},
		entry{"history", "", newHistoryCommand},
		entry{"import-archive", "", newImportArchiveCommand},
		entry{"reject", "", newRejectCommand},
		entry{"tags", "", newTagsCommand},
		entry{"trash", "", newTrashCommand},
		entry{"verify", "", newVerifyCommand},
	)
}

// jobCommands are the commands of the jobs in the table that change files.
func jobCommands() []entry {
	var list []entry
	for _, row := range job.Table() {
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

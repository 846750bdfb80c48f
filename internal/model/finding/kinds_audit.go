package finding

// Findings about what agents write.
var (
	SecretWritten = Kind{"secret-written", Warning, "a text that looks like a secret was written",
		"revert it with `tend undo`, and rotate the secret"}
	SecretMasked = Kind{"secret-masked", Info, "a secret was masked in a text that had to be saved",
		"write down where the secret is stored instead"}
	BufferFull = Kind{"buffer-full", Info, "the buffer is over its limit",
		"`tend rotate` moves it into today's log"}
)

// Findings of the audit: one per check, with the same name.
var (
	SessionAge = Kind{"session-age", Warning, "the session state is older than its limit",
		"have the agent write it every turn: `tend session write`"}
	ObservationsSize = Kind{"observations-size", Warning, "observations are over their limit",
		"`tend prune` trims them and keeps tagged entries"}
	DailyLog = Kind{"daily-log", Warning, "the agent worked today but kept no log",
		"have the agent write down what it does: `tend note`"}
	JobErrors = Kind{"job-errors", Warning, "a job failed",
		"run it by hand and read the error"}
	FileAge = Kind{"file-age", Info, "a memory file has not changed for a long time",
		"check whether it is still true: confirm it with `tend verify FILE`, or merge it into another file"}
	MemoryAge = Kind{"memory-age", Warning, "nothing was promoted to the memory file for days although there are logs",
		"`tend curate` promotes pending entries"}
	BufferLeft = Kind{"buffer-left", Warning, "the buffer has text that was not moved to a log",
		"`tend curate` reads it, `tend rotate` moves it into today's log"}
	InjectedSize = Kind{"injected-size", Warning, "files the harness loads are close to the size at which it truncates them",
		"`tend preview AGENT` shows what would be cut; shorten the file or move facts to the files that own them"}
	PreviewLoss = Kind{"preview-loss", Warning, "the harness shows the model only part of a file",
		"`tend preview AGENT` shows which lines are cut; shorten the file or move facts to the files that own them"}
	PastLogs = Kind{"past-logs", Warning, "a past daily log was changed after its day",
		"`tend diff` shows the earlier text; past logs should not be edited"}
	RewriteLost = Kind{"rewrite-lost", Warning, "a rewrite of memory lost text that stands nowhere else",
		"`tend show CHANGE` lists it, `tend restore --lost CHANGE` brings it back"}
	RewriteHeld = Kind{"rewrite-held", Warning, "a rewrite that lost text was undone, as guard.rewrite says",
		"`tend show CHANGE` lists what it lost; `tend proposals approve ID` accepts a held one"}
	RewriteRepeated = Kind{"rewrite-repeated", Warning, "a memory file is rewritten again and again after its text was put back",
		"find out who rewrites it; `tend log` lists the changes, `tend restore --lost CHANGE` brings text back"}
	WorldDrift = Kind{"world-drift", Warning, "memory names something on this machine that is not there any more",
		"correct or remove the line; what is elsewhere or by intention is accepted with `tend check --accept`"}
	CompactionEntry = Kind{"compaction-entry", Warning, "a compaction left no entry in the day's log",
		"set up the pre-compaction hook with `tend connect`, and run `tend doctor`"}
	SecretAtRest = Kind{"secret-at-rest", Error, "memory contains something that looks like a secret",
		"rotate the secret, then remove it from the file"}
	InjectionAtRest = Kind{"injection-at-rest", Warning, "memory contains text that tries to instruct its reader",
		"read it; a reset or an edit removes it from what is loaded"}
	HiddenText = Kind{"hidden-text", Warning, "memory contains invisible characters",
		"inspect the bytes; hidden text does not get there by accident"}
	UnreadFile = Kind{"unread-file", Warning, "a memory file cannot be read, or the harness will not read it",
		"save it as UTF-8 text, or make it a regular file of reasonable size inside the workspace"}
	HarnessExcludes = Kind{"harness-excludes", Error, "the harness no longer loads a memory file",
		"have the agent change one word of the file with its own edit tool and then delete it with its own tool (apply_patch); `tend restore " +
			"FILE` then brings the text back, and it is loaded again"}
	HarnessWillExclude = Kind{"harness-will-exclude", Warning, "the harness stops loading a file when its agent next writes it",
		"put back what the agent wrote last (`tend restore FILE`, or `tend undo`), then let the agent make the change with its own tool; " +
			"`tend diff` shows what changed"}
	HarnessDistrusts = Kind{"harness-distrusts", Info, "the harness marks a log as untrusted and does not promote from it",
		"nothing is lost: search still finds it"}
	LeftToAgent = Kind{"left-to-agent", Warning, "a change was not made, because the harness would stop loading the file",
		"let the agent make it with its own tool (the diff is here, entries are in `tend proposals`), or repeat the command with --accept-unload"}
	FileTooLarge = Kind{"file-too-large", Error, "a file is too large to be read; it was left unchanged",
		"move it out of the workspace, or shorten it by hand; `file.max_read` is the limit"}
)

func auditKinds() []Kind {
	return []Kind{
		SecretWritten, SecretMasked, BufferFull,
		SessionAge, ObservationsSize, DailyLog, JobErrors, FileAge, MemoryAge, BufferLeft, InjectedSize,
		PreviewLoss, PastLogs, RewriteLost, RewriteHeld, RewriteRepeated, WorldDrift, CompactionEntry, SecretAtRest, InjectionAtRest,
		HiddenText, UnreadFile, FileTooLarge,
		HarnessExcludes, HarnessWillExclude, HarnessDistrusts, LeftToAgent,
	}
}

package finding

// Findings of what agents write.
var (
	SecretWritten = Kind{"secret-written", Warning, "a text that looks like a secret was written",
		"take it back with `tend undo`, and change the secret"}
	SecretMasked = Kind{"secret-masked", Info, "a secret was left out of a text that had to be kept",
		"write where it is kept instead"}
	BufferFull = Kind{"buffer-full", Info, "the buffer is over its limit",
		"`tend rotate` moves it into today's log"}
)

// Findings of the audit, each of one check and named like it.
var (
	SessionAge = Kind{"session-age", Warning, "the session state is older than its limit",
		"have the agent write it every turn: `tend session write`"}
	ObservationsSize = Kind{"observations-size", Warning, "observations have outgrown their limit",
		"`tend prune` trims them and keeps what is tagged"}
	DailyLog = Kind{"daily-log", Warning, "the agent worked today but kept no log",
		"have the agent note what it does: `tend note`"}
	JobErrors = Kind{"job-errors", Warning, "a job ended in an error",
		"run it by hand and read what it says"}
	FileAge = Kind{"file-age", Info, "a memory file has not been touched for long",
		"look whether it still holds: `tend verify FILE` says so, or fold it into another"}
	MemoryAge = Kind{"memory-age", Warning, "nothing has reached the memory file for days though there are logs",
		"`tend curate` promotes what is outstanding"}
	BufferLeft = Kind{"buffer-left", Warning, "the buffer holds text that was not taken in",
		"`tend curate` reads it, `tend rotate` moves it into today's log"}
	InjectedSize = Kind{"injected-size", Warning, "files the harness loads are near the size at which it cuts them",
		"`tend preview` shows what would be lost; shorten the file or move facts to their owners"}
	PreviewLoss = Kind{"preview-loss", Warning, "the harness shows the model only part of a file",
		"`tend preview` shows which lines are lost; shorten the file or move facts to their owners"}
	PastLogs = Kind{"past-logs", Warning, "a past daily log was changed after its day",
		"`tend diff` shows what stood there; past logs are not to be edited"}
	Vanished = Kind{"vanished", Warning, "entries left the memory file outside any action",
		"`tend diff` shows them, `tend restore` brings the file back"}
	Schedule = Kind{"schedule", Warning, "a job is overdue or fires too often",
		"look whether `tend up` or the timers run, and only once"}
	CompactionEntry = Kind{"compaction-entry", Warning, "a compaction left no entry in the day's log",
		"set up the pre-compaction hook with `tend connect`, and look at `tend doctor`"}
	SecretAtRest = Kind{"secret-at-rest", Error, "something that looks like a secret stands in memory",
		"change the secret, then take it out of the file"}
	InjectionAtRest = Kind{"injection-at-rest", Warning, "text in memory tries to steer whoever reads it",
		"read it; a reset or an edit takes it out of what is loaded"}
	HiddenText = Kind{"hidden-text", Warning, "characters nobody can see stand in memory",
		"look at the bytes; text that hides was put there by somebody"}
	UnreadFile = Kind{"unread-file", Warning, "a memory file cannot be read, or the harness will not read it",
		"make it an ordinary file of sane size inside the workspace"}
	FileTooLarge = Kind{"file-too-large", Error, "a file is too large to be taken in; it was left alone",
		"move it out of the workspace, or cut it by hand; `file.max_read` is the limit"}
)

func auditKinds() []Kind {
	return []Kind{
		SecretWritten, SecretMasked, BufferFull,
		SessionAge, ObservationsSize, DailyLog, JobErrors, FileAge, MemoryAge, BufferLeft, InjectedSize,
		PreviewLoss, PastLogs, Vanished, Schedule, CompactionEntry, SecretAtRest, InjectionAtRest, HiddenText, UnreadFile, FileTooLarge,
	}
}

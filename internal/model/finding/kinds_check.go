package finding

// Findings of the check: one per invariant, with the same name.
var (
	HotFile = Kind{"hot-file", Warning, "the always-loaded memory file is missing",
		"restore it with `tend restore`, or have the agent start one"}
	NothingSeen = Kind{"nothing-seen", Warning, "the workspace has none of the memory files of its layout",
		"check the agent's `workspace` and `layout` in tend.yaml"}
	FileHeader = Kind{"file-header", Warning, "a file's header does not match the layout",
		"`tend check --fix` adds the missing lines"}
	TagsLine = Kind{"tags-line", Warning, "a file's tags are not on the expected line",
		"`tend check --fix` moves them there"}
	TagsVocabulary = Kind{"tags-vocabulary", Warning, "a file has a tag that is not allowed",
		"use one that is, or add it to tags.file"}
	LastVerified = Kind{"last-verified", Warning, "a file has not been verified recently",
		"check whether it is still true, then run `tend verify FILE`"}
	// Info only: sessions leave expired entries out, and the rest of the memory can still be trusted.
	Expired = Kind{"expired", Info, "an entry has expired",
		"give it a new date if it is still true; `tend prune` removes it from the always-loaded file"}
	BufferSize = Kind{"buffer-size", Warning, "the working buffer is over its limit",
		"`tend rotate` moves it into today's log"}
	BufferHeader = Kind{"buffer-header", Warning, "the working buffer's four header lines are incomplete or out of order",
		"`tend check --fix` rewrites them and keeps the rest"}
	OpenQuestions = Kind{"open-questions", Warning, "the memory file has too many open questions",
		"answer some, or move them to the day's log"}
	ClosureBlocks = Kind{"closure-block", Warning, "a daily log does not end with exactly one closure block",
		"`tend check --fix` adds a missing one; of several, keep the last"}
	DecisionLinks = Kind{"decision-links", Warning, "a link in the active decisions is dead",
		"correct the link, or restore the file with `tend restore`"}
	LogCount = Kind{"log-count", Warning, "old daily logs were not archived",
		"`tend archive` moves them to the archive"}
	WALOrphans = Kind{"wal-orphans", Warning, "the working buffer has entries of abandoned work",
		"`tend rotate` recovers them into today's log"}
	TasksBroken = Kind{"tasks-broken", Warning, "the task list cannot be read",
		"fix the file, or restore an earlier version with `tend restore`; until then the tools refuse to write to it"}
	Leftovers = Kind{"leftovers", Warning, "the workspace has unfinished work or locks of other tools",
		"`tend rotate` recovers a buffer's leftovers once they are old enough; inspect the others, then remove them"}
)

func checkKinds() []Kind {
	return []Kind{
		HotFile, NothingSeen, FileHeader, TagsLine, TagsVocabulary, LastVerified, Expired, BufferSize, BufferHeader, OpenQuestions,
		ClosureBlocks, DecisionLinks, LogCount, WALOrphans, TasksBroken, Leftovers,
	}
}

package finding

// Findings of the check, each of one invariant and named like it.
var (
	HotFile = Kind{"hot-file", Warning, "the always-loaded memory file is missing",
		"restore it with `tend restore`, or have the agent begin one"}
	NothingSeen = Kind{"nothing-seen", Warning, "the workspace has none of the memory files that its layout names",
		"look whether `workspace` and `layout` of the agent in tend.yaml are right"}
	HotLines = Kind{"hot-lines", Info, "the always-loaded memory file has more lines than is advised",
		"`tend prune` brings it below hot.max_lines"}
	FileHeader = Kind{"file-header", Warning, "a file's header is not what the layout requires",
		"`tend check --fix` adds the lines that are missing"}
	TagsLine = Kind{"tags-line", Warning, "a file's tags are not on the line where they are looked for",
		"`tend check --fix` puts them there"}
	TagsVocabulary = Kind{"tags-vocabulary", Warning, "a file carries a tag that is not allowed",
		"`tend tags rename OLD NEW`, or add it to tags.file"}
	LastVerified = Kind{"last-verified", Warning, "a file was not verified lately",
		"look whether it still holds, then `tend verify FILE`"}
	// Of no danger to the rest, and sessions are not given it: no reason to mistrust the memory.
	Expired = Kind{"expired", Info, "an entry is past the date until which it holds",
		"give it a new date if it still holds; `tend prune` takes it out of the always-loaded file"}
	BufferSize = Kind{"buffer-size", Warning, "the working buffer is over its limit",
		"`tend rotate` moves it into today's log"}
	BufferHeader = Kind{"buffer-header", Warning, "the working buffer's four header lines are not in order",
		"`tend check --fix` writes them again and keeps the rest"}
	OpenQuestions = Kind{"open-questions", Warning, "too many questions are open in the memory file",
		"answer some, or move them to the day's log"}
	ClosureBlocks = Kind{"closure-block", Warning, "a daily log does not end with exactly one closure block",
		"`tend check --fix` adds a missing one; of several, keep the last"}
	DecisionLinks = Kind{"decision-links", Warning, "a link in the active decisions leads nowhere",
		"correct the link, or restore the file with `tend restore`"}
	LogCount = Kind{"log-count", Warning, "old daily logs were not archived",
		"`tend archive` moves them out of the way"}
	WALOrphans = Kind{"wal-orphans", Warning, "the working buffer holds entries of work that was left behind",
		"`tend rotate` recovers them into today's log"}
	TasksBroken = Kind{"tasks-broken", Warning, "the list of tasks cannot be read",
		"correct the file, or bring back an earlier one with `tend restore`; the tools refuse to write to it until then"}
	Leftovers = Kind{"leftovers", Warning, "half-done work or locks of other tools lie in the workspace",
		"`tend rotate` takes in a buffer's once it is old enough; look what is in the others, then take them away"}
)

func checkKinds() []Kind {
	return []Kind{
		HotFile, NothingSeen, HotLines, FileHeader, TagsLine, TagsVocabulary, LastVerified, Expired, BufferSize, BufferHeader, OpenQuestions,
		ClosureBlocks, DecisionLinks, LogCount, WALOrphans, TasksBroken, Leftovers,
	}
}

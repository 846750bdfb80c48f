package policy

import "time"

// Baselines.
var (
	BaselineMinBytes = whole("baseline.min_bytes", Bytes, 1000, span{1, 1 << 20, "no minimum"}, doc{
		"size below which a baseline is refused as damaged",
		"Memory Shepherd: 1000 bytes"})
	BaselineSizeSmall = whole("baseline.size_small", Bytes, 5<<10, span{1, 1 << 30, ""}, doc{
		"size below which a baseline is reported as too small",
		"Memory Shepherd's guide: under 5 KB"})
	BaselineSizeGoodFrom = whole("baseline.size_good_from", Bytes, 12<<10, span{1, 1 << 30, ""}, doc{
		"lower end of the size a baseline should have",
		"Memory Shepherd's guide: 12-20 KB"})
	BaselineSizeGoodTo = whole("baseline.size_good_to", Bytes, 20<<10, span{1, 1 << 30, ""}, doc{
		"upper end of the size a baseline should have",
		"Memory Shepherd's guide: 12-20 KB"})
	BaselineSizeLarge = whole("baseline.size_large", Bytes, 25<<10, span{1, 1 << 30, ""}, doc{
		"size above which a baseline is reported as too large",
		"Memory Shepherd's guide: over 25 KB"})
	BaselineSeparator = text("baseline.separator", "---", doc{
		"the line between the operator's text and the agent's notes, taken literally",
		"Memory Shepherd: separator"})
	BaselineSections = list("baseline.sections", []string{
		"Who I Am", "Team", "Critical Rules", "Work Habits", "Autonomy Tiers", "Capabilities", "Where to Find Things",
		"How to Persist Knowledge",
	}, doc{
		"sections a baseline should have, in this order",
		"Memory Shepherd's guide: eight sections"})
)

// Resets and locks.
var (
	ResetEvery = duration("reset.every", 0, span{float64(time.Minute), float64(year), "never"}, doc{
		"how often the keeper resets an agent to its baseline, unless schedule.reset names the hours",
		"Tend: off, except where the layout is built on resets (shepherd: every 3 h)"})
	ResetQuiet = duration("reset.quiet", Duration(2*time.Minute), span{float64(time.Second), float64(Day), "no wait"}, doc{
		"a scheduled reset is deferred if the agent's files changed within this time",
		"Tend: work in flight is not reset"})
	ResetRetry = duration("reset.retry", Duration(time.Minute), span{float64(time.Second), float64(Day), ""}, doc{
		"how long after a deferred reset it is retried",
		"Tend"})
	ResetMaxDefer = duration("reset.max_defer", Duration(time.Hour), span{float64(time.Minute), float64(7 * Day), "no limit"}, doc{
		"how long a scheduled reset may be deferred before it is reported as overdue",
		"Tend: nothing is silent"})
	LockWait = duration("lock.wait", Duration(5*time.Second), span{float64(10 * time.Millisecond), float64(time.Hour), "no wait"}, doc{
		"how long a command waits for an agent's lock before it gives up with exit code 4",
		"Tend"})
)

// What is kept, and how long.
var (
	ArchiveRetention = duration("archive.retention", 30*Day, span{float64(Day), float64(100 * year), "never removed"}, doc{
		"age after which an archive Tend wrote goes to the trash",
		"Memory Shepherd: archive_retention_days 30"})
	ArchiveKeepMin = whole("archive.keep_min", Count, 10, span{0, 1_000_000, ""}, doc{
		"newest archives to keep, whatever their age",
		"Tend: retention never empties an archive"})
	ArchiveMaxPerRun = whole("archive.max_per_run", Count, 200, span{1, 1_000_000, "no limit"}, doc{
		"most archives one run may move to the trash",
		"Tend: a wrong clock must not clear an archive at once"})
	TrashRetention = duration("trash.retention", 90*Day, span{float64(Day), float64(100 * year), "never removed"}, doc{
		"age after which something in the trash moves to the pack, where undo and search still find it",
		"Tend"})
	StateMaxBytes = whole("state.max_bytes", Bytes, 512<<20, span{1 << 20, 1 << 40, "no limit"}, doc{
		"size of an agent's archives and trash above which they are compacted into the pack, whatever their age; nothing is dropped",
		"Tend: an agent that fights for a file must not fill the disk"})
	TrashGrace = duration("trash.grace", Day, span{float64(time.Minute), float64(year), ""}, doc{
		"how long a replaced file's old inode is kept for a writer that still has it open",
		"Tend: 24 h, then read once more"})
)

func keepKeys() []key {
	return []key{
		&BaselineMinBytes, &BaselineSizeSmall, &BaselineSizeGoodFrom, &BaselineSizeGoodTo, &BaselineSizeLarge,
		&BaselineSeparator, &BaselineSections,
		&ResetEvery, &ResetQuiet, &ResetRetry, &ResetMaxDefer, &LockWait,
		&ArchiveRetention, &ArchiveKeepMin, &ArchiveMaxPerRun, &TrashRetention, &TrashGrace, &StateMaxBytes,
	}
}

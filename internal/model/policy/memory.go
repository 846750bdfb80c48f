package policy

import "time"

const year = 366 * Day

// The always-loaded file and all that is shown with it.
var (
	HotMaxLines = whole("hot.max_lines", Lines, 0, span{1, 100_000, "no limit"}, doc{
		"longest the always-loaded memory file may be; no harness has such a limit, protocols do",
		"Memory v4: at most 60 lines; the OpenClaw protocol: 50"})
	HotMaxBytes = whole("hot.max_bytes", Bytes, 0, span{256, 1 << 30, "no limit"}, doc{
		"size of the always-loaded file above which status and audit warn",
		"Memory Shepherd: max_memory_size 16384"})
	HotMaxChars = whole("hot.max_chars", Chars, 0, span{100, 10_000_000, "no limit"}, doc{
		"characters of any one injected file that the harness loads, as it counts them",
		"the layout; OpenClaw: 20,000"})
	TotalMaxChars = whole("total.max_chars", Chars, 0, span{100, 100_000_000, "no limit"}, doc{
		"characters of all injected files together that the harness loads",
		"the layout; OpenClaw: 60,000 or 150,000"})
	SizeFlagAt = ratio("size.flag_at", Fraction, 0.90, span{0.05, 1, ""}, doc{
		"share of what the harness loads, of one file or of all, above which audit flags the size",
		"OpenClaw protocol: 18,000 of 20,000 characters"})
	MemoryNewestWithin = duration("memory.newest_within", 0, span{float64(Day), float64(10 * year), "never"}, doc{
		"how old the newest dated entry of the hot file may be before audit flags it",
		"OpenClaw protocol: 3 days"})
	MemoryStaleAfter = duration("memory.stale_after", 0, span{float64(Day), float64(10 * year), "never"}, doc{
		"how long a memory file that is no daily log may go unchanged before audit flags it",
		"OpenClaw protocol: 7 days"})
	VerifyMaxAge = duration("verify.max_age", 0, span{float64(Day), float64(10 * year), "never"}, doc{
		"how old a last_verified date may be",
		"Memory v4: 30 days"})
	QuestionsMax = whole("questions.max", Count, 0, span{1, 1000, "no limit"}, doc{
		"open questions the hot file may hold",
		"Memory v4: 5"})
)

// Working buffer and session state.
var (
	BufferMaxLines = whole("buffer.max_lines", Lines, 80, span{5, 100_000, "no limit"}, doc{
		"lines above which the buffer is rotated into today's log",
		"Memory v4: 80 lines"})
	BufferMaxActive = whole("buffer.max_active", Count, 3, span{1, 1000, "no limit"}, doc{
		"active bullets above which the buffer is rotated",
		"Memory v4.6: more than 3 active bullets"})
	BufferStale = duration("buffer.stale", Duration(2*time.Hour), span{float64(time.Minute), float64(year), "never"}, doc{
		"how long after its last_active a buffer counts as abandoned and is recovered",
		"Memory v4.5: 2 h"})
	BufferExpect = choice("buffer.expect", BufferEmpty, []BufferUse{BufferEmpty, BufferWAL}, doc{
		"what a healthy buffer looks like: empty (overflow only) or wal (written before every reply)",
		"OpenClaw protocol expects it empty, Memory v4 writes ahead"})
	SessionMaxAge = duration("session.max_age", 0, span{float64(time.Minute), float64(year), "never"}, doc{
		"how old the session state's \"Last updated\" may be",
		"OpenClaw protocol: 24 h"})
)

// BufferUse is how an agent uses its working buffer.
type BufferUse string

// The uses of a buffer.
const (
	BufferEmpty BufferUse = "empty"
	BufferWAL   BufferUse = "wal"
)

// Daily logs and observations.
var (
	ObservationsMaxLines = whole("observations.max_lines", Lines, 0, span{10, 100_000, "no limit"}, doc{
		"lines of observations above which they are trimmed",
		"OpenClaw protocol: 100 lines"})
	ObservationsTrimTo = whole("observations.trim_to", Lines, 60, span{1, 100_000, ""}, doc{
		"lines to which observations are trimmed, tagged ones kept",
		"OpenClaw protocol: 60 lines"})
	ObservationsZeroTagAge = duration("observations.zero_tag_age", 7*Day, span{float64(Day), float64(10 * year), "never"}, doc{
		"age after which an untagged observation may be removed",
		"OpenClaw protocol: 7 days"})
	DailyMineAfter = duration("daily.mine_after", 0, span{float64(Day), float64(10 * year), "never"}, doc{
		"age after which a daily log is searched for decisions and lessons not yet promoted",
		"OpenClaw protocol: 14 days"})
	DailyArchiveAfter = duration("daily.archive_after", 0, span{float64(Day), float64(10 * year), "never"}, doc{
		"age by the date in its name after which a daily log moves to the archive",
		"Memory v4: 30 days; the OpenClaw protocol: never"})
	LearningsRecur = whole("learnings.recur", Count, 3, span{2, 1000, "never"}, doc{
		"times a learning must recur before it is proposed for promotion",
		"Memory v4.5: 3 recurrences"})
	LearningsScanLines = whole("learnings.scan_lines", Lines, 20, span{1, 10_000, ""}, doc{
		"last lines of each learnings file that a session start reads",
		"Memory v4.5: last 20 lines"})
)

func memoryKeys() []key {
	return []key{
		&HotMaxLines, &HotMaxBytes, &HotMaxChars, &TotalMaxChars, &SizeFlagAt, &MemoryNewestWithin, &MemoryStaleAfter,
		&VerifyMaxAge, &QuestionsMax,
		&BufferMaxLines, &BufferMaxActive, &BufferStale, &BufferExpect, &SessionMaxAge,
		&ObservationsMaxLines, &ObservationsTrimTo, &ObservationsZeroTagAge, &DailyMineAfter, &DailyArchiveAfter,
		&LearningsRecur, &LearningsScanLines,
	}
}

package policy

// Limits on what agents write.
var (
	NoteDedupe = whole("note.dedupe", Count, 10, span{1, 10_000, "no comparison"}, doc{
		"last entries of today's log a new note is compared with; a repetition is not written",
		"OpenClaw #99509: appending alone repeats itself"})
	CheckpointExcerpt = whole("checkpoint.excerpt", Chars, 4_000, span{200, 1_000_000, ""}, doc{
		"most text of the conversation a checkpoint hook saves at a time",
		"Tend"})
	ImportChars = whole("import.chars", Chars, 6_000, span{500, 1_000_000, ""}, doc{
		"most text of one day of a session that `tend import --transcripts` adds to the notes; the rest stays in the session's file",
		"Tend"})
	DiskMinFree = whole("disk.min_free", Bytes, 100<<20, span{1 << 20, 1 << 40, "no check"}, doc{
		"free space on the disk of the state below which doctor warns",
		"Tend"})
)

func writingKeys() []key { return []key{&NoteDedupe, &CheckpointExcerpt, &ImportChars, &DiskMinFree} }

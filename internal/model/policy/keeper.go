package policy

import "time"

// What the keeper does besides running jobs.
var (
	GuardBaseline = choice("guard.baseline", GuardHold, []GuardMode{GuardHold, GuardRestore}, doc{
		"what the keeper does when a baseline file differs from its approved copy: hold (leave it, report it, refuse resets) or restore the " +
			"approved text",
		"Tend: the file is the operator's working text, the approved copy is what counts"})
	GuardZone = choice("guard.zone", GuardRestore, []GuardMode{GuardRestore, GuardReport}, doc{
		"what the keeper does when the text above the line was changed: restore it and leave the notes, or only report it",
		"Tend: above the line is the operator's"})
	GuardInvited = choice("guard.invited", GuardReport, []GuardMode{GuardReport, GuardRestore}, doc{
		"what the keeper does when a guarded file was changed whose own text invites the agent to change it, as OpenClaw's SOUL.md " +
			"does: report it, or restore it like any other",
		"Tend: reverting what the text asks for would be a fight"})
	GuardRewrite = choice("guard.rewrite", GuardReport, []GuardMode{GuardReport, GuardHold, GuardRestore}, doc{
		"what the keeper does when somebody rewrote a memory file and text was lost: report it; hold (restore the old text, " +
			"propose the new one); or restore the lost lines into the new text",
		"Tend: off unless chosen, since agents tidy up on purpose too"})
	GuardRewriteShare = ratio("guard.rewrite_share", Fraction, 0.20, span{0.01, 1, ""}, doc{
		"share of a memory file that a rewrite must lose before guard.rewrite acts",
		"Tend: below that a person decides"})
	WatchQuiet = duration("watch.quiet", Duration(300*time.Millisecond), span{float64(50 * time.Millisecond), float64(time.Minute), ""}, doc{
		"how long a changed file must be quiet before the keeper reads it: a writer may not be finished",
		"Tend: tampering is seen within a second"})
	WatchPoll = duration("watch.poll", Duration(5*time.Minute), span{float64(time.Second), float64(Day), ""}, doc{
		"how often files are checked even without a change notification",
		"Tend: a watch can miss events"})
	HistoryQuiet = duration("history.quiet", Duration(10*time.Second), span{float64(time.Second), float64(Day), "never"}, doc{
		"how long files must be quiet before the agent's edits are recorded in the history",
		"Tend: a text that stayed that long can be restored"})
)

// GuardMode is what the keeper does about a change it guards against.
type GuardMode string

// The modes.
const (
	GuardRestore GuardMode = "restore"
	GuardReport  GuardMode = "report"
	GuardHold    GuardMode = "hold"
)

func keeperKeys() []key {
	return []key{&GuardBaseline, &GuardZone, &GuardInvited, &GuardRewrite, &GuardRewriteShare, &WatchQuiet, &WatchPoll, &HistoryQuiet}
}

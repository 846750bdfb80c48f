package policy

import "time"

// What the keeper does besides running jobs.
var (
	GuardBaseline = choice("guard.baseline", GuardHold, []GuardMode{GuardHold, GuardRestore, GuardReport}, doc{
		"what the keeper does when a baseline file differs from its approved copy: hold (leave it, report it, refuse resets) or restore the approved text; report is an older name for hold",
		"Tend: the file is the operator's working text, the approved copy is what counts"})
	GuardZone = choice("guard.zone", GuardRestore, []GuardMode{GuardRestore, GuardReport}, doc{
		"what the keeper does when the text above the line was changed: restore it and leave the notes, or only report it",
		"Tend: above the line is the operator's"})
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

// GuardMode is what the keeper does about changes to the operator's text.
type GuardMode string

// The modes.
const (
	GuardRestore GuardMode = "restore"
	GuardReport  GuardMode = "report"
	GuardHold    GuardMode = "hold"
)

func keeperKeys() []key {
	return []key{&GuardBaseline, &GuardZone, &WatchQuiet, &WatchPoll, &HistoryQuiet}
}

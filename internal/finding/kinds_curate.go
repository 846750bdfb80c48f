package finding

// Findings of curation, of pruning and of what waits for a person.
var (
	Outstanding = Kind{"tagged-outstanding", Info, "tagged entries wait to be promoted",
		"they follow in the next nights; raise curate.max_per_night if they pile up"}
	ProposalMade = Kind{"proposal-made", Warning, "an entry was not promoted but waits for a person",
		"`tend proposals` shows it; `tend approve ID` or `tend reject ID`"}
	ProposalsWaiting = Kind{"proposals-waiting", Warning, "proposals wait for a person",
		"`tend proposals` lists them; `tend approve ID` or `tend reject ID`"}
	Pruned = Kind{"pruned", Info, "an entry left the memory file and is in the archive",
		"`tend archives search` finds it, `tend undo` brings it back"}
	Moved = Kind{"moved", Info, "an entry was moved to the file that owns it",
		"`tend why` tells where an entry came from"}
	Superseded = Kind{"superseded", Info, "a newer statement took the place of an older one",
		"the older one is kept with what replaced it; `tend undo` brings it back"}
	TagUnread = Kind{"tag-unread", Info, "a line carries a tag that could not be read as an entry",
		"write the tag in front of the sentence, as `- [decision] …`"}
	HotOver = Kind{"hot-over", Warning, "the always-loaded file is over its limit and could not be brought below it",
		"shorten it by hand, or raise its limit; what is young, pinned or the operator's is never pruned"}
	LossCap = Kind{"loss-cap", Warning, "pruning stopped before it took too much",
		"look at `tend prune --dry-run`; `tend prune --beyond-caps` goes on once"}
	ObservationsOver = Kind{"observations-over", Info, "observations are still over their target",
		"what is tagged or young stays; promote or shorten it"}
	LogsWait = Kind{"logs-wait", Info, "old logs stay until what is outstanding in them was promoted",
		"`tend curate` promotes the next entries"}
	CuratorFailed = Kind{"curator-failed", Warning, "the curator gave no answer that could be used; the rules decided",
		"look at the curator section of the configuration, or set policy curator to rules"}
	CuratorRejected = Kind{"curator-rejected", Warning, "a curator's pick did not hold against its sources and was dropped",
		"nothing was written; look at the model if this happens often"}
	Held = Kind{"automation-held", Info, "the automation level does not allow this job",
		"raise `automation` for the agent, or run it once with --force"}
	HiddenProposal = Kind{"hidden-proposal", Error, "a proposal holds characters nobody can see",
		"reject it, and write the text yourself without them if it is worth keeping"}
	InBaseline = Kind{"in-baseline", Error, "what was proposed belongs into a baseline, which only the operator's own file changes",
		"put it into the baseline, run `tend baseline approve`, then `tend reject` the proposal"}
	NoPlace = Kind{"no-place", Error, "there is no file the entry may be written to",
		"its file holds instructions or is the operator's alone: write it there by hand"}
	Internal = Kind{"internal", Error, "Tend could not do what it meant to, and left the file alone",
		"please report it"}
)

// Findings of the weekly review and of comparing files.
var (
	Friction = Kind{"friction-recurs", Info, "the same friction was met again and again",
		"write down how to avoid it"}
	Contradiction = Kind{"contradiction", Warning, "two files say different things of the same subject",
		"find out which holds, and correct the other"}
	TwoHomes = Kind{"two-homes", Warning, "the same fact stands in two files",
		"keep it in the file that owns it and take it out of the other"}
	DeadLink = Kind{"dead-link", Warning, "a link leads to a file that is gone",
		"correct the link, or bring the file back with `tend restore`"}
)

func curateKinds() []Kind {
	return []Kind{
		Outstanding, ProposalMade, ProposalsWaiting, Pruned, Moved, Superseded, TagUnread, HotOver, LossCap, ObservationsOver, LogsWait,
		CuratorFailed, CuratorRejected, Held, NoPlace, HiddenProposal, InBaseline, Internal,
		Friction, Contradiction, TwoHomes, DeadLink,
	}
}

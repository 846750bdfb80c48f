package finding

// Findings of curation and pruning, and about proposals.
var (
	ProposalMade = Kind{"proposal-made", Info, "an entry waits for your decision",
		"`tend proposals` shows it; `tend proposals approve ID` or `tend proposals reject ID`"}
	ProposalsWaiting = Kind{"proposals-waiting", Warning, "proposals need your decision",
		"`tend proposals` lists them; `tend proposals approve ID` or `tend proposals reject ID`"}
	Pruned = Kind{"pruned", Info, "an entry was moved from the memory file to the archive",
		"`tend grep --past` finds it, `tend undo` restores it"}
	Moved = Kind{"moved", Info, "an entry was moved to the file that owns it",
		"`tend why` shows where an entry came from"}
	Superseded = Kind{"superseded", Info, "a newer statement replaced an older one",
		"the older one is archived together with its replacement; `tend undo` restores it"}
	HotOver = Kind{"hot-over", Warning, "the always-loaded file is over its limit and could not be pruned below it",
		"shorten it by hand, or raise its limit; recent or pinned entries and the operator's text are never pruned"}
	LossCap = Kind{"loss-cap", Warning, "pruning stopped at its safety limit",
		"review `tend prune --dry-run`; `tend prune --beyond-caps` lifts the limit once"}
	ObservationsOver = Kind{"observations-over", Info, "observations are still over their target",
		"tagged and recent observations are kept; promote or shorten them"}
	LogsWait = Kind{"logs-wait", Info, "old logs are kept until their pending entries are promoted",
		"`tend curate` promotes the next entries"}
	CuratorFailed = Kind{"curator-failed", Warning, "the curator gave no usable answer; what it was asked about is offered again",
		"`tend curator test` shows what it answers; the policy `curator: off` needs no model"}
	CuratorRejected = Kind{"curator-rejected", Warning, "an operation of the curator did not pass its check and was dropped",
		"nothing was written; consider another model if this happens often"}
	Held = Kind{"automation-held", Info, "the automation level does not allow this job",
		"raise `automation` for the agent, or run it once with --force"}
	HiddenProposal = Kind{"hidden-proposal", Error, "a proposal contains invisible characters",
		"reject it; if the text is worth keeping, write it yourself without them"}
	InBaseline = Kind{"in-baseline", Error, "the proposal would change a baseline, which only the operator can edit",
		"put it into the baseline, run `tend baseline approve`, then `tend proposals reject` the proposal"}
	NoPlace = Kind{"no-place", Error, "no file may take the entry",
		"its file has instructions or belongs to the operator: add the entry by hand"}
	Internal = Kind{"internal", Error, "internal error; the file was left unchanged",
		"please report it"}
)

// Findings of the weekly review and of comparing files.
var (
	Friction = Kind{"friction-recurs", Info, "the same friction keeps recurring",
		"write down how to avoid it"}
	LabelDiffers = Kind{"label-differs", Info, "two files have different values for the same label under the same heading",
		"find out which is true, and correct the other"}
	SourceDiffers = Kind{"source-differs", Info, "a promoted line no longer says what its source says",
		"read both; correct the line, or delete it and let the next night promote the newer one"}
	DeadLink = Kind{"dead-link", Warning, "a loaded file tells the agent to read a file that is missing",
		"correct the name, or restore the file with `tend restore`"}
)

func curateKinds() []Kind {
	return []Kind{
		ProposalMade, ProposalsWaiting, Pruned, Moved, Superseded, HotOver, LossCap, ObservationsOver, LogsWait,
		CuratorFailed, CuratorRejected, Held, NoPlace, HiddenProposal, InBaseline, Internal,
		Friction, LabelDiffers, SourceDiffers, DeadLink,
	}
}

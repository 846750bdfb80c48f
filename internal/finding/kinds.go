package finding

import "slices"

// Findings of the ledger and of baselines. Those of the jobs stand beside them
// in files of their own; Kinds lists all.
var (
	Drift = Kind{"drift", Warning, "the operator's text was changed",
		"`tend baseline diff` shows it, `tend reset` restores the baseline; to keep the change, write it into the baseline and approve that"}
	LateWrite = Kind{"late-write", Warning, "something was written while a file was being replaced",
		"nothing is lost: `tend archives show` has it"}
	Recovered = Kind{"recovered", Warning, "an action was cut off and has been finished or taken back",
		"look at `tend log`"}
	SyncConflict = Kind{"sync-conflict", Warning, "two machines changed the same lines",
		"nothing is lost: `tend archives show` has the other text; take from it what is right"}
	SetAside = Kind{"set-aside", Warning, "a folder, link or device was where a memory file belongs; it was moved aside",
		"look at it under the name it has now, and remove it if it is not wanted"}
	StoreUnreachable = Kind{"store-unreachable", Warning, "the shared store cannot be reached",
		"local work goes on and is sent when the store answers; look at the network, the address and the credentials"}
	StoreRefused = Kind{"store-refused", Error, "an agent cannot be synced with the store",
		"run `tend sync` to see why"}
	StoreDamaged = Kind{"store-damaged", Error, "an object in the store is damaged or forged",
		"nothing of it was applied; find out who can write to the store, and bring the object back from a backup of it"}
	StoreForeign = Kind{"store-foreign", Warning, "the store has an object that no machine of it wrote",
		"it is ignored; remove it, and find out what else writes to the store. A name with \"conflict\" in it comes from the program that copies the folder"}
	StoreIncomplete = Kind{"store-incomplete", Info, "objects in a syncing folder have not arrived, or not whole",
		"nothing of them is applied yet; wait for the program that copies the folder, and look there if it stays so"}
	StoreLeftOut = Kind{"store-left-out", Warning, "a memory file is not put into the shared store",
		"split it or raise the limit; or list it under store.local"}
	StoreNewcomer = Kind{"store-newcomer", Info, "a machine has written to the agent's journal in the store for the first time",
		"if you do not know it, find out who has the credentials of the store; `tend log` shows what it did and `tend undo` takes it back"}
	StoreBehind = Kind{"store-behind", Warning, "agents here have been behind the shared store for minutes",
		"`tend findings` names what keeps them; `tend store status` shows how far behind each is"}
	StateFull = Kind{"state-full", Warning, "an agent's archives and trash are larger than allowed, though compacted",
		"raise state.max_bytes, or look what keeps writing: `tend log`"}
	Oversize = Kind{"memory-oversize", Warning, "the memory file is larger than its limit",
		"shorten it, or raise hot.max_bytes"}
	BaselineTampered = Kind{"baseline-tampered", Error, "a baseline file differs from its approved copy",
		"`tend baseline approve` accepts the new text, `tend baseline restore` brings back the approved one; until then resets are refused"}
	BaselineUnapproved = Kind{"baseline-unapproved", Info, "a draft of a baseline is pending approval; until then it has no effect",
		"read it, then run `tend baseline approve`"}
	BaselineMissing = Kind{"baseline-missing", Error, "the baseline file is missing",
		"`tend baseline restore` brings back the approved copy"}
	BaselineSmall = Kind{"baseline-small", Error, "the baseline is too small to be whole",
		"`tend baseline restore` brings back what was approved; if it is meant to be short, lower baseline.min_bytes"}
	BaselineSize = Kind{"baseline-size", Info, "the baseline's size is outside the band that works well",
		"see docs/baselines.md"}
	BaselineSections = Kind{"baseline-sections", Info, "the baseline lacks sections that agents need",
		"`tend baseline draft` prints them; docs/baselines.md says what belongs in each"}
	BaselineContract = Kind{"baseline-contract", Info, "the baseline does not tell the agent about the line",
		"say in it that notes go below the line and are archived; `tend baseline draft` shows how"}
	BaselineWaits = Kind{"baseline-waits", Info, "a newly approved baseline has not reached the agent yet",
		"the next reset puts it in place"}
	BaselineCarried = Kind{"baseline-carried", Info, "a newly approved baseline was put above the line",
		"nothing is to be done"}
	BaselineSignature = Kind{"baseline-signature", Error, "the baseline's signature is not valid",
		"sign the approved text again, or restore the baseline"}
	LedgerBroken = Kind{"ledger-broken", Error, "the ledger's chain of records is broken",
		"somebody changed or cut the ledger; compare it with your backup"}
	ArchiveDamaged = Kind{"archive-damaged", Error, "an archive is missing, or is not what was written",
		"restore the archive folder from your backup; `tend log` says when and why each was written"}
	PackDamaged = Kind{"pack-damaged", Error, "the pack of texts that left the trash is damaged or incomplete",
		"restore agents/NAME/pack in the state folder from your backup"}
	WorkspaceChanged = Kind{"workspace-changed", Error, "another folder stands where the agent's workspace was; nothing is read or written there",
		"if you moved or recreated the workspace, confirm it with `tend move AGENT`; otherwise find out who put another folder or link there"}
	CannotLook = Kind{"cannot-look", Error, "the agent's memory or records could not be read",
		"`tend doctor` shows everything that is in the way"}
	HistoryBehind = Kind{"history-behind", Info, "git history has not taken in all actions yet",
		"`tend history sync` brings it up to date"}
	HistoryBroken = Kind{"history-broken", Warning, "the git history was damaged and has been set aside",
		"nothing is lost: ledger and pack are whole, and a new history was built from them"}
)

// Kinds lists every kind of finding there is.
func Kinds() []Kind {
	return slices.Concat(coreKinds(), auditKinds(), checkKinds(), curateKinds(), keeperKinds())
}

func coreKinds() []Kind {
	return []Kind{
		Drift, LateWrite, Recovered, SyncConflict, StoreUnreachable, StoreRefused, StoreDamaged, StoreForeign, StoreIncomplete, StoreLeftOut, StoreNewcomer, StoreBehind, SetAside, StateFull, Oversize,
		BaselineTampered, BaselineUnapproved, BaselineMissing, BaselineSmall, BaselineSize, BaselineSections, BaselineContract, BaselineWaits, BaselineCarried, BaselineSignature,
		LedgerBroken, ArchiveDamaged, PackDamaged, WorkspaceChanged, CannotLook, HistoryBehind, HistoryBroken,
	}
}

package finding

import "slices"

// Findings about the ledger, the store and baselines. Each group of jobs has its own file;
// Kinds lists all.
var (
	Drift = Kind{"drift", Warning, "an approved text was changed",
		"`tend baseline diff AGENT` shows the change; `tend baseline accept AGENT --file FILE` keeps it, " +
			"`tend reset AGENT` restores the baseline"}
	LateWrite = Kind{"late-write", Warning, "something was written while a file was being replaced",
		"nothing is lost: `tend past show` has it"}
	Recovered = Kind{"recovered", Warning, "an action was interrupted and has been finished or rolled back",
		"see `tend log`"}
	SyncConflict = Kind{"sync-conflict", Warning, "two machines changed the same lines",
		"nothing is lost: `tend past show` has the other text; copy from it what is right"}
	SetAside = Kind{"set-aside", Warning, "a folder, link or device was where a memory file belongs; it was moved aside",
		"inspect it under its new name, and remove it if you do not need it"}
	StoreUnreachable = Kind{"store-unreachable", Warning, "the shared store cannot be reached",
		"local work continues and is sent once the store answers; check the network, the address and the credentials"}
	StoreRefused = Kind{"store-refused", Error, "an agent cannot be synced with the store",
		"run `tend sync` to see why"}
	StoreDamaged = Kind{"store-damaged", Error, "an object in the store is damaged or forged",
		"it was not applied; find out who can write to the store, and restore the object from a backup"}
	StoreForeign = Kind{"store-foreign", Warning, "the store has an object that none of its machines wrote",
		"it is ignored; remove it, and find out what else writes to the store. A name with \"conflict\" in it comes from the " +
			"program that copies the folder"}
	StoreIncomplete = Kind{"store-incomplete", Info, "objects in a syncing folder are missing or incomplete",
		"none of them is applied yet; wait for the program that copies the folder, and check it if this persists"}
	StoreLeftOut = Kind{"store-left-out", Warning, "a memory file is not synced to the shared store",
		"split it or raise the limit; or list it under store.local"}
	StoreNewcomer = Kind{"store-newcomer", Info, "a new machine has written to the agent's journal in the store",
		"if you do not recognize it, find out who has the store's credentials; `tend log` shows what it did and `tend undo` reverts it"}
	StoreGuarded = Kind{"store-guarded", Warning, "another machine changed what the operator wrote or approved",
		"read the change; if it is not yours, `tend baseline edit` and `tend baseline approve` put your text back, and find out " +
			"who has the store's credentials"}
	StoreBehind = Kind{"store-behind", Warning, "agents on this machine have been behind the shared store for minutes",
		"`tend findings` shows why; `tend store status` shows how far behind each agent is"}
	StateFull = Kind{"state-full", Warning, "an agent's archives and trash exceed their limit even after compaction",
		"raise state.max_bytes, or find out what keeps writing: `tend log`"}
	Oversize = Kind{"memory-oversize", Warning, "the always-loaded memory file is over a limit of the policy",
		"shorten it, or change the limit: hot.max_lines or hot.max_bytes"}
	BaselineTampered = Kind{"baseline-tampered", Error, "a baseline file differs from its approved copy",
		"`tend baseline approve AGENT` accepts the new text, `tend baseline restore AGENT` restores the approved one; until then resets are " +
			"refused"}
	BaselineUnapproved = Kind{"baseline-unapproved", Info, "a draft of a baseline is pending approval; until then it has no effect",
		"read it, then run `tend baseline approve AGENT`"}
	BaselineMissing = Kind{"baseline-missing", Error, "the baseline file is missing",
		"`tend baseline restore AGENT` restores the approved copy"}
	BaselineSmall = Kind{"baseline-small", Error, "the baseline is too small to be complete",
		"`tend baseline restore AGENT` restores the approved text; if the baseline is meant to be short, lower baseline.min_bytes"}
	BaselineSize = Kind{"baseline-size", Info, "the baseline's size is outside the recommended range",
		"see docs/baselines.md"}
	BaselineSections = Kind{"baseline-sections", Info, "the baseline lacks sections that agents need",
		"`tend baseline draft` prints them; docs/baselines.md explains what belongs in each"}
	BaselineContract = Kind{"baseline-contract", Info, "the baseline does not tell the agent about the line",
		"state in it that notes go below the line and are archived; `tend baseline draft` shows how"}
	BaselineWaits = Kind{"baseline-waits", Info, "a newly approved baseline has not reached the agent yet",
		"the next reset puts it in place"}
	BaselineCarried = Kind{"baseline-carried", Info, "a newly approved baseline was put above the line",
		"no action needed"}
	BaselineSignature = Kind{"baseline-signature", Error, "the baseline's signature is not valid",
		"sign the approved text again, or restore the baseline"}
	LedgerBroken = Kind{"ledger-broken", Error, "the ledger's hash chain is broken",
		"the ledger was edited or truncated; compare it with your backup"}
	ArchiveDamaged = Kind{"archive-damaged", Error, "an archive is missing or its content has changed",
		"restore the archive folder from your backup; `tend log` shows when and why each archive was written"}
	PackDamaged = Kind{"pack-damaged", Error, "the pack of texts that left the trash is damaged or incomplete",
		"restore agents/NAME/pack in the state folder from your backup"}
	WorkspaceChanged = Kind{"workspace-changed", Error,
		"a different folder is at the path of the agent's workspace; nothing is read or written there",
		"if you moved or recreated the workspace, confirm it with `tend move AGENT`; otherwise find out who put another folder or link there"}
	CannotLook = Kind{"cannot-look", Error, "the agent's memory or records could not be read",
		"`tend doctor` shows what is wrong"}
	HistoryBehind = Kind{"history-behind", Info, "the git history does not have all actions yet",
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
		Drift, LateWrite, Recovered, SyncConflict, StoreUnreachable, StoreRefused, StoreDamaged, StoreForeign, StoreIncomplete, StoreLeftOut,
		StoreNewcomer, StoreGuarded, StoreBehind, SetAside, StateFull, Oversize,
		BaselineTampered, BaselineUnapproved, BaselineMissing, BaselineSmall, BaselineSize, BaselineSections, BaselineContract, BaselineWaits,
		BaselineCarried, BaselineSignature,
		LedgerBroken, ArchiveDamaged, PackDamaged, WorkspaceChanged, CannotLook, HistoryBehind, HistoryBroken,
	}
}

package finding

import (
	"cmp"
	"slices"
	"sync"
)

// Cost ranks findings by the harm they do, highest first: lost text before a long file.
type Cost int

// The costs.
const (
	Loss  Cost = iota // text is lost, leaks, is forged or is never seen by the model
	Wrong             // the model reads something untrue
	Late              // work that should have been done was not
	Style             // advice: limits and forms
)

var costNames = [...]string{"loss", "wrong", "late", "style"}

func (c Cost) String() string { return costNames[c] }

// costs lists the cost of each kind that check reports; all others are Late.
var costs = sync.OnceValue(func() map[string]Cost {
	return map[string]Cost{
		Drift.Code: Loss, LateWrite.Code: Loss, BaselineTampered.Code: Loss, BaselineMissing.Code: Loss, BaselineSmall.Code: Loss,
		BaselineSignature.Code: Loss, LedgerBroken.Code: Loss, ArchiveDamaged.Code: Loss, PackDamaged.Code: Loss, WorkspaceChanged.Code: Loss,
		CannotLook.Code: Loss, SecretAtRest.Code: Loss, HiddenText.Code: Loss,
		InjectionAtRest.Code: Loss, HarnessExcludes.Code: Loss, HarnessWillExclude.Code: Loss, PreviewLoss.Code: Loss, UnreadFile.Code: Loss,
		FileTooLarge.Code: Loss, RewriteLost.Code: Loss,
		PastLogs.Code: Loss, HotFile.Code: Loss, NothingSeen.Code: Loss, CompactionEntry.Code: Loss, TasksBroken.Code: Loss,

		LabelDiffers.Code: Wrong, SourceDiffers.Code: Wrong, DeadLink.Code: Wrong, DecisionLinks.Code: Wrong, Expired.Code: Wrong,

		Oversize.Code: Style, InjectedSize.Code: Style, FileHeader.Code: Style, TagsLine.Code: Style,
		TagsVocabulary.Code: Style, LastVerified.Code: Style, BufferHeader.Code: Style, OpenQuestions.Code: Style, ClosureBlocks.Code: Style,
		LogCount.Code: Style, FileAge.Code: Style, ObservationsSize.Code: Style,
	}
})

// CostOf returns the cost of findings with this code.
func CostOf(code string) Cost {
	if c, ok := costs()[code]; ok {
		return c
	}
	return Late
}

// Rank sorts by severity, then cost, then agent, file and line.
func Rank(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(b.Severity, a.Severity), cmp.Compare(CostOf(a.Code), CostOf(b.Code)), cmp.Compare(codeOrder(a.Code), codeOrder(b.Code)),
			cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
		)
	})
}

// codeOrder ranks codes of the same cost: leaks before losses, losses before doubts.
func codeOrder(code string) int {
	first := []string{HarnessExcludes.Code, HarnessWillExclude.Code, SecretAtRest.Code, HiddenText.Code, InjectionAtRest.Code, HotFile.Code,
		Drift.Code, PreviewLoss.Code}
	if i := slices.Index(first, code); i >= 0 {
		return i
	}
	return len(first)
}

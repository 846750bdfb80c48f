package policy

import (
	"errors"
	"fmt"
	"slices"
)

func allKeys() []key {
	return slices.Concat(memoryKeys(), keepKeys(), jobKeys(), scheduleKeys(), toolKeys(), writingKeys(), keeperKeys())
}

// Check finds values that contradict one another. Call it on the finished policy: between two overlays one half of a
// pair may be missing.
func (p Policy) Check() error {
	var errs []error
	need := func(ok bool, low, high interface {
		Name() string
		Text(Policy) string
	}) {
		if !ok {
			errs = append(errs, &KeyError{
				Key:     low.Name(),
				Problem: fmt.Sprintf("%s is above %s, which is %s", low.Text(p), high.Name(), high.Text(p)),
				Hint:    "set both",
			})
		}
	}
	most := ObservationsMaxLines.Of(p)
	need(most == 0 || ObservationsTrimTo.Of(p) <= most, &ObservationsTrimTo, &ObservationsMaxLines)
	need(CurateMin.Of(p) <= CurateMaxPerNight.Of(p), &CurateMin, &CurateMaxPerNight)
	need(PruneMaxLossRun.Of(p) <= PruneMaxLoss30d.Of(p), &PruneMaxLossRun, &PruneMaxLoss30d)
	need(CheckpointBufferAt.Of(p) <= CheckpointFlushAt.Of(p), &CheckpointBufferAt, &CheckpointFlushAt)
	need(CheckpointFlushAt.Of(p) <= CheckpointDumpAt.Of(p), &CheckpointFlushAt, &CheckpointDumpAt)
	need(CompactionTarget.Of(p) <= CompactionTriggerMax.Of(p), &CompactionTarget, &CompactionTriggerMax)
	need(BaselineSizeSmall.Of(p) <= BaselineSizeGoodFrom.Of(p), &BaselineSizeSmall, &BaselineSizeGoodFrom)
	need(BaselineSizeGoodFrom.Of(p) <= BaselineSizeGoodTo.Of(p), &BaselineSizeGoodFrom, &BaselineSizeGoodTo)
	need(BaselineSizeGoodTo.Of(p) <= BaselineSizeLarge.Of(p), &BaselineSizeGoodTo, &BaselineSizeLarge)
	keep, hold := TrashGrace.Of(p), TrashRetention.Of(p)
	need(hold == 0 || keep <= hold, &TrashGrace, &TrashRetention)
	return errors.Join(errs...)
}

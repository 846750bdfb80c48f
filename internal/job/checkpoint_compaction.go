package job

import (
	"math"

	"tend/internal/policy"
)

// Compaction is when a harness flushes memory before it compacts: once what is left of the
// window is down to the reserve and the soft threshold.
type Compaction struct {
	Window  int `json:"window"`
	Reserve int `json:"reserve"`
	Soft    int `json:"soft"`
}

// Trigger is the number of tokens at which the flush fires.
func (c Compaction) Trigger() int { return c.Window - c.Reserve - c.Soft }

// Share is the trigger as a share of the window.
func (c Compaction) Share() float64 {
	if c.Window <= 0 {
		return 0
	}
	return float64(c.Trigger()) / float64(c.Window)
}

// Late reports whether the flush fires later than the policy allows.
func (c Compaction) Late(p policy.Policy) bool { return c.Share() > policy.CompactionTriggerMax.Of(p) }

// Never reports settings under which no sensible flush can happen: the reserve and the
// threshold together are the whole window.
func (c Compaction) Never() bool { return c.Trigger() <= 0 }

// Better are settings for the same window that fire at the policy's target.
func (c Compaction) Better(p policy.Policy) Compaction {
	keep := c.Window - int(math.Round(policy.CompactionTarget.Of(p)*float64(c.Window)))
	soft := min(policy.CompactionSoftTokens.Of(p), keep/2)
	return Compaction{Window: c.Window, Reserve: keep - soft, Soft: soft}
}

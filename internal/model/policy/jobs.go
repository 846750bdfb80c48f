package policy

import "time"

// Permissions.
var (
	Automation = choice("automation", AutomationMaintain, []AutomationLevel{AutomationOff, AutomationMaintain, AutomationCurate}, doc{
		"what Tend may do by itself: off (nothing), maintain (moves that lose nothing), curate (also promote and prune)",
		"the harness wants off, Memory v4.6 maintain, the OpenClaw protocol curate"})
	Promotion = choice("promotion", PromotionAuto, []PromotionMode{PromotionAuto, PromotionPropose}, doc{
		"whether curation writes its picks or leaves them as proposals for the operator",
		"Memory v4.6: no promotion without approval; the OpenClaw protocol promotes nightly"})
	CuratorMay = choice("curator.may", CuratorExtract, []CuratorLevel{CuratorSuggest, CuratorExtract, CuratorRewrite}, doc{
		"what a curator's checked answer does by itself: suggest (nothing), extract (quotes, on lines of the agent and Tend), " +
			"rewrite (also its own words)",
		"Tend"})
	CuratorWindow = whole("curator.window", Tokens, 60_000, span{2000, 2_000_000, ""}, doc{
		"most tokens of one request to a curator; a longer log is offered in several",
		"Tend: fits every current model"})
	CuratorRequests = whole("curator.requests", Count, 4, span{1, 1000, ""}, doc{
		"most requests to a curator in one night; what is left is offered the next night",
		"Tend"})
)

// AutomationLevel is what Tend may do without being asked.
type AutomationLevel string

// The levels, each including the one before.
const (
	AutomationOff      AutomationLevel = "off"
	AutomationMaintain AutomationLevel = "maintain"
	AutomationCurate   AutomationLevel = "curate"
)

// PromotionMode is what happens to a curator's picks.
type PromotionMode string

// The modes of promotion.
const (
	PromotionAuto    PromotionMode = "auto"
	PromotionPropose PromotionMode = "propose"
)

// Curation and pruning.
var (
	CurateMin = whole("curate.min", Count, 3, span{0, 1000, ""}, doc{
		"learnings a night's curation aims for at least; fewer are taken when fewer are worth it",
		"OpenClaw protocol: 3-8"})
	CurateMaxPerNight = whole("curate.max_per_night", Count, 5, span{1, 1000, ""}, doc{
		"most learnings one night's curation may add to the hot file",
		"Tend: five a day; the OpenClaw protocol: 3-8"})
	CurateTimeout = duration("curate.timeout", Duration(10*time.Minute), span{float64(time.Second), float64(time.Hour), ""}, doc{
		"how long a curator may take for all requests of a night",
		"Tend"})
	PruneImmunity = duration("prune.immunity", Day, span{float64(time.Hour), float64(year), ""}, doc{
		"age below which pruning touches no entry",
		"OpenClaw protocol: 24 h"})
	PruneDoneAfter = duration("prune.done_after", 7*Day, span{float64(Day), float64(10 * year), "never"}, doc{
		"age after which a finished task may be pruned",
		"OpenClaw protocol: 7 days"})
	PruneMaxLossRun = ratio("prune.max_loss_run", Fraction, 0.25, span{0.01, 1, ""}, doc{
		"largest share of a file's entries one run may remove",
		"OpenClaw dreaming: 25 % of the entries before"})
	PruneMaxLoss30d = ratio("prune.max_loss_30d", Fraction, 0.50, span{0.01, 1, ""}, doc{
		"largest share of a file's entries that may be removed within 30 days",
		"Tend: small losses add up"})
	ReplayIdle = duration("replay.idle", Duration(time.Hour), span{float64(time.Minute), float64(30 * Day), "never"}, doc{
		"quiet time after which the day so far is replayed: pending tagged entries, a full buffer",
		"OpenClaw protocol: quiet-time replay"})
	ReviewDays = whole("review.days", Count, 7, span{1, 366, ""}, doc{
		"days of logs the weekly review reads",
		"Memory v4: last 7 days"})
)

// Context pressure.
var (
	CheckpointBufferAt = ratio("checkpoint.buffer_at", Fraction, 0.60, span{0.05, 1, ""}, doc{
		"share of the context window at which unsaved context goes to the buffer",
		"OpenClaw protocol: 60 %"})
	CheckpointFlushAt = ratio("checkpoint.flush_at", Fraction, 0.75, span{0.05, 1, ""}, doc{
		"share of the context window at which the harness's own flush is expected",
		"OpenClaw protocol: about 75 %"})
	CheckpointDumpAt = ratio("checkpoint.dump_at", Fraction, 0.80, span{0.05, 1, ""}, doc{
		"share of the context window at which everything unsaved goes to daily log and session state",
		"OpenClaw protocol: 80 %"})
	CheckpointEveryResponses = whole("checkpoint.every_responses", Count, 3, span{1, 1000, ""}, doc{
		"responses between two checks of the context's fill level",
		"OpenClaw protocol: every 3rd response"})
	CheckpointLargeOutputTokens = whole("checkpoint.large_output_tokens", Tokens, 5000, span{100, 1_000_000, ""}, doc{
		"tool output above which the context's fill level is checked at once",
		"OpenClaw protocol: 5K tokens"})
	CompactionTriggerMax = ratio("compaction.trigger_max", Fraction, 0.80, span{0.05, 1, ""}, doc{
		"share of the window above which a harness's flush trigger is too late",
		"OpenClaw protocol: before the dump at 80 %"})
	CompactionTarget = ratio("compaction.target", Fraction, 0.75, span{0.05, 1, ""}, doc{
		"share of the window at which the flush should trigger",
		"OpenClaw protocol: 150K of 200K"})
	CompactionWindow = whole("compaction.window", Tokens, 200_000, span{1000, 100_000_000, ""}, doc{
		"context window assumed when the harness does not say",
		"OpenClaw protocol: 200K"})
	CompactionSoftTokens = whole("compaction.soft_tokens", Tokens, 10_000, span{0, 10_000_000, ""}, doc{
		"softThresholdTokens to set in OpenClaw at least",
		"OpenClaw protocol: 10,000"})
	OpenClawReserveTokens = whole("openclaw.reserve_tokens", Tokens, 20_000, span{0, 10_000_000, ""}, doc{
		"reserveTokensFloor OpenClaw uses when its configuration does not set it",
		"OpenClaw source: 20,000"})
	OpenClawSoftTokens = whole("openclaw.soft_tokens", Tokens, 4_000, span{0, 10_000_000, ""}, doc{
		"softThresholdTokens OpenClaw uses when its configuration does not set it",
		"OpenClaw source: 4,000"})
)

func jobKeys() []key {
	return []key{
		&Protocol, &Automation, &Promotion, &Curator, &CuratorMay, &CuratorWindow, &CuratorRequests, &CuratorKeyFile,
		&CurateMin, &CurateMaxPerNight, &CurateTimeout,
		&PruneImmunity, &PruneDoneAfter, &PruneMaxLossRun, &PruneMaxLoss30d, &ReplayIdle, &ReviewDays,
		&CheckpointBufferAt, &CheckpointFlushAt, &CheckpointDumpAt, &CheckpointEveryResponses, &CheckpointLargeOutputTokens,
		&CompactionTriggerMax, &CompactionTarget, &CompactionWindow, &CompactionSoftTokens,
		&OpenClawReserveTokens, &OpenClawSoftTokens,
	}
}

// CuratorLevel is how much of a curator's answer is applied without a person.
type CuratorLevel string

// The levels, each including the one before.
const (
	CuratorSuggest CuratorLevel = "suggest"
	CuratorExtract CuratorLevel = "extract"
	CuratorRewrite CuratorLevel = "rewrite"
)

package job

import (
	"fmt"

	"tend/internal/finding"
)

// Audit looks at everything that can go wrong with a memory and says pass or flag to
// each. It is given no way to write, and idle days are no problem to it.
func Audit(in Input) Report { return run(auditChecks(), in) }

// Words are how the report of an audit ends.
func (r Report) Words() string {
	if r.Flagged() == 0 {
		return "All clear."
	}
	if r.Flagged() == 1 {
		return fmt.Sprintf("%d pass, 1 flag", r.Passed())
	}
	return fmt.Sprintf("%d pass, %d flags", r.Passed(), r.Flagged())
}

// auditChecks is the registry: the eight checks of the OpenClaw protocol, then Tend's own.
func auditChecks() []check {
	return []check{
		{finding.SessionAge, "the session state is fresh", hasSession, sessionAge},
		{finding.ObservationsSize, "observations are within their limit", hasObservations, observationsSize},
		{finding.DailyLog, "a day with work has its log", hasDaily, dailyLog},
		{finding.JobErrors, "no job ended in an error", nil, jobErrors},
		{finding.FileAge, "memory files are in use", agesFiles, fileAge},
		{finding.MemoryAge, "what was logged reaches the memory file", agesMemory, memoryAge},
		{finding.BufferLeft, "the buffer was taken in", hasBuffer, bufferLeft},
		{finding.InjectedSize, "loaded files are well below the size at which they are cut", nil, injectedSize},

		{finding.PreviewLoss, "the model sees loaded files whole", nil, previewLoss},
		{finding.PastLogs, "past logs are as they were", hasDaily, pastLogs},
		{finding.Vanished, "nothing left the memory file unseen", hasHot, vanished},
		{finding.Schedule, "jobs run when they should", nil, scheduleKept},
		{finding.CompactionEntry, "each compaction has its entry in the log", hasDaily, compactionEntry},
		{finding.SecretAtRest, "no secrets stand in memory", scansSecrets, secretsAtRest},
		{finding.InjectionAtRest, "no text in memory gives orders", nil, injectionAtRest},
		{finding.HiddenText, "all text in memory can be seen", nil, hiddenText},
		{finding.UnreadFile, "every memory file can be read", nil, unreadFile},
		{finding.NothingSeen, "memory is where the layout looks for it", nil, nothingSeen},
		{finding.Drift, "the operator's text is unchanged", hasBaseline, baselineDrift},
	}
}

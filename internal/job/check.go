package job

import "tend/internal/finding"

// Check checks a memory's invariants: what must be true of its files at any time for
// an agent to rely on them.
func Check(in Input) Report { return run(checkRules(), in) }

// checkRules is the registry: the invariants of Memory v4 and its successors, and Tend's own.
func checkRules() []check {
	return []check{
		{finding.HotFile, "the always-loaded file exists", wantsHot, hotFile},
		{finding.HotLines, "the always-loaded file is within its lines", countsHot, hotLines},
		{finding.FileHeader, "files begin as the layout wants", hasHeaders, fileHeaders},
		{finding.TagsLine, "tags are where they are looked for", wantsTags, tagsLine},
		{finding.TagsVocabulary, "tags are of the vocabulary", wantsTags, tagsVocabulary},
		{finding.LastVerified, "files were verified lately", wantsVerified, lastVerified},
		{finding.Expired, "entries hold today", nil, expiredEntries},
		{finding.BufferSize, "the buffer is within its limits", hasBuffer, bufferSize},
		{finding.BufferHeader, "the buffer has its header", wantsBufferHeader, bufferHeader},
		{finding.OpenQuestions, "few questions are open", countsQuestions, openQuestions},
		{finding.ClosureBlocks, "logs end with one closure block", wantsClosure, closureBlocks},
		{finding.DecisionLinks, "links of active decisions resolve", hasHot, decisionLinks},
		{finding.LogCount, "old logs are archived", hasDaily, logCount},
		{finding.WALOrphans, "no work was left behind in the buffer", hasBuffer, walOrphans},
		{finding.TasksBroken, "the list of tasks can be read", hasTasks, brokenTasks},
		{finding.Leftovers, "nothing half-done lies about", nil, leftovers},
	}
}

package audit

import (
	"maps"
	"slices"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/text/layout/loadview"
)

// Examine checks everything about a memory in one report: the audit's checks, the invariants, and what Tend keeps of it.
// Every command that judges a memory uses it, or a part of it.
func Examine(in job.Input) Report { return run(examineChecks(), in) }

// ExamineOnly returns an examination of some topics or codes that does only their work, and the names it does not know.
func ExamineOnly(names []string) (look func(job.Input) Report, unknown []string) {
	want := map[string]bool{}
	all := examineChecks()
	for _, n := range names {
		if kinds, ok := topics()[n]; ok {
			for _, k := range kinds {
				want[k.Code] = true
			}
			continue
		}
		if !slices.ContainsFunc(all, func(c check) bool { return c.kind.Code == n }) {
			unknown = append(unknown, n)
		}
		want[n] = true
	}
	some := slices.DeleteFunc(all, func(c check) bool { return !want[c.kind.Code] })
	return func(in job.Input) Report { return run(some, in) }, unknown
}

func examineChecks() []check {
	records := foundElsewhere(func(l *inspection) []finding.Finding { return l.Facts.Audit.Records })
	stored := foundElsewhere(func(l *inspection) []finding.Finding { return l.Facts.Audit.Stored })
	return slices.Concat(auditChecks(), checkRules(), []check{
		{finding.LedgerBroken, "the ledger's chain holds", looksAtRecords, records},
		{finding.ArchiveDamaged, "archives are as they were written", looksAtRecords, records},
		{finding.PackDamaged, "what left the trash is whole", looksAtRecords, records},
		{finding.HistoryBroken, "no damaged git history was set aside", looksAtRecords, records},
		{finding.SetAside, "nothing odd was set aside", looksAtRecords, records},
		{finding.StoreLeftOut, "every memory file is in the store", inStore, stored},
		{finding.StoreForeign, "the store has nothing that Tend did not write", inStore, stored},
	})
}

func looksAtRecords(l *inspection) bool { return l.Facts.Audit.Records != nil }

func looksAtWorld(l *inspection) bool { return l.Facts.Audit.World != nil }

func worldDrift(l *inspection) []finding.Finding { return l.Facts.Audit.World }

func inStore(l *inspection) bool { return l.Facts.Audit.Stored != nil }

// foundElsewhere is a check for findings that were made elsewhere.
func foundElsewhere(list func(*inspection) []finding.Finding) func(*inspection) {
	return func(l *inspection) {
		for _, f := range list(l) {
			if f.Code == l.kind.Code {
				l.flags = append(l.flags, f)
			}
		}
	}
}

// deadReads looks at the files that the harness loads: an instruction elsewhere reaches nobody.
func deadReads(l *inspection) {
	var loaded []vault.Path
	for _, f := range l.inject().Files {
		if f.Reason != loadview.NotThere && f.Reason != loadview.Unreadable {
			loaded = append(loaded, vault.Path(f.Name))
		}
	}
	l.flags, l.notJudged = append(l.flags, job.DeadReads(l.Input, loaded)...), job.Unfound(l.Input, loaded)
}

// topics are the parts of an examination that can be selected by name.
func topics() map[string][]finding.Kind {
	return map[string][]finding.Kind{
		"shown":     {finding.HarnessExcludes, finding.HarnessWillExclude, finding.PreviewLoss, finding.InjectedSize, finding.UnreadFile},
		"secrets":   {finding.SecretAtRest},
		"injection": {finding.InjectionAtRest, finding.HiddenText},
		"links":     {finding.DeadLink, finding.DecisionLinks},
		"age":       {finding.FileAge, finding.MemoryAge, finding.SessionAge, finding.LastVerified, finding.Expired, finding.LogCount},
		"size":      {finding.Oversize, finding.InjectedSize, finding.BufferSize, finding.ObservationsSize, finding.OpenQuestions},
		"form":      {finding.FileHeader, finding.TagsLine, finding.TagsVocabulary, finding.BufferHeader, finding.ClosureBlocks},
		"baseline":  {finding.Drift, finding.HotFile},
		"history":   {finding.PastLogs, finding.RewriteLost, finding.CompactionEntry},
		"kept":      {finding.LedgerBroken, finding.ArchiveDamaged, finding.PackDamaged, finding.HistoryBroken, finding.SetAside},
		"store":     {finding.StoreLeftOut, finding.StoreForeign},
		"world":     {finding.WorldDrift},
		"jobs": {
			finding.Overdue, finding.Overfiring, finding.JobErrors, finding.BufferLeft, finding.WALOrphans, finding.Leftovers, finding.DailyLog,
		},
	}
}

// Topics lists the parts of an examination.
func Topics() []string { return slices.Sorted(maps.Keys(topics())) }

// Nightly reports whether the audit that runs every night looks for a code, so that a finding it did not have is new.
func Nightly(code string) bool {
	return slices.ContainsFunc(auditChecks(), func(c check) bool { return c.kind.Code == code })
}

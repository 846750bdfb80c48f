package job

import (
	"slices"

	"tend/internal/finding"
	"tend/internal/plan"
)

// Examine is everything there is to say about a memory, in one report: the audit's checks, the invariants, and what
// cannot all be true across files. Every command that judges a memory asks for this, or for a part of it.
func Examine(in Input) Report { return run(examineChecks(), in) }

func examineChecks() []check {
	compared := func(kind finding.Kind) func(*look) []finding.Finding {
		return func(l *look) []finding.Finding {
			var out []finding.Finding
			for _, f := range l.compare().Findings {
				if f.Code == kind.Code {
					out = append(out, f)
				}
			}
			return out
		}
	}
	all := slices.Concat(auditChecks(), checkRules(), []check{
		{finding.Contradiction, "no two statements contradict each other", nil, compared(finding.Contradiction)},
		{finding.DeadLink, "links lead to files", nil, compared(finding.DeadLink)},
		{finding.TwoHomes, "each fact has one home", nil, compared(finding.TwoHomes)},
		{finding.LedgerBroken, "the ledger's chain holds", looksAtKept, kept(finding.LedgerBroken)},
		{finding.ArchiveDamaged, "archives are as they were written", looksAtKept, kept(finding.ArchiveDamaged)},
		{finding.PackDamaged, "what left the trash is whole", looksAtKept, kept(finding.PackDamaged)},
		{finding.HistoryBroken, "no damaged git history was set aside", looksAtKept, kept(finding.HistoryBroken)},
		{finding.SetAside, "nothing odd was set aside", looksAtKept, kept(finding.SetAside)},
		{finding.StoreLeftOut, "every memory file is in the store", inStore, stored(finding.StoreLeftOut)},
		{finding.StoreForeign, "the store has nothing that Tend did not write", inStore, stored(finding.StoreForeign)},
	})
	for i, c := range all {
		if c.kind.Code == finding.InjectedSize.Code || c.kind.Code == finding.HotLines.Code {
			all[i].find = unlessCut(c.find)
		}
		if c.kind.Code == finding.BufferLeft.Code {
			all[i].find = func(l *look) []finding.Finding {
				if len(walOrphans(l)) > 0 {
					return nil // work left behind says more than a buffer that is not empty
				}
				return c.find(l)
			}
		}
	}
	return all
}

func looksAtKept(l *look) bool { return l.Facts.Audit.Kept != nil }

func inStore(l *look) bool { return l.Facts.Audit.Stored != nil }

func stored(kind finding.Kind) func(*look) []finding.Finding {
	return func(l *look) []finding.Finding { return of(kind, l.Facts.Audit.Stored) }
}

func of(kind finding.Kind, list []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f finding.Finding) bool { return f.Code != kind.Code })
}

func kept(kind finding.Kind) func(*look) []finding.Finding {
	return func(l *look) []finding.Finding { return of(kind, l.Facts.Audit.Kept) }
}

// unlessCut leaves out advice on the size of a file that is so large that the harness cuts it: that is said already.
func unlessCut(find func(*look) []finding.Finding) func(*look) []finding.Finding {
	return func(l *look) []finding.Finding {
		cut := map[string]bool{}
		for _, f := range previewLoss(l) {
			cut[f.File] = true
		}
		return slices.DeleteFunc(find(l), func(f finding.Finding) bool { return cut[f.File] })
	}
}

// compare is what Compare finds, worked out once.
func (l *look) compare() plan.Plan {
	if l.compared == nil {
		pl := Compare(l.Input)
		l.compared = &pl
	}
	return *l.compared
}

// topics are the parts of an examination that can be asked for by name.
var topics = map[string][]finding.Kind{
	"shown":          {finding.PreviewLoss, finding.InjectedSize, finding.UnreadFile},
	"secrets":        {finding.SecretAtRest},
	"injection":      {finding.InjectionAtRest, finding.HiddenText},
	"contradictions": {finding.Contradiction, finding.TwoHomes},
	"links":          {finding.DeadLink, finding.DecisionLinks},
	"age":            {finding.FileAge, finding.MemoryAge, finding.SessionAge, finding.LastVerified, finding.Expired, finding.LogCount},
	"size":           {finding.HotLines, finding.InjectedSize, finding.BufferSize, finding.ObservationsSize, finding.OpenQuestions},
	"form":           {finding.FileHeader, finding.TagsLine, finding.TagsVocabulary, finding.BufferHeader, finding.ClosureBlocks},
	"baseline":       {finding.Drift, finding.HotFile},
	"history":        {finding.PastLogs, finding.Vanished, finding.CompactionEntry},
	"kept":           {finding.LedgerBroken, finding.ArchiveDamaged, finding.PackDamaged, finding.HistoryBroken, finding.SetAside},
	"store":          {finding.StoreLeftOut, finding.StoreForeign},
	"jobs":           {finding.Schedule, finding.JobErrors, finding.BufferLeft, finding.WALOrphans, finding.Leftovers, finding.DailyLog},
}

// Topics lists the parts of an examination.
func Topics() []string {
	var names []string
	for name := range topics {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Only keeps the checks of some topics, or with these codes. Unknown names are returned.
func (r Report) Only(names []string) (kept Report, unknown []string) {
	want := map[string]bool{}
	for _, n := range names {
		if kinds, ok := topics[n]; ok {
			for _, k := range kinds {
				want[k.Code] = true
			}
			continue
		}
		if !slices.ContainsFunc(examineChecks(), func(c check) bool { return c.kind.Code == n }) {
			unknown = append(unknown, n)
		}
		want[n] = true
	}
	for _, v := range r {
		if want[v.Check] {
			kept = append(kept, v)
		}
	}
	return kept, unknown
}

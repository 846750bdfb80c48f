package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/engine/schedule"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// Audit checks for everything that can go wrong with a memory and passes or flags each. It
// cannot write, and idle days are not a problem.
func Audit(in job.Input) Report { return run(auditChecks(), in) }

// Words is the summary of an audit.
func (r Report) Words() string {
	if r.Flagged() == 0 {
		return fmt.Sprintf("%d pass", r.Passed())
	}
	if r.Flagged() == 1 {
		return fmt.Sprintf("%d pass, 1 flag", r.Passed())
	}
	return fmt.Sprintf("%d pass, %d flags", r.Passed(), r.Flagged())
}

// auditChecks is the registry: the eight checks of the OpenClaw protocol, then Tend's own.
func auditChecks() []check {
	return []check{
		{finding.SessionAge, "the session state is fresh", agesSession, sessionAge},
		{finding.ObservationsSize, "observations are within their limit", countsObservations, observationsSize},
		{finding.DailyLog, "a day with work has its log", keepsLogs, dailyLog},
		{finding.JobErrors, "no job ended in an error", nil, jobErrors},
		{finding.FileAge, "memory files are in use", agesFiles, fileAge},
		{finding.MemoryAge, "what was logged reaches the memory file", agesMemory, memoryAge},
		{finding.BufferLeft, "the buffer was taken in", emptiesBuffer, bufferLeft},
		{finding.InjectedSize, "loaded files are well below the size at which they are cut", nil, injectedSize},

		{finding.HarnessExcludes, "the harness loads the memory it should", nil, recorded(finding.HarnessExcludes)},
		{finding.HarnessWillExclude, "the harness will go on loading memory", nil, recorded(finding.HarnessWillExclude)},
		{finding.PreviewLoss, "the model sees loaded files whole", nil, previewLoss},
		{finding.WorldDrift, "what memory names on this machine is there", looksAtWorld, foundElsewhere(worldDrift)},
		{finding.PastLogs, "past logs are as they were", keepsLogs, pastLogs},
		{finding.Overdue, "no job is overdue", nil, overdue},
		{finding.Overfiring, "no job runs too often", nil, overfiring},
		{finding.CompactionEntry, "each compaction has its entry in the log", keepsLogs, compactionEntry},
		{finding.SecretAtRest, "no secrets are in memory", scansSecrets, scanned(scan.Secret)},
		{finding.InjectionAtRest, "no text in memory gives orders", nil, scanned(scan.Injection, scan.Exfil)},
		{finding.HiddenText, "all text in memory can be seen", nil, scanned(scan.Hidden)},
		{finding.UnreadFile, "every memory file can be read", nil, unreadFile},
		{finding.DeadLink, "what the agent is told to read is there", nil, deadReads},
		{finding.NothingSeen, "memory is where the layout looks for it", nil, nothingSeen},
		{finding.Drift, "the operator's text is unchanged", hasBaseline, baselineDrift},
	}
}

func jobErrors(l *inspection) {
	for _, name := range slices.Sorted(maps.Keys(l.Facts.Audit.Errors)) {
		l.flag("", "%s: %s", name, scan.Quote(l.Facts.Audit.Errors[name], 200))
	}
}

// overdue finds jobs that a keeper has planned and not run. Without a keeper jobs are run by hand.
func overdue(l *inspection) {
	for _, s := range l.slots() {
		if due, planned := l.Facts.Audit.Due[s.Job]; planned && l.Now.Sub(due) > policy.ScheduleGrace.Of(l.Policy).Std() {
			l.flag("", "%s has been overdue since %s", s.Job, due.In(l.Now.Location()).Format(textfmt.Minute))
		}
	}
}

// overfiring finds jobs that run far more often than they are due.
func overfiring(l *inspection) {
	factor := policy.ScheduleOverfire.Of(l.Policy)
	if factor <= 0 {
		return
	}
	for _, s := range l.slots() {
		fired := l.Facts.Fired[s.Job]
		if float64(fired) <= factor {
			continue // counting the due slots is expensive
		}
		if due := s.Count(l.Now.Add(-24*time.Hour), l.Now); float64(fired) > factor*float64(max(1, due)) {
			l.flag("", "%s ran %d times in 24 h, %d were due (%s)", s.Job, fired, due, s.Spec)
		}
	}
}

// slots are the scheduled jobs. The configuration has been checked, so that a schedule that cannot be read has none.
func (l *inspection) slots() []schedule.Entry {
	var parser schedule.Parser
	slots, err := parser.Entries(l.Agent, l.Facts.Audit.Scheduled, l.Policy, l.Now.Location())
	if err != nil {
		return nil
	}
	return slots
}

func scansSecrets(l *inspection) bool { return policy.Secrets.Of(l.Policy) != policy.SecretsOff }

// scanned reports hits of some classes in all files. Instructions in the operator's own text
// are its purpose; secrets and hidden characters do not belong even there.
func scanned(classes ...scan.Class) func(*inspection) {
	return func(l *inspection) {
		for _, d := range l.All() {
			for _, h := range l.hits(d) {
				operators := h.Class == scan.Injection && h.Start < l.Owned(d)
				switch {
				case !slices.Contains(classes, h.Class) || operators:
				case h.Class == scan.Secret:
					l.flagAt(d.Path, h.Line, "%s: %s", h.Rule, nearest(h.Excerpt))
				default:
					l.flagAt(d.Path, h.Line, "%s (%s: %s)", strings.TrimSuffix(h.What, "."), h.Rule, h.Excerpt)
				}
			}
		}
	}
}

// injectedSize flags files that the harness will soon cut. What it cuts already is reported as such.
// nearest is the excerpt of a secret up to its masked value, with only the words right before it: the rest of such a line
// often has more that nobody should see.
func nearest(excerpt string) string {
	before, _, found := strings.Cut(excerpt, scan.Masked)
	if !found {
		return excerpt
	}
	if label := []rune(before); len(label) > labelRunes {
		before = "…" + string(label[len(label)-labelRunes:])
	}
	return before + scan.Masked
}

// labelRunes is how much of a line stands before a masked value: its label.
const labelRunes = 24

func injectedSize(l *inspection) {
	r := l.inject()
	most, share := policy.HotMaxChars.Of(l.Policy), policy.SizeFlagAt.Of(l.Policy)
	total, cut := 0, false
	for _, f := range r.Files {
		if f.Reason == loadview.NotThere {
			continue
		}
		total += f.Raw
		cut = cut || cuts(f)
		role, _ := l.Layout.RoleOf(f.Name)
		limit := f.Limit
		if bounded := limit > 0 || r.Total > 0 || role == layout.Hot; bounded {
			limit = lower(limit, most)
		}
		if limit > 0 && float64(f.Raw) > share*float64(limit) && !cuts(f) {
			l.flag(vault.Path(f.Name), "%d of at most %d %s", f.Raw, limit, units(r.Unit))
		}
	}
	if all := lower(r.Total, policy.TotalMaxChars.Of(l.Policy)); all > 0 && float64(total) > share*float64(all) && !cut {
		l.flag("", "all loaded files have %d of at most %d %s together", total, all, units(r.Unit))
	}
	if policy.Protocol.Of(l.Policy) == policy.ProtocolNone { // nothing is cut yet: advice, unless a protocol asks for more
		for i := range l.flags {
			l.flags[i].Severity = finding.Info
		}
	}
}

// lower returns the lower of two limits, of which 0 is none.
func lower(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

func units(u layout.Unit) string {
	if u == layout.Bytes {
		return "bytes"
	}
	return "characters"
}

// recorded reports files that the harness excludes, or will, by its own records.
func recorded(kind finding.Kind) func(*inspection) {
	return func(l *inspection) {
		for _, p := range slices.Sorted(maps.Keys(l.Facts.Audit.Recorded)) {
			if f, ok := l.Facts.Audit.Recorded[p].Finding(l.File(p), l.Now); ok && f.Code == kind.Code {
				l.flag(p, "%s", f.Text)
			}
		}
	}
}

// cuts reports whether the harness shows only a part of a file.
func cuts(f loadview.Injected) bool {
	return f.Lost > 0 && f.Reason != loadview.Unreadable && f.Reason != loadview.Excluded
}

func previewLoss(l *inspection) {
	r := l.inject()
	for _, f := range r.Files {
		if cuts(f) {
			lines := f.LostLines()
			if lines != "" {
				lines = ": lines " + lines
			}
			l.flag(vault.Path(f.Name), "the model does not see %d of %d %s%s", f.Lost, f.Raw, units(r.Unit), lines)
		}
	}
}

// unreadFile lists memory files that Tend could not read, and files that the harness refuses.
func unreadFile(l *inspection) {
	reported := map[vault.Path]bool{}
	for _, f := range l.inject().Files {
		if f.Reason != loadview.Unreadable {
			continue
		}
		p := vault.Path(f.Name)
		reported[p] = true
		why := l.Facts.Unread[p]
		if why == "" {
			why = l.Layout.Show.Refuses[string(l.kindOf(p))]
		}
		if why == "" {
			why = "it is too large"
		}
		l.flag(vault.Path(f.Name), "the harness will not read it: %s", why)
	}
	for _, d := range l.All() {
		if l.garbled(d) && !reported[d.Path] {
			l.flag(d.Path, "%s", scan.Unreadable(d.Data))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(l.Facts.Unread)) {
		if _, memory := l.Layout.RoleOf(string(p)); (memory || l.holdsMemory(p)) && !reported[p] {
			l.flag(p, "it was not read: %s", l.Facts.Unread[p])
		}
	}
}

// holdsMemory reports whether memory files belong into a folder.
func (l *inspection) holdsMemory(p vault.Path) bool {
	return slices.ContainsFunc(layout.Roles(), func(r layout.Role) bool {
		return strings.HasPrefix(l.Layout.Path(r, l.Today().String()), string(p)+"/")
	})
}

// kindOf returns the kind of a file on disk, which some harnesses check.
func (l *inspection) kindOf(p vault.Path) loadview.Kind {
	if k := l.Facts.Audit.Links[p]; k != loadview.Plain {
		return k
	}
	if l.File(p).Links > 1 {
		return loadview.Hardlink
	}
	return loadview.Plain
}

// nothingSeen reports a workspace whose memory the layout does not read.
func nothingSeen(l *inspection) {
	if why := l.Facts.Audit.Unread; why != "" {
		l.flag("", "%s", why)
	}
}

// pastLogs compares the logs of past days with their versions when the day was over, or with
// those that a later action left.
func pastLogs(l *inspection) {
	for _, p := range slices.Sorted(maps.Keys(l.Facts.Audit.Sealed)) {
		want, d := l.Facts.Audit.Sealed[p], l.File(p)
		if left, ok := l.Facts.Audit.Left[p]; ok && !left.At.Before(want.At) {
			want = left
		}
		_, unread := l.Facts.Unread[p]
		switch {
		case unread || d.Version == want.Version:
		case d.Version == vault.Absent:
			l.flag(p, "it is gone")
		default:
			l.flag(p, "it was changed after its day was over")
		}
	}
}

// compactionEntry checks for an entry on each day on which the harness compacted a session:
// anything not written down by then is only in its summary.
func compactionEntry(l *inspection) {
	reported := map[note.Day]bool{}
	for _, t := range l.Facts.Audit.Compacted {
		day := note.DayOf(t, l.Now.Location())
		if reported[day] || day > l.Today() || l.logged(day) {
			continue
		}
		reported[day] = true
		l.flag(vault.Path(l.Layout.Path(layout.Daily, day.String())), "a session was compacted at %s and the log of that day has no entry",
			t.In(l.Now.Location()).Format(textfmt.Minute))
	}
}

// baselineDrift compares guarded files with their baselines. A file that could not be compared is reported.
func baselineDrift(l *inspection) {
	for _, p := range slices.Sorted(maps.Keys(l.Baselines)) {
		d, baseline := l.File(p), l.Baselines[p]
		if head, large := l.Facts.Heads[p]; large {
			d = head
		}
		if baseline == nil {
			continue
		}
		if why, unread := l.Facts.Unread[p]; unread && d.Version == vault.Absent {
			l.flags = append(l.flags, finding.UnreadFile.In(string(p), "it was not compared with its baseline: %s", why))
			continue
		}
		if d.Version == vault.Absent {
			l.flags = append(l.flags, job.Missing(p))
			continue
		}
		// The previously approved baseline is not drift: the next reset replaces it.
		sep := l.Line(p, baseline)
		z, _ := job.Guarded{Doc: d, Baseline: baseline, Former: l.Facts.Audit.Former[p]}.Zones(sep)
		if !z.Equal && (z.Drift || !z.Marked) {
			l.flags = append(l.flags, job.Drift(p, baseline, z, sep))
		}
	}
}

package job

import (
	"maps"
	"slices"
	"strings"

	"tend/internal/claim"
	"tend/internal/finding"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/vault"
	"tend/internal/words"
)

// pastLogs compares the logs of past days with what they were when their day was over, or
// against what an action has made of them since.
func pastLogs(l *look) []finding.Finding {
	var out []finding.Finding
	for _, p := range slices.Sorted(maps.Keys(l.Facts.Audit.Sealed)) {
		want, d := l.Facts.Audit.Sealed[p], l.File(p)
		if left, ok := l.Facts.Audit.Left[p]; ok && !left.At.Before(want.At) {
			want = left
		}
		_, unread := l.Facts.Unread[p]
		switch {
		case unread || d.Version == want.Version:
		case d.Version == vault.Absent:
			out = append(out, finding.PastLogs.In(string(p), "it is gone"))
		default:
			out = append(out, finding.PastLogs.In(string(p), "it was changed after its day was over"))
		}
	}
	return out
}

// vanished looks for entries that stood in the memory file after Tend's last action on it
// and stand nowhere now. An entry that was reworded or moved to another file is still there.
func vanished(l *look) []finding.Finding {
	p := l.Sole(layout.Hot)
	known, ok := l.Facts.Known[p]
	if !ok || known == nil || vault.VersionOf(known) == l.File(p).Version {
		return nil
	}
	was := l.Owned(vault.Doc{Path: p, Data: known, Version: vault.VersionOf(known)})
	var missing []note.Entry
	here := map[string]bool{}
	for _, e := range l.doc(l.File(p)).Entries(0) {
		here[e.Normal()] = true
	}
	for _, e := range l.Syntax(p).Parse(known).Entries(0) {
		if e.Start >= was && !here[e.Normal()] {
			missing = append(missing, e)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	everywhere, memory := l.known(), l.memory()
	var out []finding.Finding
	for _, e := range missing {
		if g := e.Gist(); !everywhere.stands(e.Normal(), g) && !memory.reworded(e) {
			out = append(out, finding.Vanished.In(string(p), "gone: %s", words.Clip(strings.Join(strings.Fields(e.Text()), " "), 100)))
		}
	}
	return out
}

// reworded reports whether memory says the same in other words, or something newer of the same subject: somebody has
// brought the entry up to date.
func (m *memory) reworded(e note.Entry) bool {
	was := claim.Read(e.Text(), 0)
	return slices.ContainsFunc(m.near(e.Text()), func(h *held) bool {
		no, _ := claim.Contradict(h.said(), was)
		over, _ := claim.Supersedes(h.said(), was)
		return no || over || claim.Same(h.said(), was)
	})
}

// stands reports whether the words, or words much like them, stand in a file now.
func (k *known) stands(normal string, g note.Gist) bool {
	return k.words[normal] || slices.ContainsFunc(k.gists, func(o note.Gist) bool { return o.Alike(g, k.similar) })
}

// compactionEntry wants an entry on each day on which the harness compacted a session: what
// was not written down by then is only in its summary.
func compactionEntry(l *look) []finding.Finding {
	var out []finding.Finding
	told := map[note.Day]bool{}
	for _, t := range l.Facts.Audit.Compacted {
		day := note.DayOf(t, l.Now.Location())
		if told[day] || day > l.Today() || l.logged(day) {
			continue
		}
		told[day] = true
		out = append(out, finding.CompactionEntry.In(l.Layout.Path(layout.Daily, day.String()), "a session was compacted at %s and the log of that day has no entry", t.In(l.Now.Location()).Format(words.Minute)))
	}
	return out
}

// baselineDrift compares guarded files with their baselines. A file that could not be compared is reported.
func baselineDrift(l *look) []finding.Finding {
	var out []finding.Finding
	for _, p := range slices.Sorted(maps.Keys(l.Baselines)) {
		d, baseline := l.File(p), l.Baselines[p]
		if head, large := l.Facts.Heads[p]; large {
			d = head
		}
		if baseline == nil {
			continue
		}
		if why, unread := l.Facts.Unread[p]; unread && d.Version == vault.Absent {
			out = append(out, finding.UnreadFile.In(string(p), "it was not compared with its baseline: %s", why))
			continue
		}
		if d.Version == vault.Absent {
			out = append(out, Missing(p))
			continue
		}
		// The baseline that was approved before is no drift: the next reset puts the new one in place.
		z, _ := Guarded{Doc: d, Baseline: baseline, Former: l.Facts.Audit.Former[p]}.Zones(policy.BaselineSeparator.Of(l.Policy))
		if !z.Equal && (z.Drift || !z.Marked) {
			diff := driftDiff(p, operators(baseline, l.Policy), z.Above())
			out = append(out, finding.Drift.In(string(p), "%s", driftText(p, z)).WithDiff(diff))
		}
	}
	return out
}

package job

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Archive moves daily logs to the workspace's archive once they are as old as
// daily.archive_after, by the date in their name. A file without a date is not a log.
func Archive(in Input) plan.Plan {
	d := newDraft(in, "archive")
	d.pl.Summary = d.archiveLogs()
	return d.plan()
}

func (d *draft) archiveLogs() string {
	after := policy.DailyArchiveAfter.Of(d.Policy)
	if after <= 0 {
		return "daily logs are never archived: daily.archive_after"
	}
	moved, waiting := 0, 0
	for _, log := range d.Logs() {
		age := d.Today().Sub(log.Day)
		if _, named := note.DayInName(string(log.Path)); !named || age < days(after) {
			continue
		}
		if age < 2*days(after) && d.awaited(log) {
			waiting++
			continue
		}
		to := d.freeArchive(log)
		if to == "" {
			return fmt.Sprintf("layout %s has no archive", d.Layout.Ref())
		}
		d.set(to, log.Data, "archive a log of "+log.Day.String())
		d.remove(log.Path, "moved to "+string(to))
		moved++
	}
	if waiting > 0 {
		d.find(finding.LogsWait.In("", "%s with tagged entries that were not promoted yet", several(waiting, "log")))
	}
	if moved == 0 {
		return "no log is old enough"
	}
	return several(moved, "log") + " archived"
}

// ledgers are the files of the scratch tier that stay in use, by name.
var ledgers = []string{"ERRORS.md", "LEARNINGS.md", "FEATURE_REQUESTS.md"}

// archiveScratch moves other files of the scratch tier to the archive once nothing was added
// to them for daily.archive_after. A file with a pinned entry stays.
func (d *draft) archiveScratch() (string, bool) {
	after := policy.DailyArchiveAfter.Of(d.Policy)
	moved := 0
	for _, doc := range d.WithRoles(layout.Learnings) {
		if after <= 0 || slices.Contains(ledgers, doc.Path.Base()) {
			continue
		}
		day, named := note.DayInName(string(doc.Path))
		if !named {
			day = note.DayOf(doc.ModTime, d.Now.Location())
		}
		pinned := false
		for _, e := range d.Parse(doc).Entries(0) {
			pinned = pinned || e.Pinned
			if dated(e) {
				day = max(day, e.Day)
			}
		}
		to := d.freeArchive(Log{Doc: doc, Day: day})
		if pinned || d.Today().Sub(day) < days(after) || to == "" {
			continue
		}
		d.set(to, doc.Data, "archive scratch notes of "+day.String())
		d.remove(doc.Path, "moved to "+string(to))
		moved++
	}
	return several(moved, "scratch file") + " archived", moved > 0
}

// awaited reports whether curation still has to take entries from a log. If nothing is promoted
// automatically there is nothing to wait for.
func (d *draft) awaited(log Log) bool {
	if !mayCurate(d.Policy) {
		return false
	}
	r, _ := d.read(log, d.Facts.Receipts)
	memory := d.standing()
	return slices.ContainsFunc(r.marked, func(c candidate) bool {
		return c.sure && !memory.says(c.normal()) && flagged(c.text, []candidate{c}) == ""
	})
}

// freeArchive returns a name in the archive that is free, or already has this text.
func (d *draft) freeArchive(log Log) vault.Path {
	base := log.Path.Base()
	stem := strings.TrimSuffix(base, path.Ext(base))
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", stem, n, path.Ext(base))
		}
		p := vault.Path(d.Layout.ArchivePath(name, log.Day.String()))
		if p == "" {
			return ""
		}
		_, unread := d.Facts.Unread[p]
		if doc := d.File(p); !unread && (doc.Version == vault.Absent || bytes.Equal(doc.Data, log.Data)) {
			return p
		}
	}
}

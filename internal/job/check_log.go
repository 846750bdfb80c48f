package job

import (
	"maps"
	"path"
	"slices"

	"tend/internal/finding"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/tasks"
	"tend/internal/vault"
	"tend/internal/words"
)

func bufferSize(l *look) []finding.Finding {
	d := l.File(l.Sole(layout.Buffer))
	if why := overBuffer(l.Input, d.Data); why != "" {
		return []finding.Finding{finding.BufferSize.In(string(d.Path), "%s", why)}
	}
	return nil
}

func wantsBufferHeader(l *look) bool {
	_, ok := l.Layout.Header(layout.Buffer)
	return ok && hasBuffer(l)
}

func bufferHeader(l *look) []finding.Finding {
	d := l.File(l.Sole(layout.Buffer))
	if d.Version == vault.Absent || note.ParseBuffer(d.Data, l.Now.Location()).Valid {
		return nil
	}
	return []finding.Finding{finding.BufferHeader.In(string(d.Path), "it should begin with a title, created, last_active and a blank line")}
}

// walOrphans looks for entries of work that nobody goes on with: what was written before
// a reply that never came.
func walOrphans(l *look) []finding.Finding {
	d := l.File(l.Sole(layout.Buffer))
	b := note.ParseBuffer(d.Data, l.Now.Location())
	switch {
	case b.Empty():
	case b.LastActive.After(l.Now.Add(skew)):
		return []finding.Finding{finding.WALOrphans.In(string(d.Path), "its last_active %s is in the future", b.LastActive.In(l.Now.Location()).Format(words.Minute))}
	case l.leftBehind(d, b):
		return []finding.Finding{finding.WALOrphans.In(string(d.Path), "%s left behind", entries(len(note.Parse(b.Notes()).Entries(0))))}
	}
	return nil
}

func hasTasks(l *look) bool { return path.Ext(l.Layout.Path(layout.Tasks, "")) == ".json" }

// brokenTasks looks for a list of open work that nothing can read: a harness would take it for empty and write over it.
func brokenTasks(l *look) []finding.Finding {
	d := l.File(l.Sole(layout.Tasks))
	if d.Version == vault.Absent {
		return nil
	}
	if _, err := tasks.Parse(d.Data); err != nil {
		return []finding.Finding{finding.TasksBroken.In(string(d.Path), "%v", err)}
	}
	return nil
}

func wantsClosure(l *look) bool { return hasDaily(l) && len(l.Layout.Closure) > 0 }

func closureBlocks(l *look) []finding.Finding {
	var out []finding.Finding
	for _, log := range l.Logs() {
		cs := l.doc(log.Doc).Closures()
		switch {
		case len(cs) == 0:
			out = append(out, finding.ClosureBlocks.In(string(log.Path), "it has no closure block"))
		case len(cs) > 1:
			out = append(out, finding.ClosureBlocks.In(string(log.Path), "it has %d closure blocks", len(cs)).AtLine(cs[0].Line))
		case !cs[0].AtEnd:
			out = append(out, finding.ClosureBlocks.In(string(log.Path), "text follows its closure block").AtLine(cs[0].Line))
		case cs[0].Updated.IsZero():
			out = append(out, finding.ClosureBlocks.In(string(log.Path), "its closure block says no date of update").AtLine(cs[0].Line))
		}
	}
	return out
}

// logCount asks the archive job itself what it would move.
func logCount(l *look) []finding.Finding {
	var out []finding.Finding
	for _, c := range Archive(l.Input).Changes {
		if c.Op == plan.Remove {
			out = append(out, finding.LogCount.In(string(c.Path), "it should be in the archive by now"))
		}
	}
	return out
}

// leftover is how tools name what they have not finished.
var leftover = expr(`^(.*)\.(pending|rotating|lock|tmp|tmp\.[0-9]+)$`)

// leftovers lists half-done work beside memory files. A lock file elsewhere is none of ours.
func leftovers(l *look) []finding.Finding {
	folders := map[string]bool{}
	for p := range l.Files {
		if _, ok := l.Layout.RoleOf(string(p)); ok && p.Dir() != "" {
			folders[string(p.Dir())] = true
		}
	}
	var out []finding.Finding
	for _, p := range slices.Sorted(maps.Keys(l.Facts.Audit.Others)) {
		m := leftover().FindStringSubmatch(string(p))
		if m == nil {
			continue
		}
		if _, of := l.Layout.RoleOf(m[1]); of || folders[path.Dir(string(p))] {
			out = append(out, finding.Leftovers.In(string(p), "left by something that was cut off"))
		}
	}
	return out
}

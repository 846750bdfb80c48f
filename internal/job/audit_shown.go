package job

import (
	"maps"
	"slices"
	"strings"

	"tend/internal/finding"
	"tend/internal/layout"
	"tend/internal/layout/inject"
	"tend/internal/policy"
	"tend/internal/vault"
)

func injectedSize(l *look) []finding.Finding {
	r := l.inject()
	most, all := policy.HotMaxChars.Of(l.Policy), policy.TotalMaxChars.Of(l.Policy)
	var out []finding.Finding
	total := 0
	for _, f := range r.Files {
		if f.Reason == inject.NotThere {
			continue
		}
		total += f.Raw
		role, _ := l.Layout.RoleOf(f.Name)
		bounded := f.Limit > 0 || r.Total > 0 || role == layout.Hot
		if bounded && most > 0 && f.Raw > most {
			out = append(out, finding.InjectedSize.In(f.Name, "%d %s, flagged above %d", f.Raw, units(r.Unit), most))
		}
	}
	if all > 0 && total > all {
		out = append(out, finding.InjectedSize.In("", "all loaded files have %d %s together, flagged above %d", total, units(r.Unit), all))
	}
	return out
}

func units(u layout.Unit) string {
	if u == layout.Bytes {
		return "bytes"
	}
	return "characters"
}

func previewLoss(l *look) []finding.Finding {
	r := l.inject()
	var out []finding.Finding
	for _, f := range r.Files {
		if f.Lost > 0 && f.Reason != inject.Unreadable {
			lines := f.LostLines()
			if lines != "" {
				lines = ": lines " + lines
			}
			out = append(out, finding.PreviewLoss.In(f.Name, "%d of %d %s are not shown%s", f.Lost, f.Raw, units(r.Unit), lines))
		}
	}
	return out
}

// unreadFile lists memory files that Tend could not read and files the harness refuses.
func unreadFile(l *look) []finding.Finding {
	var out []finding.Finding
	told := map[vault.Path]bool{}
	for _, f := range l.inject().Files {
		if f.Reason != inject.Unreadable {
			continue
		}
		p := vault.Path(f.Name)
		told[p] = true
		why := l.Facts.Unread[p]
		if why == "" {
			why = l.Layout.Show.Refuses[string(l.kindOf(p))]
		}
		if why == "" {
			why = "it is too large"
		}
		out = append(out, finding.UnreadFile.In(f.Name, "the harness will not read it: %s", why))
	}
	for _, p := range slices.Sorted(maps.Keys(l.Facts.Unread)) {
		if _, memory := l.Layout.RoleOf(string(p)); (memory || l.holdsMemory(p)) && !told[p] {
			out = append(out, finding.UnreadFile.In(string(p), "it was not read: %s", l.Facts.Unread[p]))
		}
	}
	return out
}

// holdsMemory tells a folder that memory files belong in from all others.
func (l *look) holdsMemory(p vault.Path) bool {
	return slices.ContainsFunc(layout.Roles(), func(r layout.Role) bool {
		return strings.HasPrefix(l.Layout.Path(r, l.Today().String()), string(p)+"/")
	})
}

// kindOf is what a file is on disk, where some harnesses mind.
func (l *look) kindOf(p vault.Path) inject.Kind {
	if k := l.Facts.Audit.Links[p]; k != inject.Plain {
		return k
	}
	if l.File(p).Links > 1 {
		return inject.Hardlink
	}
	return inject.Plain
}

// nothingSeen reports a workspace whose memory the layout does not read.
func nothingSeen(l *look) []finding.Finding {
	if why := l.Facts.Audit.Unread; why != "" {
		return []finding.Finding{finding.NothingSeen.In("", "%s", why)}
	}
	return nil
}

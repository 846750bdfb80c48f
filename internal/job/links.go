package job

import (
	"path"
	"regexp"
	"strings"

	"tend/internal/finding"
	"tend/internal/note"
	"tend/internal/vault"
)

var (
	markdownLink = expr(`\]\(([^)\s#]+)(?:#[^)]*)?\)`)
	wikiLink     = expr(`\[\[([^\]|#]+)`)
	quotedPath   = expr("`([\\w./-]+\\.md)`")
)

// deadLinks finds links of the long-term files that lead to no file. A log that has
// moved to the archive is still there.
func (in Input) deadLinks() []finding.Finding {
	archived := map[string]bool{}
	for p := range in.Files {
		if in.archived(p) {
			archived[p.Base()] = true
		}
	}
	var out []finding.Finding
	for _, doc := range in.Of(longTerm()...) {
		if _, guarded := in.Baselines[doc.Path]; guarded {
			continue // the operator's text may speak of files that are elsewhere
		}
		d := in.Parse(doc)
		for _, b := range d.Blocks {
			if b.Kind == note.Code || b.Kind == note.Comment {
				continue
			}
			raw := string(d.Raw(b))
			for _, re := range []*regexp.Regexp{markdownLink(), wikiLink(), quotedPath()} {
				for _, m := range re.FindAllStringSubmatchIndex(raw, -1) {
					target := raw[m[2]:m[3]]
					if !in.leads(doc.Path, target, archived) {
						line := b.Line + strings.Count(raw[:m[0]], "\n")
						out = append(out, finding.DeadLink.In(string(doc.Path), "%s does not exist", target).AtLine(line))
					}
				}
			}
		}
	}
	return out
}

// template reports whether a path stands for many: memory/YYYY-MM-DD.md is how a log is named, and no log.
func template(target string) bool {
	return strings.ContainsAny(target, "{}<>*$…") || strings.Contains(target, "YYYY") || strings.Contains(target, "yyyy-") || strings.Contains(target, "...")
}

// leads reports whether a link ends at a file of the workspace, or is none of ours to judge.
func (in Input) leads(from vault.Path, target string, archived map[string]bool) bool {
	target = strings.TrimPrefix(target, "./")
	if template(target) {
		return true
	}
	if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") || path.IsAbs(target) || strings.HasPrefix(target, "~") {
		return true
	}
	names := []string{target}
	switch path.Ext(target) {
	case "":
		names = append(names, target+".md")
	case ".md":
	default:
		return true // only memory was read
	}
	for _, name := range names {
		for _, p := range []string{path.Join(string(from.Dir()), name), path.Clean(name)} {
			if _, ok := in.Files[vault.Path(p)]; ok {
				return true
			}
			if _, ok := in.Facts.Unread[vault.Path(p)]; ok {
				return true
			}
		}
		if archived[path.Base(name)] {
			return true
		}
	}
	// A bare word without a folder or ending is no path.
	return path.Ext(target) == "" && !strings.Contains(target, "/")
}

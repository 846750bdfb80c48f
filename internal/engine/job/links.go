package job

import (
	"path"
	"regexp"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

var (
	markdownLink = expr(`\]\(([^)\s#]+)(?:#[^)]*)?\)`)
	wikiLink     = expr(`\[\[([^\]|#]+)`)
	quotedPath   = expr("`([\\w./-]+\\.md)`")
)

// deadLinks finds links of the long-term files to missing files.
func deadLinks(in Input) []finding.Finding {
	archived := archivedNames(in)
	var out []finding.Finding
	for _, doc := range in.Of(longTerm()...) {
		if _, guarded := in.Baselines[doc.Path]; guarded {
			continue // the operator's text may name files that are elsewhere
		}
		d := in.Parse(doc)
		for _, b := range d.Parts {
			if b.Kind == note.Code || b.Kind == note.Comment {
				continue
			}
			for _, l := range brokenLinks(in, doc.Path, string(d.Raw(b)), archived) {
				out = append(out, finding.DeadLink.In(string(doc.Path), "%s does not exist", l.Target).AtLine(b.Line+l.Line))
			}
		}
	}
	return out
}

// Link is a link in a text, with the number of lines before it.
type Link struct {
	Target string
	Line   int
}

// BrokenLinks returns the links in a text of a file to missing files.
func BrokenLinks(in Input, from vault.Path, text string) []Link {
	return brokenLinks(in, from, text, archivedNames(in))
}

func brokenLinks(in Input, from vault.Path, text string, archived map[string]bool) []Link {
	var out []Link
	for _, re := range []*regexp.Regexp{markdownLink(), wikiLink(), quotedPath()} {
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			if target := text[m[2]:m[3]]; !leads(in, from, target, archived) {
				out = append(out, Link{target, strings.Count(text[:m[0]], "\n")})
			}
		}
	}
	return out
}

// archivedNames returns the names of files in the archive: a log that has moved there still exists.
func archivedNames(in Input) map[string]bool {
	names := map[string]bool{}
	for _, d := range in.Of(layout.Archive) {
		names[d.Path.Base()] = true
	}
	return names
}

// template reports whether a path is a pattern: memory/YYYY-MM-DD.md is how logs are named, not a log.
func template(target string) bool {
	return strings.ContainsAny(target, "{}<>*$…") || strings.Contains(target, "YYYY") || strings.Contains(target, "yyyy-") || strings.Contains(target, "...")
}

// leads reports whether a link leads to a file of the workspace, or cannot be judged here.
func leads(in Input, from vault.Path, target string, archived map[string]bool) bool {
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
	// A bare word without a folder or extension is not a path.
	return path.Ext(target) == "" && !strings.Contains(target, "/")
}

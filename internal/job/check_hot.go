package job

import (
	"regexp"
	"strings"

	"tend/internal/finding"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/vault"
)

// wantsHot: a layout that says how the file begins, an operator with a baseline for it, or a text that it once had want
// it to exist; elsewhere an agent may simply have nothing to say yet.
func wantsHot(l *look) bool {
	p := l.Sole(layout.Hot)
	_, headed := l.Layout.Header(layout.Hot)
	_, guarded := l.Baselines[p]
	return p != "" && (headed || guarded || l.Facts.Audit.HotGone)
}

func hotFile(l *look) []finding.Finding {
	p := l.Sole(layout.Hot)
	if why, unread := l.Facts.Unread[p]; unread {
		return []finding.Finding{finding.HotFile.In(string(p), "it could not be read: %s", why)}
	}
	switch {
	case l.File(p).Version != vault.Absent:
		return nil
	case l.Facts.Audit.HotGone:
		return []finding.Finding{Gone(p)}
	}
	return []finding.Finding{finding.HotFile.In(string(p), "the file is missing")}
}

// Gone reports a memory file that has disappeared.
func Gone(p vault.Path) finding.Finding {
	return finding.HotFile.In(string(p), "%s is missing; `tend restore %s` brings back its last text", p, p)
}

// countsHot: lines do not count where the operator's baseline is part of the file, as pruning has it too.
func countsHot(l *look) bool {
	return hasHot(l) && policy.HotMaxLines.Of(l.Policy) > 0 && l.Baselines[l.Sole(layout.Hot)] == nil
}

func hotLines(l *look) []finding.Finding {
	d, most := l.File(l.Sole(layout.Hot)), policy.HotMaxLines.Of(l.Policy)
	if n := note.Lines(d.Data); n > most {
		return []finding.Finding{finding.HotLines.In(string(d.Path), "%d lines, the limit is %d", n, most)}
	}
	return nil
}

// lasting are the roles whose entries are taken for true whenever they are read.
var lasting = []layout.Role{
	layout.Hot, layout.User, layout.Tools, layout.Semantic, layout.Procedural, layout.Decisions, layout.Lessons, layout.Observations,
}

// expiredEntries lists what says of itself that it holds no longer.
func expiredEntries(l *look) []finding.Finding {
	var out []finding.Finding
	for _, d := range l.Of(lasting...) {
		line := l.Owned(d)
		for _, e := range l.doc(d).Entries(0) {
			if e.Start >= line && e.Expired(l.Today()) {
				out = append(out, finding.Expired.In(string(d.Path), "held until %s: %s", e.Until(), briefly(e)).AtLine(e.Line))
			}
		}
	}
	return out
}

func countsQuestions(l *look) bool { return hasHot(l) && policy.QuestionsMax.Of(l.Policy) > 0 }

// openQuestions counts what stands under a heading of open questions, and entries marked
// as questions anywhere else.
func openQuestions(l *look) []finding.Finding {
	d := l.File(l.Sole(layout.Hot))
	doc := l.doc(d)
	n := 0
	for _, e := range doc.Entries(0) {
		if e.Task == note.DoneTask {
			continue
		}
		asked := strings.HasPrefix(e.Text(), "❓")
		for s := e.Section; s >= 0 && !asked; s = doc.Sections[s].Parent {
			asked = strings.Contains(strings.ToLower(doc.Sections[s].Title), "open question")
		}
		if asked && !strings.EqualFold(strings.Trim(e.Text(), " ."), "none") {
			n++
		}
	}
	if most := policy.QuestionsMax.Of(l.Policy); n > most {
		return []finding.Finding{finding.OpenQuestions.In(string(d.Path), "%d open questions, the limit is %d", n, most)}
	}
	return nil
}

// decisionLinks follows the links in the hot file's section of active decisions.
func decisionLinks(l *look) []finding.Finding {
	d := l.File(l.Sole(layout.Hot))
	doc := l.doc(d)
	archived := map[string]bool{}
	for _, a := range l.Of(layout.Archive) {
		archived[a.Path.Base()] = true
	}
	var out []finding.Finding
	for _, s := range doc.Sections {
		if !strings.Contains(strings.ToLower(s.Title), "active decision") {
			continue
		}
		body := string(doc.Text[s.Body:s.End])
		for _, re := range []*regexp.Regexp{markdownLink(), wikiLink(), quotedPath()} {
			for _, m := range re.FindAllStringSubmatchIndex(body, -1) {
				if target := body[m[2]:m[3]]; !l.leads(d.Path, target, archived) {
					line := s.Line + 1 + strings.Count(body[:m[0]], "\n")
					out = append(out, finding.DecisionLinks.In(string(d.Path), "%s does not exist", target).AtLine(line))
				}
			}
		}
	}
	return out
}

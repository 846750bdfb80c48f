package audit

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/engine/job/write"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/scan"
	"tend/internal/text/tasks"
)

// Check checks a memory's invariants: what must always be true of its files for an agent to
// rely on them.
func Check(in job.Input) Report { return run(checkRules(), in) }

// checkRules is the registry: the invariants of Memory v4 and its successors, and Tend's own.
func checkRules() []check {
	return []check{
		{finding.HotFile, "the always-loaded file exists", wantsHot, hotFile},
		{finding.Oversize, "the always-loaded file is within the policy's limits", countsHot, hotLines},
		{finding.FileHeader, "files begin as the layout wants", hasHeaders, fileHeaders},
		{finding.TagsLine, "tags are where they are looked for", wantsTags, tagsLine},
		{finding.TagsVocabulary, "tags are of the vocabulary", wantsTags, tagsVocabulary},
		{finding.LastVerified, "files were verified lately", wantsVerified, lastVerified},
		{finding.Expired, "entries hold today", nil, expiredEntries},
		{finding.BufferSize, "the buffer is within its limits", countsBuffer, bufferSize},
		{finding.BufferHeader, "the buffer has its header", wantsBufferHeader, bufferHeader},
		{finding.OpenQuestions, "few questions are open", countsQuestions, openQuestions},
		{finding.ClosureBlocks, "logs end with one closure block", wantsClosure, closureBlocks},
		{finding.DecisionLinks, "links of active decisions resolve", followsV4, decisionLinks},
		{finding.LogCount, "old logs are archived", archivesLogs, logCount},
		{finding.WALOrphans, "no work was left behind in the buffer", writesAhead, walOrphans},
		{finding.TasksBroken, "the list of tasks can be read", hasTasks, brokenTasks},
		{finding.Leftovers, "no leftovers of interrupted work", followsV4, leftovers},
	}
}

func followsV4(l *inspection) bool { return hasHot(l) && l.follows(policy.ProtocolV4) }

// wantsHot: the file must exist if the layout says how it begins, if it has a baseline, or if it once had a text; otherwise
// the agent may simply have nothing to say yet.
func wantsHot(l *inspection) bool {
	p := l.Sole(layout.Hot)
	_, headed := l.Layout.Header(layout.Hot)
	_, guarded := l.Baselines[p]
	return p != "" && (headed || guarded || l.Facts.Audit.HotGone)
}

func hotFile(l *inspection) {
	p := l.Sole(layout.Hot)
	if why, unread := l.Facts.Unread[p]; unread {
		l.flag(p, "it could not be read: %s", why)
		return
	}
	switch {
	case l.File(p).Version != vault.Absent:
	case l.Facts.Audit.HotGone:
		l.flags = append(l.flags, Gone(p))
	default:
		l.flag(p, "the file is missing")
	}
}

// Gone reports a memory file that has disappeared.
func Gone(p vault.Path) finding.Finding {
	return finding.HotFile.In(string(p), "%s is missing; `tend restore %s` brings back its last text", p, p)
}

// countsHot: lines do not count if the operator's baseline is part of the file, as in pruning.
func countsHot(l *inspection) bool {
	return hasHot(l) && policy.HotMaxLines.Of(l.Policy) > 0 && l.Baselines[l.Sole(layout.Hot)] == nil
}

func hotLines(l *inspection) {
	d, most := l.File(l.Sole(layout.Hot)), policy.HotMaxLines.Of(l.Policy)
	if n := note.Lines(d.Data); n > most {
		l.flag(d.Path, "%d lines, the limit is %d", n, most)
	}
}

// lasting are the roles of files whose entries are always read as true.
var lasting = []layout.Role{
	layout.Hot, layout.User, layout.Tools, layout.Semantic, layout.Procedural, layout.Decisions, layout.Lessons, layout.Observations,
}

// expiredEntries lists entries past the date they name.
func expiredEntries(l *inspection) {
	for _, d := range l.WithRoles(lasting...) {
		line := l.Owned(d)
		for _, e := range l.Parse(d).Entries(0) {
			if e.Start >= line && e.Expired(l.Today()) {
				l.flagAt(d.Path, e.Line, "held until %s: %s", e.Until(), scan.Quote(e.Text(), 80))
			}
		}
	}
}

func countsQuestions(l *inspection) bool { return hasHot(l) && policy.QuestionsMax.Of(l.Policy) > 0 }

// openQuestions counts the entries under a heading of open questions, and entries marked as
// questions elsewhere.
func openQuestions(l *inspection) {
	d := l.File(l.Sole(layout.Hot))
	doc := l.Parse(d)
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
		l.flag(d.Path, "%d open questions, the limit is %d", n, most)
	}
}

// decisionLinks follows the links in the hot file's section of active decisions.
func decisionLinks(l *inspection) {
	d := l.File(l.Sole(layout.Hot))
	doc := l.Parse(d)
	for _, s := range doc.Sections {
		if !strings.Contains(strings.ToLower(s.Title), "active decision") {
			continue
		}
		for _, b := range job.BrokenLinks(l.Input, d.Path, string(doc.Text[s.Body:s.End])) {
			l.flagAt(d.Path, s.Line+1+b.Line, "%s does not exist", b.Target)
		}
	}
}

func bufferSize(l *inspection) {
	d := l.File(l.Sole(layout.Buffer))
	if why := write.OverBuffer(l.Input, d.Data); why != "" {
		l.flag(d.Path, "%s", why)
	}
}

func wantsBufferHeader(l *inspection) bool { return job.WantsBufferHeader(l.Input) }

func bufferHeader(l *inspection) {
	d := l.File(l.Sole(layout.Buffer))
	if d.Version == vault.Absent || note.ParseBuffer(d.Data, l.Now.Location()).Valid {
		return
	}
	l.flag(d.Path, "it should begin with a title, created, last_active and a blank line")
}

// walOrphans finds abandoned work in the buffer: text written before a reply that never came.
func walOrphans(l *inspection) {
	if why := l.orphaned(); why != "" {
		l.flag(l.Sole(layout.Buffer), "%s", why)
	}
}

// orphaned says why the buffer has abandoned work, "" if it does not.
func (l *inspection) orphaned() string {
	d := l.File(l.Sole(layout.Buffer))
	b := note.ParseBuffer(d.Data, l.Now.Location())
	switch {
	case b.Empty():
	case b.LastActive.After(l.Now.Add(skew)):
		return fmt.Sprintf("its last_active %s is in the future", b.LastActive.In(l.Now.Location()).Format(textfmt.Minute))
	case l.LeftBehind(d, b):
		if n := abandoned(b.Notes()); n > 0 {
			return textfmt.Count(n, "entry") + " left behind"
		}
	}
	return ""
}

// abandoned counts the entries of a buffer other than checkpoints: those are what was saved, not work in progress.
func abandoned(text []byte) int {
	d := note.Parse(text)
	n := 0
	for _, e := range d.Entries(0) {
		if e.Section < 0 || !write.IsCheckpoint(d.Sections[e.Section].Title) {
			n++
		}
	}
	return n
}

func hasTasks(l *inspection) bool { return path.Ext(l.Layout.Path(layout.Tasks, "")) == ".json" }

// brokenTasks finds an unreadable list of open work: a harness would take it for empty and overwrite it.
func brokenTasks(l *inspection) {
	d := l.File(l.Sole(layout.Tasks))
	if d.Version == vault.Absent {
		return
	}
	if _, err := tasks.Parse(d.Data); err != nil {
		l.flag(d.Path, "%v", err)
	}
}

func wantsClosure(l *inspection) bool { return job.WantsClosure(l.Input) }

func closureBlocks(l *inspection) {
	for _, log := range l.Logs() {
		cs := l.Parse(log.Doc).Closures()
		switch {
		case len(cs) == 0:
			l.flag(log.Path, "it has no closure block")
		case len(cs) > 1:
			l.flagAt(log.Path, cs[0].Line, "it has %d closure blocks", len(cs))
		case !cs[0].AtEnd:
			l.flagAt(log.Path, cs[0].Line, "text follows its closure block")
		case cs[0].Updated.IsZero():
			l.flagAt(log.Path, cs[0].Line, "its closure block has no valid date")
		}
	}
}

func archivesLogs(l *inspection) bool {
	return hasDaily(l) && policy.DailyArchiveAfter.Of(l.Policy) > 0
}

// logCount flags what the archive job would move.
func logCount(l *inspection) {
	for _, c := range job.Archive(l.Input).Changes {
		if c.Op == plan.Remove {
			l.flag(c.Path, "it should be in the archive by now")
		}
	}
}

// leftover matches the names that tools give unfinished files.
var leftover = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*)\.(pending|rotating|lock|tmp|tmp\.[0-9]+)$`)
})

// leftovers lists unfinished work beside memory files. Lock files elsewhere do not matter.
func leftovers(l *inspection) {
	folders := map[string]bool{}
	for p := range l.Files {
		if _, ok := l.Layout.RoleOf(string(p)); ok && p.Dir() != "" {
			folders[string(p.Dir())] = true
		}
	}
	for _, p := range slices.Sorted(maps.Keys(l.Facts.Audit.Others)) {
		m := leftover().FindStringSubmatch(string(p))
		if m == nil {
			continue
		}
		if _, of := l.Layout.RoleOf(m[1]); of || folders[path.Dir(string(p))] {
			l.flag(p, "left by an interrupted program")
		}
	}
}

func hasHeaders(l *inspection) bool {
	return slices.ContainsFunc(l.Layout.Headers, layout.Header.FixesTitle)
}
func wantsTags(l *inspection) bool {
	return slices.ContainsFunc(l.Layout.Headers, layout.Header.HasTags)
}
func wantsVerified(l *inspection) bool {
	return slices.ContainsFunc(l.Layout.Headers, layout.Header.HasVerified)
}

// fileHeaders compares exact headers line by line, and of all others the title, because the
// tags come right below it.
func fileHeaders(l *inspection) {
	for _, f := range job.HeadedFiles(l.Input, layout.Header.FixesTitle) {
		want := f.Rule.Lines
		if !f.Rule.Exact {
			want = want[:1]
		}
		have := f.Top(len(want))
		for i, w := range want {
			if i >= len(have) || !fitsLine(l.Input, w, have[i]) {
				l.flagAt(f.Path, i+1, "line %d should read %q", i+1, w)
				break
			}
		}
	}
}

// fitsLine reports whether a line matches one of the layout's, placeholders included.
func fitsLine(in job.Input, want, have string) bool {
	for name, ok := range map[string]func(string) bool{
		"{title}": func(v string) bool { return v != "" },
		"{tags}":  func(v string) bool { return true }, // tags are checked separately
		"{date}":  func(v string) bool { _, err := note.ParseDay(v); return err == nil },
		"{time}":  func(v string) bool { _, ok := note.ParseTime(v, in.Now.Location()); return ok },
	} {
		before, after, found := strings.Cut(want, name)
		if !found {
			continue
		}
		if have == strings.TrimRight(before, " ")+after {
			return ok("") // an empty value leaves no space
		}
		if !strings.HasPrefix(have, before) || !strings.HasSuffix(have, after) || len(have) < len(before)+len(after) {
			return false
		}
		return ok(strings.TrimSpace(have[len(before) : len(have)-len(after)]))
	}
	return want == have
}

func tagsLine(l *inspection) {
	for _, f := range job.HeadedFiles(l.Input, layout.Header.HasTags) {
		n := f.Rule.TagsLine()
		h, ok := l.Parse(f.Doc).Header("tags")
		switch {
		case !ok:
			l.flag(f.Path, "it has no #tags: line")
		case h.Line != n:
			l.flagAt(f.Path, h.Line, "its tags are on line %d, they belong on line %d", h.Line, n)
		case len(l.Parse(f.Doc).TagList()) == 0:
			l.flagAt(f.Path, h.Line, "its #tags: line is empty")
		}
	}
}

func tagsVocabulary(l *inspection) {
	closed := policy.TagsVocabulary.Of(l.Policy) == policy.VocabularyClosed
	known := policy.TagsFile.Of(l.Policy)
	for _, d := range l.All() {
		if role, ok := l.Layout.RoleOf(string(d.Path)); !ok || role == layout.Archive {
			continue
		}
		h, _ := l.Parse(d).Header("tags")
		for _, t := range l.Parse(d).TagList() {
			switch {
			case !job.IsTag(t):
				l.flagAt(d.Path, h.Line, "%q is not a tag: use letters, digits, - and _", t)
			case closed && !slices.Contains(known, strings.ToLower(t)):
				f := finding.TagsVocabulary.In(string(d.Path), "%q is not in the vocabulary", t).AtLine(h.Line)
				if near := policy.Nearest(t, known); near != "" {
					f.Text += ", did you mean " + near + "?"
				}
				l.flags = append(l.flags, f)
			}
		}
	}
}

// lastVerified checks for a date that is neither in the future nor as old as verify.max_age.
func lastVerified(l *inspection) {
	most := policy.VerifyMaxAge.Of(l.Policy)
	for _, f := range job.HeadedFiles(l.Input, layout.Header.HasVerified) {
		h, ok := l.Parse(f.Doc).Header("last_verified")
		if !ok {
			l.flag(f.Path, "it has no last_verified line")
			continue
		}
		day, err := note.ParseDay(strings.TrimSpace(h.Value))
		if t, ok := l.moment(h.Value); err != nil && ok {
			day, err = note.DayOf(t, l.Now.Location()), nil
		}
		switch age := l.Today().Sub(day); {
		case err != nil:
			l.flagAt(f.Path, h.Line, "%q is not a date", h.Value)
		case age < 0:
			l.flagAt(f.Path, h.Line, "%s is in the future", day)
		case most > 0 && age >= most.Days():
			l.flagAt(f.Path, h.Line, "verified %d days ago, it must be under %d", age, most.Days())
		}
	}
}

// Package write plans what agents and people want to save: notes in the day's log, the working buffer, the session's
// state, checkpoints; and the rules that tell an agent about them.
package write

import (
	"fmt"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Note adds entries to today's log, each with the time and its tags, unless they are already
// among its last ones. Bullets of the text become separate entries.
func Note(in job.Input, w Request) (plan.Plan, error) {
	pl := plan.Plan{Job: "note"}
	kept, err := w.prepare(in, layout.Daily, &pl)
	if err != nil {
		return pl, err
	}
	path, tags, recent := kept.doc.Path, kept.tags, kept.recent
	var fresh []string
	stamp := in.Now.Format("15:04")
	for _, piece := range pieces(in, kept.text) {
		if !slices.ContainsFunc(recent, func(e note.Entry) bool { return says(e, piece, tags, in) }) {
			fresh = append(fresh, entryLine(in, path, stamp, tags, piece))
		}
	}
	if len(fresh) == 0 {
		pl.Summary = fmt.Sprintf("%s has it already", path)
		return pl, nil
	}
	pl.Changes = []plan.Change{addLog(in, kept.doc, strings.Join(fresh, "\n"))}
	pl.Summary = fmt.Sprintf("%s: %s added", path, textfmt.Count(len(fresh), "entry"))
	pl.Findings = append(pl.Findings, tooLarge(in, pl)...)
	return pl, nil
}

// tooLarge reports a file that grows beyond what jobs and tools read: the text is kept, but
// nothing will read it.
func tooLarge(in job.Input, pl plan.Plan) []finding.Finding {
	var out []finding.Finding
	for _, c := range pl.Changes {
		n := len(c.New)
		if c.Op == plan.Append {
			n += len(c.Old)
		}
		if most := policy.FileMaxBytes.Of(in.Policy); n > most {
			out = append(out, finding.UnreadFile.In(string(c.Path), "it has %d bytes now; files above %d (file.max_bytes) are not read", n, most))
		}
	}
	return out
}

// RoleFile returns the file of a role, or why there is none.
func RoleFile(in job.Input, r layout.Role) (vault.Path, error) {
	if p := in.Sole(r); p != "" {
		return p, nil
	}
	return "", &job.Refusal{
		Why: fmt.Sprintf("layout %s has no place for %s", in.Layout.Ref(), roleWords[r]),
		Try: fmt.Sprintf("give it one in tend.yaml: layouts: {mine: {extends: %s, roles: {%s: %q}}}, and layout: mine for the agent",
			in.Layout.Ref(), r, usualFile[r]),
		Usage: true,
	}
}

// usualFile is where most layouts have a role's file.
var usualFile = map[layout.Role]string{
	layout.Daily: "memory/{date}.md", layout.Buffer: "memory/working-buffer.md", layout.Session: "memory/session-state.md",
	layout.Hot: "MEMORY.md",
}

var roleWords = map[layout.Role]string{
	layout.Daily: "daily logs", layout.Buffer: "a working buffer", layout.Session: "the session's state", layout.Hot: "an always-loaded file",
}

// entryTags checks the tags for an entry.
func entryTags(in job.Input, tags []string) ([]string, error) {
	known := policy.TagsEntry.Of(in.Policy)
	var out []string
	for _, t := range tags {
		t = strings.ToLower(strings.Trim(strings.TrimSpace(t), "[]#"))
		if !slices.Contains(known, t) {
			r := &job.Refusal{Why: fmt.Sprintf("%q is not a tag for entries", t),
				Try: "use " + strings.Join(known, ", ") + ", or let the operator add it to tags.entry", Usage: true}
			if near := policy.Nearest(t, known); near != "" {
				r.Try = "did you mean " + near + "?"
			}
			return nil, r
		}
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out, nil
}

// lastEntries returns the entries at the end of a log that a new entry is compared with.
func lastEntries(in job.Input, doc vault.Doc) []note.Entry {
	list := in.Parse(doc).Entries(in.Today())
	return list[max(0, len(list)-policy.NoteDedupe.Of(in.Policy)):]
}

// says reports whether an entry has the text and all its tags.
func says(e note.Entry, text string, tags []string, in job.Input) bool {
	mine := asEntry(in, text)
	for _, t := range append(slices.Clone(tags), mine.Tags...) {
		if !e.Has(t) {
			return false
		}
	}
	return e.Normal() == mine.Normal()
}

func asEntry(in job.Input, text string) note.Entry {
	s := in.Syntax("")
	s.Style = note.Bullets
	if list := s.Parse([]byte(bulleted(text))).Entries(0); len(list) > 0 {
		return list[0]
	}
	return note.Entry{Minute: -1}
}

// pieces splits a list into its items; any other text is one piece.
func pieces(in job.Input, text string) []string {
	s := in.Syntax("")
	s.Style = note.Bullets
	d := s.Parse([]byte(text))
	var out []string
	for _, b := range d.Parts {
		switch b.Kind {
		case note.Blank:
		case note.Bullet:
			out = append(out, unbulleted(string(d.Raw(b))))
		default:
			return []string{text}
		}
	}
	return out
}

// unbulleted removes the marker of a list item and the indentation of the lines below.
func unbulleted(raw string) string {
	body := strings.TrimLeft(raw, " \t")
	_, body, _ = strings.Cut(body, " ")
	body = strings.TrimLeft(body, " \t")
	width := len(raw) - len(body)
	lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
	for i, line := range lines[1:] {
		n := min(width, len(line)-len(strings.TrimLeft(line, " ")))
		lines[i+1] = line[n:]
	}
	return strings.Join(lines, "\n")
}

// bulleted turns a text into one list item, however many lines it has.
func bulleted(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case i == 0:
			lines[i] = "- " + line
		case strings.TrimSpace(line) != "":
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n")
}

// entryLine formats an entry for the layout. A time or tags that are in the text are not
// repeated.
func entryLine(in job.Input, p vault.Path, stamp string, tags []string, text string) string {
	own := asEntry(in, text)
	head := ""
	if stamp != "" && own.Minute < 0 && own.DayFrom != note.FromText {
		head = stamp + " "
	}
	marked := false
	for _, t := range tags {
		if !own.Has(t) {
			head += "[" + t + "] "
			marked = true
		}
	}
	if head != "" && !marked && !strings.HasPrefix(text, "[") {
		head += "- " // a bare time must be set off to be parsed as one
	}
	if in.Delimits(p) {
		return head + text
	}
	return bulleted(head + text)
}

// addLog returns the change that adds lines to a daily log: at its end or, if the log has a
// closure block, before that. A missing log is begun.
func addLog(in job.Input, doc vault.Doc, text string) plan.Change {
	c := plan.Change{Path: doc.Path, Op: plan.Write, Before: doc.Version, Old: doc.Data, Why: "add to the day's log"}
	if doc.Version == vault.Absent {
		c.New = closed(in, doc.Path, []byte(job.BeginFile(in, layout.Daily, in.Today().String())+text+"\n"+job.ClosingBlock(in, in.Today())),
			text)
		return c
	}
	e := job.Readable(in.Parse(doc), text)
	if e.At == len(doc.Data) {
		c.Op, c.New = plan.Append, []byte(e.Text)
		return c
	}
	c.New = closed(in, doc.Path, append(append(slices.Clip(doc.Data[:e.At]), e.Text...), doc.Data[e.At:]...), text)
	return c
}

// closed updates the closure block of a log for added lines: their decisions and lessons are named in place of "none", or
// after those it names.
func closed(in job.Input, p vault.Path, log []byte, added string) []byte {
	d := in.Syntax(p).Parse(log)
	c, ok := d.Closure()
	if !ok {
		return log
	}
	was := c.String()
	join := func(list *string, text string) {
		if text = strings.ReplaceAll(textfmt.Brief(text, 120), ";", ","); *list == "" || strings.EqualFold(*list, "none") || *list == "-" {
			*list = text
		} else if !strings.Contains(*list, text) {
			*list += "; " + text
		}
	}
	for _, e := range in.Syntax(p).Parse([]byte(added)).Entries(in.Today()) {
		if e.Has("decision") {
			join(&c.Decisions, e.Text())
		}
		if e.Has("lesson") || e.Has("surprise") {
			join(&c.Signal, e.Text())
		}
	}
	if c.String() == was {
		return log
	}
	out, err := note.Apply(log,
		[]note.Edit{{At: c.Start, Cut: c.End - c.Start, Text: strings.ReplaceAll(c.String(), "\n", note.Newline(log))}})
	if err != nil {
		return log
	}
	return out
}

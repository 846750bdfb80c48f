package transcript

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Section is what is kept of one day of a session: it goes into that day's log, fenced, because it is a record and no
// note of anybody.
type Section struct {
	Program Format
	Session string
	File    string // where the whole session is
	Day     string // 2006-01-02, in the agent's time zone
	Said    []Said
	Left    int // how many statements are only in the session's file
	Masked  int // secrets

	size int
}

// The characters of a statement that are kept.
const (
	mostUser  = 600
	mostAgent = 300
)

// Add adds a statement, and drops older ones when they have more characters than a section may have: the agent's first.
func (s *Section) Add(w Said, most int) {
	if w.User {
		w.Text = clipText(w.Text, mostUser)
	} else { // its layout is for reading now; what remains is for finding it again
		w.Text = clipText(oneLine(w.Text), mostAgent)
	}
	s.Said = append(s.Said, w)
	s.size += utf8.RuneCountInString(w.Text)
	for s.size > most && len(s.Said) > 1 {
		i := max(0, slices.IndexFunc(s.Said, func(w Said) bool { return !w.User }))
		s.size -= utf8.RuneCountInString(s.Said[i].Text)
		s.Said = slices.Delete(s.Said, i, i+1)
		s.Left++
	}
}

// Worth reports whether a person said something in it: more than yes, go on, or are you there.
func (s *Section) Worth() bool {
	const least = 12 // characters
	return slices.ContainsFunc(s.Said, func(w Said) bool { return w.User && utf8.RuneCountInString(w.Text) >= least })
}

const (
	fenceMark  = "~~~"
	fenceWord  = "session"
	sourceMark = "source: "
	indented   = "  "
)

// Title returns the section's heading.
func (s *Section) Title() string {
	return fmt.Sprintf("## %s Session %s with %s", s.Said[0].At.Format("15:04"), Short(s.Session), s.Program.title())
}

// Short returns a session's id as people know it: the beginning of a UUID, others as they are.
func Short(id string) string {
	const uuid = 36
	if id = oneLine(id); len(id) == uuid && strings.Count(id, "-") == 4 {
		return id[:8]
	}
	return clipText(id, 32)
}

// Text returns the section as it stands in a log. No line of what was said begins like a fence: the first of a statement
// has its time, all others are indented.
func (s *Section) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s%s\n%s%s, session %s\n", s.Title(), s.fenceFor(), fenceWord, sourceMark, oneLine(s.File), oneLine(s.Session))
	for _, w := range s.Said {
		who := "agent"
		if w.User {
			who = "user"
		}
		first := true
		for line := range strings.Lines(w.Text) {
			line = strings.TrimRight(line, " \t\n")
			switch {
			case first:
				fmt.Fprintf(&b, "%s %s: %s\n", w.At.Format("15:04"), who, line)
			case line != "":
				b.WriteString(indented + line + "\n")
			}
			first = false
		}
	}
	if s.Left > 0 {
		fmt.Fprintf(&b, "(%d more in the source)\n", s.Left)
	}
	b.WriteString(s.fenceFor())
	return b.String()
}

// fenceFor is a run of tildes that is longer than any in the text.
func (s *Section) fenceFor() string {
	mark := fenceMark
	for _, w := range s.Said {
		for strings.Contains(w.Text, mark) {
			mark += "~"
		}
	}
	return mark
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
}

func (f Format) title() string {
	switch f {
	case ClaudeCode:
		return "Claude Code"
	case Codex:
		return "Codex"
	case Gemini:
		return "Gemini CLI"
	case OpenClaw:
		return "OpenClaw"
	case Hermes:
		return "Hermes"
	}
	return string(f)
}

// Line is a statement as it stands in a log.
type Line struct {
	File, Session string // its source
	Clock         string // 15:04
	User          bool
	Text          string
	Line          int // of its first line, counted from 1
	From, To      int // its bytes
}

// Fenced reports whether a fence holds an imported session.
func Fenced(block []byte) bool {
	line, _, _ := bytes.Cut(block, []byte("\n"))
	return openingFence(strings.TrimRight(string(line), "\r")) != ""
}

// openingFence returns the fence that a line opens for a session, "" if it opens none.
func openingFence(line string) string {
	mark, ok := strings.CutSuffix(line, fenceWord)
	if !ok || len(mark) < len(fenceMark) || strings.Trim(mark, "~") != "" {
		return ""
	}
	return mark
}

// Lines returns the statements of the sections of a log.
func Lines(log []byte) (out []Line) {
	var fence, file, session string
	at, n, open := 0, 0, false
	for raw := range bytes.Lines(log) {
		n++
		line := strings.TrimRight(string(raw), "\r\n")
		switch {
		case fence == "":
			fence, file, session, open = openingFence(line), "", "", false
		case line == fence:
			fence = ""
		case strings.HasPrefix(line, sourceMark):
			file, session, _ = strings.Cut(strings.TrimPrefix(line, sourceMark), ", session ")
		case session == "":
		case strings.HasPrefix(line, indented) && open:
			last := &out[len(out)-1]
			last.Text += "\n" + line[len(indented):]
			last.To = at + len(raw)
		default:
			l, ok := lineOf(line)
			if open = ok; ok {
				l.File, l.Session, l.Line, l.From, l.To = file, session, n, at, at+len(raw)
				out = append(out, l)
			}
		}
		at += len(raw)
	}
	return out
}

func lineOf(line string) (l Line, ok bool) {
	clock, rest, _ := strings.Cut(line, " ")
	who, text, ok := strings.Cut(rest, ": ")
	if _, err := time.Parse("15:04", clock); err != nil || !ok || who != "user" && who != "agent" {
		return l, false
	}
	return Line{Clock: clock, User: who == "user", Text: text}, true
}

package mcp

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
	"tend/internal/engine/fleet"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
)

// pageChars bounds what one call puts into a model's context.
const pageChars = 24_000

// readText returns a file's text in one block and its metadata in a second, so that
// nothing in the file can pass for ours.
func readText(t memory.Text, err error) (*sdk.CallToolResult, error) {
	if err != nil {
		return nil, err
	}
	more := ""
	if last := t.To; utf8.RuneCountInString(t.Text) > pageChars {
		size := utf8.RuneCountInString(t.Text)
		var n int
		t.Text, n = wholeLines(t.Text, pageChars)
		if t.To = t.From + n - 1; n == 1 && !strings.HasSuffix(t.Text, "\n") {
			more = fmt.Sprintf("; line %d is cut after %d characters of at most %d", t.From, pageChars, size)
		}
		if t.To < last {
			more += fmt.Sprintf("; more: call again with from=%d", t.To+1)
		}
	}
	about := fmt.Sprintf("%s: %d lines, %d bytes, version %s", t.Path, t.Lines, t.Bytes, t.Version)
	if t.Lines == 1 {
		about = fmt.Sprintf("%s: 1 line, %d bytes, version %s", t.Path, t.Bytes, t.Version)
	}
	if t.From > 1 || t.To < t.Lines {
		about = fmt.Sprintf("%s: lines %d to %d of %d, version %s", t.Path, t.From, t.To, t.Lines, t.Version)
	}
	if t.Mended {
		about += "; bytes that are not UTF-8 are shown as \uFFFD"
	}
	res := withData(t.Text, "file", t)
	res.Content = append(res.Content, &sdk.TextContent{Text: about + more})
	return res, nil
}

func listing(after string, p memory.Page, err error) (*sdk.CallToolResult, error) {
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	switch {
	case len(p.Files) > 0:
	case after != "":
		b.WriteString("No more files after " + strconv.Quote(after) + ".")
	default:
		b.WriteString("No memory files yet.")
	}
	for _, f := range p.Files {
		fmt.Fprintf(&b, "%s  %s  %s\n", f.Path, policy.Size(f.Size), f.ModTime.Format(textfmt.Minute))
	}
	if p.Next != "" {
		fmt.Fprintf(&b, "More: call again with after=%q.", p.Next)
	}
	return withData(strings.TrimSuffix(b.String(), "\n"), "files", p), nil
}

func tagsHelp(m *memory.Service) string {
	return "Tags: " + strings.Join(policy.TagsEntry.Of(m.Policy()), ", ") + "."
}

func checkpointHelp(m *memory.Service) string {
	return "Save to memory what this session must not lose before its context is compacted; due from " +
		policy.Percent(policy.CheckpointBufferAt.Of(m.Policy())) + " of the window on."
}

func checkpoint(c memory.Checkpoint, err error) (*sdk.CallToolResult, error) {
	if err != nil {
		return nil, err
	}
	var said strings.Builder
	said.WriteString(strings.ToUpper(c.Did[:1]) + c.Did[1:] + ".")
	if c.Action != "" {
		said.WriteString(" action " + c.Action)
	}
	for _, w := range c.Warnings {
		said.WriteString("\nWarning: " + w)
	}
	return withData(said.String()+"\nNext: "+strings.ReplaceAll(c.Next, ", and pass it with --stdin", "")+".", "checkpoint", c), nil
}

func events(list []memory.Event) string {
	if len(list) == 0 {
		return "No changes recorded."
	}
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "%s  %s  %s  %s  %s\n", e.ID, e.At.Format(textfmt.Minute), e.Job, e.Who, e.Summary)
		for _, f := range e.Files {
			if f.Diff != "" {
				b.WriteString(f.Diff)
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// lostPage is how many lost lines one answer lists.
const lostPage = 200

// lost renders what a change took out of memory, by section.
func lost(l fleet.Loss) string {
	switch {
	case l.Change == "":
		return "No change by others is recorded."
	case len(l.Sections) == 0:
		return fmt.Sprintf("%s: the change of %s lost nothing.", l.File, l.At.Format(textfmt.Minute))
	}
	var b strings.Builder
	by := ""
	if l.By != "" {
		by = " by " + l.By
	}
	fmt.Fprintf(&b, "%s, changed %s%s: %s. Change: %s\n", l.File, l.At.Format(textfmt.Minute), by, l.Summary(), l.Change)
	left := lostPage
	for _, s := range l.Sections {
		if left <= 0 {
			break
		}
		fmt.Fprintf(&b, "\n## %s\n", cmp.Or(strings.Join(s.Path, " > "), "(before the first heading)"))
		for _, line := range s.Lost[:min(len(s.Lost), left)] {
			fmt.Fprintf(&b, "%s\n", line.Text)
			if line.Perhaps != "" {
				fmt.Fprintf(&b, "    (similar: %s)\n", line.Perhaps)
			}
		}
		left -= len(s.Lost)
	}
	if left < 0 {
		fmt.Fprintf(&b, "\n%d more lines are not listed.", l.Lost.Lines+l.Perhaps.Lines-lostPage)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// wholeLines cuts a text to the whole lines that fit into n characters; a first
// line that is longer is cut too.
func wholeLines(s string, n int) (string, int) {
	used, lines, end := 0, 0, 0
	for line := range strings.Lines(s) {
		if used += utf8.RuneCountInString(line); used > n {
			break
		}
		lines++
		end += len(line)
	}
	if lines > 0 {
		return s[:end], lines
	}
	for i := range s {
		if n == 0 {
			return s[:i], 1
		}
		n--
	}
	return s, 1
}

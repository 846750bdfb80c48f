package anthropic

import (
	"context"
	"fmt"
	"strings"

	"tend/internal/app/memory"
	"tend/internal/app/memory/toolerr"
)

// file returns the path of the file that a command names.
func file(p string) (string, error) {
	rel, err := belowRoot(p)
	if err == nil && rel == "" {
		err = missingError(Root)
	}
	return rel, err
}

func create(ctx context.Context, m *memory.Service, c Command) (string, error) {
	rel, err := belowRoot(c.Path)
	if err != nil {
		return "", err
	}
	if rel == "" {
		return "", problemf("Error: File %s already exists", Root)
	}
	_, err = m.Writer.Write(ctx, memory.WriteRequest{Path: rel, Text: c.FileText, If: memory.None})
	switch {
	case err == nil:
		return "File created successfully at: " + withRoot(rel), nil
	case causeOf(err) == toolerr.Exists || isFolder(ctx, m, rel):
		return "", problemf("Error: File %s already exists", withRoot(rel))
	}
	return "", otherError(withRoot(rel), err)
}

func runReplace(ctx context.Context, m *memory.Service, c Command) (string, error) {
	rel, err := file(c.Path)
	if err != nil {
		return "", err
	}
	path := withRoot(rel)
	r, err := m.Writer.Replace(ctx, memory.ReplaceRequest{Path: rel, Old: c.OldStr, New: c.NewStr})
	switch {
	case err == nil:
		text := "The memory file has been edited."
		if r.Excerpt != "" {
			text += " Here is the snippet showing the change (with line numbers):\n" + numberLines(r.Excerpt)
		}
		return text, nil
	case causeOf(err) == toolerr.NoMatch:
		return "", problemf("No replacement was performed, old_str `%s` did not appear verbatim in %s.", c.OldStr, path)
	case causeOf(err) == toolerr.Ambiguous:
		return "", problemf("No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique",
			c.OldStr, lineNumbers(err))
	case isAbsent(err):
		return "", missingError(path)
	}
	return "", otherError(path, err)
}

// isAbsent reports whether there is no file: a folder counts as missing.
func isAbsent(err error) bool {
	return causeOf(err) == toolerr.NotFound || causeOf(err) == toolerr.BadPath
}

// lineNumbers returns the line numbers in an error.
func lineNumbers(err error) string {
	_, after, _ := strings.Cut(err.Error(), ": lines ")
	lines, _, _ := strings.Cut(after, ". ")
	return lines
}

// numberLines formats an excerpt's lines like a viewed file.
func numberLines(excerpt string) string {
	var b strings.Builder
	for line := range strings.Lines(excerpt) {
		n, text, ok := strings.Cut(line, ": ")
		if !ok {
			b.WriteString(line)
			continue
		}
		fmt.Fprintf(&b, "%6s\t%s", n, text)
	}
	return b.String()
}

func runInsert(ctx context.Context, m *memory.Service, c Command) (string, error) {
	rel, err := belowRoot(c.Path)
	if err != nil {
		return "", err
	}
	path := withRoot(rel)
	if c.InsertLine == nil {
		return "", problemf("Error: Missing `insert_line` parameter")
	}
	if rel != "" {
		_, err = m.Writer.Insert(ctx, memory.InsertRequest{Path: rel, Line: *c.InsertLine, Text: c.InsertText})
	}
	switch {
	case rel == "" || isAbsent(err):
		return "", problemf("Error: The path %s does not exist", path)
	case err == nil:
		return fmt.Sprintf("The file %s has been edited.", path), nil
	case causeOf(err) == toolerr.BadRange:
		t, _ := m.Reader.Read(ctx, memory.ReadRequest{Path: rel})
		return "", problemf("Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]",
			*c.InsertLine, t.Lines)
	}
	return "", otherError(path, err)
}

func remove(ctx context.Context, m *memory.Service, c Command) (string, error) {
	rel, err := belowRoot(c.Path)
	if err != nil {
		return "", err
	}
	if rel == "" {
		return "", problemf("Cannot delete the %s directory itself", Root)
	}
	if _, err = m.Writer.Delete(ctx, memory.DeleteRequest{Path: rel}); err == nil {
		return "Successfully deleted " + withRoot(rel), nil
	}
	if isAbsent(err) {
		return "", problemf("Error: The path %s does not exist", withRoot(rel))
	}
	return "", otherError(withRoot(rel), err)
}

func runRename(ctx context.Context, m *memory.Service, c Command) (string, error) {
	from, err := belowRoot(c.OldPath)
	if err != nil {
		return "", err
	}
	to, err := belowRoot(c.NewPath)
	if err != nil {
		return "", err
	}
	if from == "" || to == "" {
		return "", problemf("Cannot rename the %s directory itself", Root)
	}
	_, err = m.Writer.Move(ctx, memory.MoveRequest{From: from, To: to})
	switch {
	case err == nil:
		return fmt.Sprintf("Successfully renamed %s to %s", withRoot(from), withRoot(to)), nil
	case causeOf(err) == toolerr.NotFound:
		return "", problemf("Error: The path %s does not exist", withRoot(from))
	case causeOf(err) == toolerr.Exists:
		return "", problemf("Error: The destination %s already exists", withRoot(to))
	}
	return "", otherError(withRoot(from), err)
}

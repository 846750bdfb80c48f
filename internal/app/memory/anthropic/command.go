// Package anthropic answers the commands of Anthropic's memory tool (memory_20250818) from an agent's memory, in the
// wording its models were trained on.
//
// The tool's paths are virtual and begin with /memories, which is the agent's workspace. Unlike the public reference
// handlers, it compares paths part by part, so /memoriesX is refused and /memories/ is the root that cannot be
// deleted; a passage may have several lines and must occur once; its replacement is taken literally.
package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tend/internal/app/memory"
	"tend/internal/app/memory/toolerr"
)

// The names under which the tool is announced to the API.
const (
	Type = "memory_20250818"
	Name = "memory"
)

// Root is where the tool's paths begin.
const Root = "/memories"

// Command is the input of one call.
type Command struct {
	Command    string `json:"command"`
	Path       string `json:"path,omitempty"`
	ViewRange  []int  `json:"view_range,omitempty"`
	FileText   string `json:"file_text,omitempty"`
	OldStr     string `json:"old_str,omitempty"`
	NewStr     string `json:"new_str,omitempty"`
	InsertLine *int   `json:"insert_line,omitempty"`
	InsertText string `json:"insert_text,omitempty"`
	OldPath    string `json:"old_path,omitempty"`
	NewPath    string `json:"new_path,omitempty"`
}

// Writes reports whether the command may change something.
func (c Command) Writes() bool { return c.Command != "view" }

// Run answers one command. An error is for the model to read.
func Run(ctx context.Context, m *memory.Service, c Command) (string, error) {
	switch c.Command {
	case "view":
		return runView(ctx, m, c)
	case "create":
		return create(ctx, m, c)
	case "str_replace":
		return runReplace(ctx, m, c)
	case "insert":
		return runInsert(ctx, m, c)
	case "delete":
		return remove(ctx, m, c)
	case "rename":
		return runRename(ctx, m, c)
	case "":
		return "", problemf("The command is missing: use view, create, str_replace, insert, delete or rename.")
	}
	return "", problemf("Unknown command %q: use view, create, str_replace, insert, delete or rename.", c.Command)
}

// Parse reads the input of a call as the API delivers it.
func Parse(input []byte) (Command, error) {
	var c Command
	err := json.Unmarshal(input, &c)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return c, problemf("Invalid `%s` parameter: it should be %s.", wrong.Field, kindOf(wrong.Field))
	case err != nil:
		return c, problemf("The input is not that of the memory tool: it must be a JSON object with a command.")
	}
	return c, nil
}

// kindOf describes the expected type of a parameter.
func kindOf(parameter string) string {
	switch parameter {
	case "view_range":
		return "two numbers"
	case "insert_line":
		return "a number"
	}
	return "text"
}

// problem is an error in a wording the model knows.
type problem string

func (p problem) Error() string { return string(p) }

func problemf(format string, args ...any) error { return problem(fmt.Sprintf(format, args...)) }

// belowRoot returns the path below the root, "" for the root itself.
func belowRoot(p string) (string, error) {
	rest, ok := strings.CutPrefix(p, Root)
	if !ok || rest != "" && !strings.HasPrefix(rest, "/") {
		return "", problemf("Path must start with %s, got: %s", Root, p)
	}
	rest = strings.TrimRight(strings.TrimLeft(rest, "/"), "/")
	for part := range strings.SplitSeq(rest, "/") {
		if part == ".." {
			return "", problemf("Path %s would escape %s directory", p, Root)
		}
	}
	return rest, nil
}

// withRoot returns the path as the model names it.
func withRoot(p string) string {
	if p == "" {
		return Root
	}
	return Root + "/" + p
}

// causeOf returns the cause of an error of the memory.
func causeOf(err error) toolerr.Code {
	var e *toolerr.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return toolerr.Failed
}

// otherError words an error for which this dialect has no sentence. Hints that name tools the model does not have are left
// out.
func otherError(p string, err error) error {
	var e *toolerr.Error
	switch {
	case !errors.As(err, &e):
		return err
	case e.Code == toolerr.Unsafe:
		return problemf("Path would escape %s directory via symlink", Root)
	case e.Code == toolerr.Changed:
		return problemf("The file %s was changed by someone else at that moment. View it again and repeat the edit.", p)
	case e.Code == toolerr.Operators:
		return problemf("%s Edit below that part, or another file.", e.Text)
	case e.Code == toolerr.BadPath:
		return problemf("%s Use a path such as %s/notes.md.", e.Text, Root)
	case strings.Contains(e.Hint, "memory_"):
		return problemf("%s", e.Text)
	}
	return problemf("%s", strings.TrimSpace(e.Text+" "+e.Hint))
}

package vault

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Path names a file in a workspace: relative, slash-separated, clean, without "..".
// The empty path is the workspace itself.
type Path string

// TempPrefix begins every temporary name Tend uses beside an agent's files. Such names
// are never listed, read or written on behalf of a caller.
const TempPrefix = ".tend-"

// ParsePath validates a path that came from outside.
func ParsePath(s string) (Path, error) {
	bad := func(why string) (Path, error) {
		return "", fmt.Errorf("path %q: %s: %w", s, why, ErrRefused)
	}
	switch {
	case s == "":
		return bad("is empty")
	case !utf8.ValidString(s):
		return bad("is not valid UTF-8")
	case strings.ContainsFunc(s, unicode.IsControl):
		return bad("contains a control character")
	case strings.Contains(s, `\`):
		return bad("use / between folders")
	case strings.HasPrefix(s, "/"):
		return bad("must be relative to the workspace")
	case len(s) > 1024:
		return bad("is longer than 1024 bytes")
	}
	for part := range strings.SplitSeq(s, "/") {
		switch {
		case part == "..":
			return bad("must not leave the workspace")
		case part == "" || part == ".":
			return bad("has an empty or '.' part")
		case len(part) > 255-len(TempPrefix)-16:
			return bad("has a name that is too long")
		case strings.HasPrefix(part, TempPrefix):
			return bad("is one of Tend's own names")
		}
	}
	return Path(s), nil
}

// Hidden reports whether a path is in a folder, or is a file, that a program keeps for itself: its settings, hooks and
// repositories. Agents' learnings are memory, although their folder is hidden.
func (p Path) Hidden() bool {
	for part := range strings.SplitSeq(string(p), "/") {
		if strings.HasPrefix(part, ".") && part != ".learnings" {
			return true
		}
	}
	return false
}

// In reports whether a path is that of a folder of this name at any depth, or below one.
func (p Path) In(name string) bool {
	return slices.ContainsFunc(strings.Split(string(p), "/"), func(part string) bool { return strings.EqualFold(part, name) })
}

// Markdown reports whether a path is named as a markdown file.
func (p Path) Markdown() bool { return strings.EqualFold(path.Ext(string(p)), ".md") }

// Base is the last element.
func (p Path) Base() string { return path.Base(string(p)) }

// Dir is the folder the file is in, "" at the top.
func (p Path) Dir() Path {
	d := path.Dir(string(p))
	if d == "." {
		return ""
	}
	return Path(d)
}

// Join adds an element.
func (p Path) Join(name string) Path { return Path(path.Join(string(p), name)) }

// name is the path in the form fsys expects.
func (p Path) name() string {
	return cmp.Or(string(p), ".")
}

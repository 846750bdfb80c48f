package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// AddLayout adds a layout of the operator's own to the text of a tend.yaml. Everything else stays as it is to the byte;
// the result is read again.
func AddLayout(path string, text []byte, name, body string, env Env) ([]byte, error) {
	added, err := insertLayout(string(text), name, body)
	if err != nil {
		return nil, fmt.Errorf("add layout %s to %s: %w", name, filepath.Base(path), err)
	}
	after, err := Parse(path, []byte(added), env)
	if err != nil {
		return nil, err
	}
	if after.Layouts[name] != dedent(body) {
		return nil, fmt.Errorf("add layout %s to %s: there is no safe place for it; add it by hand under `layouts`", name, filepath.Base(path))
	}
	return []byte(added), nil
}

func insertLayout(text, name, body string) (string, error) {
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	lines := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(s string) bool { return s == "" })
	start := slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, "layouts:") })
	if start < 0 {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += newline
		}
		return text + newline + "layouts:" + newline + layoutText(name, body, 2, newline), nil
	}
	rest := strings.TrimSpace(strings.TrimPrefix(lines[start], "layouts:"))
	if rest != "" && rest[0] != '#' {
		return "", fmt.Errorf("layouts is not written as indented lines; add it by hand")
	}
	indent := 2
	for _, line := range lines[start+1:] {
		trimmed := strings.TrimLeft(line, " ")
		if strings.TrimSpace(trimmed) == "" || trimmed[0] == '#' {
			continue
		}
		if in := len(line) - len(trimmed); in > 0 {
			indent = in
		}
		break
	}
	head, tail := strings.Join(lines[:start+1], ""), strings.Join(lines[start+1:], "")
	if !strings.HasSuffix(head, "\n") {
		head += newline
	}
	return head + layoutText(name, body, indent, newline) + tail, nil
}

func layoutText(name, body string, indent int, newline string) string {
	w := &writer{newline: newline}
	w.raw(indent, yamlText(name)+":")
	for line := range strings.SplitSeq(strings.TrimSuffix(dedent(body), "\n"), "\n") {
		if line == "" {
			w.blank()
			continue
		}
		w.raw(indent+2, line)
	}
	return w.String()
}

// dedent is a block without the indentation its lines share, nor blanks and comments of the section after it.
func dedent(block string) string {
	lines := strings.Split(strings.ReplaceAll(block, "\r\n", "\n"), "\n")
	least := -1
	for _, line := range lines {
		body := strings.TrimLeft(line, " ")
		if body != "" && body[0] != '#' && (least < 0 || len(line)-len(body) < least) {
			least = len(line) - len(body)
		}
	}
	last := 0
	for i, line := range lines {
		body := strings.TrimLeft(line, " ")
		in := len(line) - len(body)
		lines[i] = strings.TrimRight(line[min(in, max(least, 0)):], " ")
		if body != "" && (body[0] != '#' || in >= least && least > 0) {
			last = i + 1
		}
	}
	return strings.TrimLeft(strings.Join(lines[:last], "\n"), "\n") + "\n"
}

package config

import (
	"fmt"
	"path/filepath"
	"strings"

	"tend/internal/splice"
)

// AddLayout adds a layout of the operator's own to the text of a tend.yaml. Everything else stays as it is to the byte;
// the result is read again.
func AddLayout(path string, text []byte, name, body string, env Env) ([]byte, error) {
	added, err := splice.InsertYAML(withRoom(string(text), "layouts:"), []string{"layouts"}, func(at splice.Place) string {
		return layoutText(name, body, at.Indent, at.Newline)
	})
	if err != nil {
		return nil, fmt.Errorf("add layout %s to %s: %w; add it by hand", name, filepath.Base(path), err)
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

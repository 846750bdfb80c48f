package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Rebind gives an agent another workspace in the text of a tend.yaml. Everything else stays as it is to the byte; the
// result is read again and differs in nothing but that.
func Rebind(path string, text []byte, agent, workspace string, env Env) ([]byte, error) {
	before, err := Parse(path, text, env)
	if err != nil {
		return nil, err
	}
	was, err := before.Agent(agent)
	if err != nil {
		return nil, err
	}
	at, ok := workspaceOf(path, text, agent, env)
	if !ok {
		return nil, fmt.Errorf("rebind %s in %s: its workspace was not found; change it by hand to %s", agent, filepath.Base(path), workspace)
	}
	lines := strings.SplitAfter(string(text), "\n")
	if at.line > len(lines) {
		return nil, fmt.Errorf("rebind %s: no line %d", agent, at.line)
	}
	line := []rune(lines[at.line-1])
	from := at.col - 1
	if at.line == 1 && strings.HasPrefix(lines[0], "\ufeff") {
		from++
	}
	if from > len(line) {
		return nil, fmt.Errorf("rebind %s: no column %d", agent, at.col)
	}
	to := from + scalarLength(line[from:])
	lines[at.line-1] = string(line[:from]) + yamlText(workspace) + string(line[to:])
	out := []byte(strings.Join(lines, ""))
	after, err := Parse(path, out, env)
	if err == nil {
		err = onlyMoved(before, after, was.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("rebind %s in %s: %w; change it by hand to %s", agent, filepath.Base(path), err, workspace)
	}
	return out, nil
}

func onlyMoved(before, after *Config, agent string) error {
	if len(after.Agents) != len(before.Agents) {
		return fmt.Errorf("the agents would not be the same")
	}
	for i, a := range after.Agents {
		if b := before.Agents[i]; a.Name != b.Name || a.Workspace != b.Workspace && a.Name != agent {
			return fmt.Errorf("%s would change too", b.Name)
		}
	}
	return nil
}

// workspaceOf is where the value stands.
func workspaceOf(path string, text []byte, agent string, env Env) (pos, bool) {
	d := newDecoder(path, strings.TrimPrefix(string(text), "\ufeff"), env)
	root, ok := d.parse()
	if !ok {
		return pos{}, false
	}
	n := &root
	for _, key := range []string{"agents", agent, "workspace"} {
		var next *node
		for i := range n.entries {
			if n.entries[i].key == key {
				next = &n.entries[i].value
			}
		}
		if next == nil {
			return pos{}, false
		}
		n = next
	}
	return n.pos, n.kind == scalarNode
}

// scalarLength is how far a value on one line goes.
func scalarLength(s []rune) int {
	if len(s) > 0 && (s[0] == '"' || s[0] == '\'') {
		for i := 1; i < len(s); i++ {
			switch {
			case s[0] == '"' && s[i] == '\\':
				i++
			case s[i] == s[0]:
				return i + 1
			}
		}
		return len(s)
	}
	end := len(s)
	for i, r := range s {
		if r == '\n' || r == '\r' || r == ',' || r == '}' || r == '#' && i > 0 && s[i-1] == ' ' {
			end = i
			break
		}
	}
	for end > 0 && (s[end-1] == ' ' || s[end-1] == '\t') {
		end--
	}
	return end
}

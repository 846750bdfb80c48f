package config

import (
	"fmt"
	"path/filepath"
	"strings"

	"tend/internal/text/confedit"
)

// Append adds an agent to the text of a tend.yaml. The existing text stays unchanged to the byte, including comments;
// the result is parsed again and has the old agents and the new one.
func Append(path string, text []byte, a AgentDraft, env Env) ([]byte, error) {
	before, err := Parse(path, text, env)
	if err != nil {
		return nil, err
	}
	if _, exists := before.byName[a.Name]; exists {
		return nil, fmt.Errorf("add agent: %s is already in %s", a.Name, path)
	}
	added, err := confedit.InsertYAML(withRoom(string(text), "agents:"), []string{"agents"}, func(at confedit.Indent) string {
		gap := ""
		if at.Siblings {
			gap = at.Newline
		}
		return gap + agentText(a, at.Indent, at.Step, at.Newline)
	})
	if err != nil {
		return nil, fmt.Errorf("add agent to %s: %w; add it by hand:\n%s", filepath.Base(path), err, agentText(a, 2, 2, "\n"))
	}
	after, err := Parse(path, []byte(added), env)
	if err != nil {
		return nil, err
	}
	if _, ok := after.byName[a.Name]; !ok || len(after.Agents) != len(before.Agents)+1 {
		return nil, fmt.Errorf("add agent to %s: there is no safe place for it; add it by hand:\n%s",
			filepath.Base(path), agentText(a, 2, 2, "\n"))
	}
	return []byte(added), nil
}

func agentText(a AgentDraft, indent, step int, newline string) string {
	w := &writer{newline: newline}
	w.writeAgent(indent, step, a)
	return w.String()
}

// withRoom adds a blank line at the end of a text without such a section, because the new one goes there.
func withRoom(text, section string) string {
	if text == "" || strings.HasPrefix(text, section) || strings.Contains(text, "\n"+section) {
		return text
	}
	newline := confedit.Newline(text)
	if !strings.HasSuffix(text, "\n") {
		text += newline
	}
	return text + newline
}

// AddLayout adds a layout of the operator's own to the text of a tend.yaml. Everything else stays unchanged to the
// byte; the result is parsed again.
func AddLayout(path string, text []byte, name, body string, env Env) ([]byte, error) {
	added, err := confedit.InsertYAML(withRoom(string(text), "layouts:"), []string{"layouts"}, func(at confedit.Indent) string {
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
	w.writeLine(indent, yamlText(name)+":")
	for line := range strings.SplitSeq(strings.TrimSuffix(dedent(body), "\n"), "\n") {
		if line == "" {
			w.writeBlank()
			continue
		}
		w.writeLine(indent+2, line)
	}
	return w.String()
}

// dedent removes the common indentation of a block, and the blank lines and comments of the next section.
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

// Rebind sets an agent's workspace in the text of a tend.yaml. Everything else stays unchanged to the byte; the
// result is parsed again and differs only in that.
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
		return fmt.Errorf("the edit would change other agents")
	}
	for i, a := range after.Agents {
		if b := before.Agents[i]; a.Name != b.Name || a.Workspace != b.Workspace && a.Name != agent {
			return fmt.Errorf("%s would change too", b.Name)
		}
	}
	return nil
}

// workspaceOf returns the place of the value.
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

// scalarLength returns the length of a value on one line.
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
		comment := r == '#' && i > 0 && s[i-1] == ' '
		if comment || strings.ContainsRune("\n\r,}", r) {
			end = i
			break
		}
	}
	for end > 0 && (s[end-1] == ' ' || s[end-1] == '\t') {
		end--
	}
	return end
}

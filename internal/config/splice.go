package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Append adds an agent to the text of a tend.yaml. What is there stays as it is to the byte, comments included; the
// result is read again and holds the old agents and the new one.
func Append(path string, text []byte, a AgentDraft, env Env) ([]byte, error) {
	before, err := Parse(path, text, env)
	if err != nil {
		return nil, err
	}
	if _, exists := before.byName[a.Name]; exists {
		return nil, fmt.Errorf("add agent: %s is already in %s", a.Name, path)
	}
	added, err := insertAgent(string(text), a)
	if err != nil {
		return nil, fmt.Errorf("add agent to %s: %w", filepath.Base(path), err)
	}
	after, err := Parse(path, []byte(added), env)
	if err != nil {
		return nil, err
	}
	if _, ok := after.byName[a.Name]; !ok || len(after.Agents) != len(before.Agents)+1 {
		return nil, fmt.Errorf("add agent to %s: there is no safe place for it; add it by hand:\n%s", filepath.Base(path), agentText(a, 2, 2, "\n"))
	}
	return []byte(added), nil
}

func agentText(a AgentDraft, indent, step int, newline string) string {
	w := &writer{newline: newline}
	w.agent(indent, step, a)
	return w.String()
}

var noAgents = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^agents:[ \t]*\{[ \t]*\}[ \t]*(#.*)?$`) })

// insertAgent finds the end of the agents section by its indentation.
func insertAgent(text string, a AgentDraft) (string, error) {
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	finish := func(text string) string {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += newline
		}
		return text
	}
	lines := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(s string) bool { return s == "" })
	start := -1
	for i, line := range lines {
		if strings.HasPrefix(line, "agents:") {
			start = i
		}
	}
	if start < 0 {
		return finish(text) + newline + "agents:" + newline + agentText(a, 2, 2, newline), nil
	}
	head := strings.TrimRight(lines[start], "\r\n")
	if m := noAgents().FindStringSubmatch(head); m != nil {
		lines[start] = strings.TrimRight("agents: "+m[1], " ") + newline
	} else if rest := strings.TrimSpace(strings.TrimPrefix(head, "agents:")); rest != "" && rest[0] != '#' {
		return "", fmt.Errorf("agents is not written as indented lines; add it by hand:\n%s", agentText(a, 2, 2, "\n"))
	}

	indent, step, last := 0, 0, start
	for i := start + 1; i < len(lines); i++ {
		body := strings.TrimLeft(lines[i], " ")
		in := len(lines[i]) - len(body)
		blank := strings.TrimSpace(body) == ""
		comment := strings.HasPrefix(body, "#")
		if in == 0 && !blank && !comment {
			break
		}
		switch {
		case blank, comment && in < max(indent, 1):
			continue // whether it belongs to the section shows with what follows
		case comment:
		case indent == 0:
			indent = in
		case in > indent && step == 0:
			step = in - indent
		}
		last = i
	}
	if indent == 0 {
		indent = 2
	}
	if step == 0 {
		step = 2
	}
	gap := ""
	if last > start {
		gap = newline
	}
	at := last + 1
	return finish(strings.Join(lines[:at], "")) + gap + agentText(a, indent, step, newline) + strings.Join(lines[at:], ""), nil
}

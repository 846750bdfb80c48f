package config

import (
	"fmt"
	"path/filepath"
	"strings"

	"tend/internal/splice"
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
	added, err := splice.InsertYAML(withRoom(string(text), "agents:"), []string{"agents"}, func(at splice.Place) string {
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
		return nil, fmt.Errorf("add agent to %s: there is no safe place for it; add it by hand:\n%s", filepath.Base(path), agentText(a, 2, 2, "\n"))
	}
	return []byte(added), nil
}

func agentText(a AgentDraft, indent, step int, newline string) string {
	w := &writer{newline: newline}
	w.agent(indent, step, a)
	return w.String()
}

// withRoom ends a text with a blank line if it has no such section yet, for a new one comes at its end.
func withRoom(text, section string) string {
	if text == "" || strings.HasPrefix(text, section) || strings.Contains(text, "\n"+section) {
		return text
	}
	newline := splice.Newline(text)
	if !strings.HasSuffix(text, "\n") {
		text += newline
	}
	return text + newline
}

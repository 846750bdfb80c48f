package config

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"tend/internal/text/confedit"
)

// Draft is a tend.yaml to be written: every field as it will appear in the file, "" to leave it out.
type Draft struct {
	Head       string // a comment at the top, without #
	StateDir   string
	ArchiveDir string
	Layout     string
	Timezone   string
	Separator  string
	Policy     []Setting
	Layouts    []LayoutDraft
	Agents     []AgentDraft
}

// AgentDraft is one agent of a Draft.
type AgentDraft struct {
	Name        string
	Description string
	Disabled    bool
	Workspace   string
	Layout      string
	Timezone    string
	Baselines   []BaselineDraft
	Archive     string
	Automation  string
	Policy      []Setting
	NoTools     bool // the MCP server offers no memory tools
}

// BaselineDraft is one baseline of an AgentDraft.
type BaselineDraft struct{ File, Source string }

// LayoutDraft is a preset layout with another hot file.
type LayoutDraft struct{ Name, Extends, Hot string }

// Setting is one policy value.
type Setting struct {
	Key     string
	Value   string
	Comment string // after the value, without #
}

// Render returns a new tend.yaml with explanations for newcomers.
func Render(d Draft) []byte {
	w := &writer{newline: "\n"}
	w.writeComment("Which agents Tend looks after, and how. Paths are relative to this file, ~ is your folder;\n" +
		"unknown keys are errors. `tend doctor` checks the file, `tend policy AGENT` lists every number.")
	if d.Head != "" {
		w.writeComment(d.Head)
	}
	w.writeLine(0, "version: 1")
	w.writeBlank()
	w.writeComment("Archives, history, trash and approvals. Never inside a workspace: the agent must not reach them.")
	if d.StateDir != "" {
		w.writePair(0, "state_dir", d.StateDir, "")
	} else {
		w.writeLine(0, "# state_dir: ~/.local/state/tend")
	}
	if d.ArchiveDir != "" {
		w.writePair(0, "archive_dir", d.ArchiveDir, "")
	}
	w.writeBlank()
	w.writeComment("Defaults for every agent.")
	w.writeLine(0, "defaults:")
	w.writePairIfSet(2, "layout", d.Layout, "")
	if d.Timezone != "" {
		w.writePair(2, "timezone", d.Timezone, "of every day boundary")
	} else {
		w.writeLine(2, "# timezone: Europe/Berlin # of every day boundary; without it, this machine's")
	}
	w.writeLine(2, "# automation: maintain # off | maintain | curate")
	w.writePairIfSet(2, "separator", d.Separator, "the line between baseline and notes")
	w.writePolicy(2, 2, d.Policy)
	if len(d.Layouts) > 0 {
		w.writeBlank()
		w.writeComment("Layouts of your own: a preset with what differs.")
		w.writeLine(0, "layouts:")
		for _, l := range d.Layouts {
			w.writeLine(2, yamlText(l.Name)+":")
			w.writePair(4, "extends", l.Extends, "")
			w.writeLine(4, "roles:")
			w.writePair(6, "hot", l.Hot, "")
			w.writeLine(4, "show:")
			w.writeLine(6, "files:")
			w.writeLine(8, "- name: "+yamlText(l.Hot))
		}
	}
	w.writeBlank()
	if len(d.Agents) == 0 {
		w.writeLine(0, "agents: {}")
		return []byte(w.String())
	}
	w.writeComment("workspace: a folder, or ssh://user@host/path\n" +
		"baselines: a file of the workspace, and the operator's text for it")
	w.writeLine(0, "agents:")
	for i, a := range d.Agents {
		if i > 0 {
			w.writeBlank()
		}
		w.writeAgent(2, 2, a)
	}
	return []byte(w.String())
}

// writer writes YAML lines.
type writer struct {
	strings.Builder
	newline string
}

func (w *writer) writeLine(indent int, line string) {
	w.WriteString(strings.Repeat(" ", indent) + line + w.newline)
}

func (w *writer) writeBlank() { w.WriteString(w.newline) }

func (w *writer) writeComment(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		w.writeLine(0, strings.TrimRight("# "+line, " "))
	}
}

func (w *writer) writePair(indent int, key, value, comment string) {
	line := yamlText(key) + ": " + yamlText(value)
	if comment != "" {
		line += " # " + strings.ReplaceAll(comment, "\n", " ")
	}
	w.writeLine(indent, line)
}

// writePairIfSet writes a pair unless its value is empty.
func (w *writer) writePairIfSet(indent int, key, value, comment string) {
	if value != "" {
		w.writePair(indent, key, value, comment)
	}
}

func (w *writer) writePolicy(indent, step int, settings []Setting) {
	if len(settings) == 0 {
		return
	}
	w.writeLine(indent, "policy:")
	for _, s := range settings {
		line := yamlText(s.Key) + ": " + yamlValue(s.Value)
		if s.Comment != "" {
			line += " # " + s.Comment
		}
		w.writeLine(indent+step, line)
	}
}

// writeAgent writes one agent at an indentation; step is the extra indentation per level.
func (w *writer) writeAgent(indent, step int, a AgentDraft) {
	w.writeLine(indent, yamlText(a.Name)+":")
	in := indent + step
	w.writePairIfSet(in, "description", a.Description, "")
	if a.Disabled {
		w.writeLine(in, "enabled: false")
	}
	w.writePairIfSet(in, "workspace", a.Workspace, "")
	w.writePairIfSet(in, "layout", a.Layout, "")
	w.writePairIfSet(in, "timezone", a.Timezone, "")
	if len(a.Baselines) > 0 {
		w.writeLine(in, "baselines:")
		for _, b := range a.Baselines {
			w.writePair(in+step, b.File, b.Source, "")
		}
	}
	w.writePairIfSet(in, "archive", a.Archive, "")
	w.writePairIfSet(in, "automation", a.Automation, "")
	w.writePolicy(in, step, a.Policy)
	if a.NoTools {
		w.writeLine(in, "tools: {memory: {enabled: false}}")
	}
}

var plainText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_./~][A-Za-z0-9_./~@:+,=-]*( [A-Za-z0-9_./~@:+,=-]+)*$`)
})

// yamlText quotes s if needed, so that it is read back as the text s.
func yamlText(s string) string {
	if plainText().MatchString(s) {
		var back any
		if err := yaml.Unmarshal([]byte(s), &back); err == nil && back == s {
			return s
		}
	}
	line, _ := confedit.Encode(s) // a JSON string is a YAML one
	return string(line)
}

// yamlValue formats a policy value, where 60 is a number and 3h is text.
func yamlValue(s string) string {
	if _, err := strconv.Atoi(s); err == nil || s == "true" || s == "false" {
		return s
	}
	return yamlText(s)
}

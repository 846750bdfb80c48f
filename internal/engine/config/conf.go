package config

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// conf is a memory-shepherd.conf as its author meant it, with notes where the bash tool reads something else.
type conf struct {
	sections []*confSection
	notes    []Note
	couldNot []Note
}

type confSection struct {
	name     string // usable as an agent name
	header   string // as written
	line     int
	rejected bool // a header that the bash tool does not recognize
	keys     []confKey
}

type confKey struct {
	key, value string
	line       int
}

// Note is a remark about a line; line 0 means the whole file.
type Note struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

const general = "general"

var (
	// what the bash tool takes for a header
	confHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[([A-Za-z0-9_-]+)\]$`) })
	confAssign = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)([ \t]*)=(.*)$`) })
	unusable   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_-]+`) })
)

func (c *conf) addNote(line int, text string) { c.notes = append(c.notes, Note{line, text}) }

func (c *conf) addFailure(line int, text string) { c.couldNot = append(c.couldNot, Note{line, text}) }

func (s *confSection) get(key string) (confKey, bool) {
	for i := len(s.keys) - 1; i >= 0; i-- {
		if s.keys[i].key == key && s.keys[i].value != "" {
			return s.keys[i], true
		}
	}
	return confKey{}, false
}

// value returns a key's value, or fallback if it is unset or empty, which the bash tool treats alike.
func (s *confSection) value(key, fallback string) string {
	if k, ok := s.get(key); ok {
		return k.value
	}
	return fallback
}

// parseConf reads every line. Nothing is skipped silently, and no key is assigned to a section it is not in.
func parseConf(text string) *conf {
	c := &conf{}
	text = strings.TrimPrefix(text, "\ufeff")
	unfinished := text != "" && !strings.HasSuffix(text, "\n")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var current *confSection
	for i, raw := range lines {
		number := i + 1
		line := strings.TrimSpace(raw)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if i == len(lines)-1 && unfinished {
			c.addNote(number, "no newline ends the file, so memory-shepherd never read this line; it counts here")
		}
		if line[0] == '[' {
			current = c.beginSection(line, number)
			continue
		}
		m := confAssign().FindStringSubmatch(line)
		switch {
		case m == nil:
			c.addFailure(number, "not understood, and ignored by memory-shepherd as well: "+line)
		case current == nil:
			c.addFailure(number, m[1]+" comes before any [section]")
		default:
			c.assignKey(current, m[1], m[2], m[3], number)
		}
	}
	return c
}

// beginSection starts or continues a section.
func (c *conf) beginSection(line string, number int) *confSection {
	header, _, _ := strings.Cut(line, "#")
	header = strings.TrimSpace(header)
	inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(header, "["), "]"))
	s := &confSection{name: strings.Trim(unusable().ReplaceAllString(inner, "-"), "-_"), header: header, line: number}
	s.rejected = !confHeader().MatchString(header)
	for _, other := range c.sections {
		if other.header == s.header {
			c.addFailure(number, header+" appears twice, first in line "+strconv.Itoa(other.line)+
				"; read as one, later values win, as memory-shepherd did")
			return other
		}
	}
	for c.isNamed(s.name) {
		s.name += "-2"
	}
	c.sections = append(c.sections, s)
	return s
}

func (c *conf) isNamed(name string) bool {
	return name != "" && slices.ContainsFunc(c.sections, func(s *confSection) bool { return s.name == name })
}

func (c *conf) assignKey(s *confSection, key, gap, rest string, number int) {
	value, cut := confValue(rest)
	if gap != "" && value != "" {
		c.addNote(number, "memory-shepherd ignores "+key+" because of the space before =; it counts here")
	}
	if cut != value {
		c.addFailure(number, key+": memory-shepherd cuts at # and read "+quoteOrNothing(cut)+"; taken as "+value+", check which is right")
	}
	if unquoted, ok := unquote(value); ok {
		c.addNote(number, key+": the quotes are removed; memory-shepherd kept them as part of the value")
		value = unquoted
	}
	if before, ok := s.get(key); ok && value != "" {
		c.addNote(number, key+" replaces line "+strconv.Itoa(before.line))
	}
	s.keys = append(s.keys, confKey{key, value, number})
}

// confValue reads a value as meant, where only a # after a space begins a comment, and as the bash tool does, which
// cuts at every #.
func confValue(rest string) (meant, bash string) {
	bash, _, _ = strings.Cut(rest, "#")
	bash = strings.TrimSpace(bash)
	meant = rest
	for i := range len(rest) {
		if rest[i] != '#' {
			continue
		}
		afterBlank := i > 0 && (rest[i-1] == ' ' || rest[i-1] == '\t')
		beforeBlank := i+1 == len(rest) || rest[i+1] == ' ' || rest[i+1] == '\t'
		if afterBlank || i == 0 && beforeBlank {
			meant = rest[:i]
			break
		}
	}
	return strings.TrimSpace(meant), bash
}

func unquote(s string) (string, bool) {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1], true
	}
	return s, false
}

func quoteOrNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// groupAgents turns the sections' files into agents: one per section, or one for several that are clearly files of the
// same agent.
func (im *importer) groupAgents(files []importedFile) {
	taken := make([]bool, len(files))
	for i := range files {
		if taken[i] {
			continue
		}
		group := []importedFile{files[i]}
		for j := i + 1; j < len(files); j++ {
			if !taken[j] && files[j].workspace == files[i].workspace {
				group = append(group, files[j])
			}
		}
		name, one := im.oneAgent(group, files)
		if !one {
			if len(group) > 1 && !im.isTaken(group[0]) {
				im.addNote(group[1].section.line, sectionList(group)+" share the folder "+group[0].workspace+
					"; kept as separate agents. If they are one agent's files, make them one agent with several baselines")
			}
			im.draft.Agents = append(im.draft.Agents, im.draftAgent(files[i].section.name, files[i:i+1]))
			continue
		}
		for j := range files {
			if files[j].workspace == files[i].workspace {
				taken[j] = true
			}
		}
		im.addNote(group[0].section.line, sectionList(group)+" are files of one agent: now the agent "+name+
			" with "+strconv.Itoa(len(group))+" baselines, reset together")
		im.draft.Agents = append(im.draft.Agents, im.draftAgent(name, group))
	}
}

// isTaken reports whether an earlier agent already has this file's folder, so that the sharing has been reported.
func (im *importer) isTaken(f importedFile) bool {
	return slices.ContainsFunc(im.draft.Agents, func(a AgentDraft) bool { return a.Workspace == f.workspace })
}

func sectionList(group []importedFile) string {
	names := make([]string, len(group))
	for i, f := range group {
		names[i] = f.section.header
	}
	return strings.Join(names, ", ")
}

// oneAgent decides whether sections with one folder are one agent's files. They are if each is named after one agent
// and its file: bot-memory with MEMORY.md, bot-tools with TOOLS.md. Memory files of different agents side by side are
// not.
func (im *importer) oneAgent(group, all []importedFile) (name string, ok bool) {
	if im.opt.Separate || len(group) < 2 {
		return "", false
	}
	seen := map[string]bool{}
	for _, f := range group {
		stem := strings.ToLower(strings.TrimSuffix(f.file, path.Ext(f.file)))
		owner := f.section.name
		for _, joint := range []string{"-", "_"} {
			if cut := len(owner) - len(stem) - 1; cut > 0 && strings.EqualFold(owner[cut:], joint+stem) {
				owner = owner[:cut]
				break
			}
		}
		if name == "" {
			name = owner
		}
		if owner != name || seen[f.file] || f.section.rejected || f.source == "" {
			return "", false
		}
		seen[f.file] = true
	}
	for _, f := range all {
		if f.section.name == name && f.workspace != group[0].workspace {
			return "", false
		}
	}
	return name, ValidName(name)
}

func (im *importer) draftAgent(name string, files []importedFile) AgentDraft {
	a := AgentDraft{Name: name, Workspace: files[0].workspace, Archive: archiveOf(files), Disabled: files[0].section.rejected}
	for _, f := range files {
		if f.source != "" {
			a.Baselines = append(a.Baselines, BaselineDraft{File: f.file, Source: f.source})
		}
	}
	if a.Archive == name {
		a.Archive = ""
	}
	if len(files) > 1 {
		im.addNote(files[0].section.line, "new archives of "+name+" go to one folder, "+cmp.Or(a.Archive, name)+", below archive_dir")
	}
	a.Layout = im.chooseLayout(files)
	return a
}

// archiveOf returns the folder that the sections' archives share.
func archiveOf(files []importedFile) string {
	if len(files) == 1 {
		return files[0].archive
	}
	common := path.Dir(files[0].archive)
	for _, f := range files {
		if f.archive == "" || path.Dir(f.archive) != common {
			return ""
		}
	}
	return strings.TrimPrefix(common, ".")
}

// chooseLayout returns the preset if it knows one of the files, else a custom one with the file as the hot file.
func (im *importer) chooseLayout(files []importedFile) string {
	for _, f := range files {
		switch f.file {
		case "MEMORY.md", "AGENTS.md", "TOOLS.md":
			return ""
		}
	}
	hot := files[0].file
	for _, l := range im.draft.Layouts {
		if l.Hot == hot {
			return l.Name
		}
	}
	base := strings.Trim(unusable().ReplaceAllString(strings.TrimSuffix(hot, path.Ext(hot)), "-"), "-_")
	name := "shepherd-" + base[:min(len(base), 40)]
	for n := 2; im.hasLayout(name); n++ {
		name = "shepherd-" + base[:min(len(base), 40)] + "-" + strconv.Itoa(n)
	}
	im.draft.Layouts = append(im.draft.Layouts, LayoutDraft{Name: name, Extends: im.draft.Layout, Hot: hot})
	return name
}

func (im *importer) hasLayout(name string) bool {
	return slices.ContainsFunc(im.draft.Layouts, func(l LayoutDraft) bool { return l.Name == name })
}

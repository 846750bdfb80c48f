package config

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// agents turns what the sections look after into agents, one for each section, or one for several that are plainly
// the files of one agent.
func (im *importer) agents(files []importedFile) {
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
			if len(group) > 1 && !im.apart(group[0]) {
				im.note(group[1].section.line, sectionList(group)+" share the folder "+group[0].workspace+
					"; kept as agents of their own. If they are one agent's files, make them one agent with several baselines")
			}
			im.draft.Agents = append(im.draft.Agents, im.agent(files[i].section.name, files[i:i+1]))
			continue
		}
		for j := range files {
			if files[j].workspace == files[i].workspace {
				taken[j] = true
			}
		}
		im.note(group[0].section.line, sectionList(group)+" are files of one agent: now the agent "+name+
			" with "+itoa(len(group))+" baselines, reset together")
		im.draft.Agents = append(im.draft.Agents, im.agent(name, group))
	}
}

// apart holds when an earlier agent already has this file's folder, so that the sharing was said.
func (im *importer) apart(f importedFile) bool {
	return slices.ContainsFunc(im.draft.Agents, func(a AgentDraft) bool { return a.Workspace == f.workspace })
}

func sectionList(group []importedFile) string {
	names := make([]string, len(group))
	for i, f := range group {
		names[i] = f.section.header
	}
	return strings.Join(names, ", ")
}

// oneAgent decides whether sections with one folder are one agent's files. They are when each is named after one
// agent and its file: bot-memory with MEMORY.md, bot-tools with TOOLS.md. Memory files of different agents side by
// side are not.
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

func (im *importer) agent(name string, files []importedFile) AgentDraft {
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
		im.note(files[0].section.line, "new archives of "+name+" go to one folder, "+cmp.Or(a.Archive, name)+", below archive_dir")
	}
	a.Layout = im.layout(files)
	return a
}

// archiveOf is the folder the sections' archives have in common.
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

// layout is the preset when it knows one of the files, else one of our own in which the file is the hot one.
func (im *importer) layout(files []importedFile) string {
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
		name = "shepherd-" + base[:min(len(base), 40)] + "-" + itoa(n)
	}
	im.draft.Layouts = append(im.draft.Layouts, LayoutDraft{Name: name, Extends: im.draft.Layout, Hot: hot})
	return name
}

func (im *importer) hasLayout(name string) bool {
	return slices.ContainsFunc(im.draft.Layouts, func(l LayoutDraft) bool { return l.Name == name })
}

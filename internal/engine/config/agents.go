package config

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var agentKeys = []string{
	"workspace", "layout", "timezone", "baselines", "separator", "archive", "automation", "policy", "tools", "description", "enabled",
}

// archiveName is one or several folder names.
var archiveName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)
})

// ValidName reports whether name may be an agent's. "all" would read as every agent.
func ValidName(name string) bool { return isName(name) && name != "all" }

// isName reports whether a name has only letters, digits, - and _, at most 63, and begins with a letter or digit:
// names become folders, unit names and command arguments.
func isName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case i > 0 && (c == '-' || c == '_'):
		default:
			return false
		}
	}
	return s != "" && len(s) <= 63
}

func (d *decoder) readAgents(cfg *Config, n *node, base *defaults) {
	entries := d.readMapping(n, "agents")
	cfg.Agents = make([]Agent, 0, len(entries))
	folded := make(map[string]string, len(entries))
	for i := range entries {
		e := &entries[i]
		if !ValidName(e.key) {
			d.errorf(e.pos, nameHint(e.key), "%q cannot be the name of an agent", e.key)
			continue
		}
		fold := strings.ToLower(e.key)
		if other, ok := folded[fold]; ok {
			d.errorf(e.pos, "they would share a folder on case-insensitive file systems; rename one", "agents %s and %s differ only in case",
				other, e.key)
			continue
		}
		folded[fold] = e.key
		cfg.byName[e.key] = len(cfg.Agents)
		cfg.Agents = append(cfg.Agents, d.readAgent(e, base, cfg.ArchiveDir))
	}
}

func nameHint(name string) string {
	if name == "all" {
		return "the name would read as every agent; choose another"
	}
	return "use letters, digits, - and _, at most 63, beginning with a letter or digit"
}

func (d *decoder) readAgent(e *entry, base *defaults, archiveDir string) Agent {
	what := "agent " + e.key
	a := Agent{
		Name: e.key, Enabled: true, Location: base.location, MemoryTools: base.memoryTools,
		ArchiveDir: filepath.Join(archiveDir, e.key), Line: e.line, at: e.pos,
	}
	ref, refAt := base.layout, base.layoutAt
	own := overlay{source: "tend.yaml"}
	fields := d.readMapping(&e.value, what)
	if e.value.kind != mappingNode && e.value.kind != nullNode {
		return a
	}
	for i := range fields {
		f := &fields[i]
		switch f.key {
		case "workspace":
			d.readWorkspace(&a, f)
		case "layout":
			if s, ok := d.readText(f); ok {
				ref, refAt = s, f.value.pos
			}
		case "timezone":
			if loc, ok := d.readTimezone(f); ok {
				a.Location = loc
			}
		case "baselines":
			d.readBaselines(&a, f)
		case "separator":
			d.readShorthand(&own, "baseline.separator", f)
		case "automation":
			d.readShorthand(&own, "automation", f)
		case "archive":
			if s, ok := d.readText(f); ok {
				a.ArchiveDir = d.readArchiveDir(f, s, archiveDir)
			}
		case "policy":
			d.readPolicy(&own, "", &f.value, "policy of "+what)
		case "tools":
			d.readTools(&a.MemoryTools, f)
		case "description":
			a.Description, _ = d.readText(f)
		case "enabled":
			if b, ok := d.readBool(f); ok {
				a.Enabled = b
			}
		default:
			d.reportUnknown(f, what, agentKeys...)
		}
	}
	if a.Workspace.Kind == "" && !hasKey(fields, "workspace") {
		d.errorf(e.pos, "add workspace: with a folder or ssh://user@host/path", "%s has no workspace", what)
	}
	d.resolveAgent(&a, ref, refAt, base, &own)
	return a
}

func hasKey(entries []entry, key string) bool {
	return slices.ContainsFunc(entries, func(e entry) bool { return e.key == key })
}

func (d *decoder) readWorkspace(a *Agent, f *entry) {
	s, ok := d.readText(f)
	if !ok {
		return
	}
	w, err := parseWorkspace(s, d.dir, d.env)
	if err != nil {
		d.errorf(f.value.pos, "", "workspace: %v", err)
		return
	}
	d.warnOfDollar(f, s)
	a.Workspace, a.at = w, f.value.pos
}

func (d *decoder) readArchiveDir(f *entry, name, dir string) string {
	if !archiveName().MatchString(name) || path.Clean(name) != name {
		d.errorf(f.value.pos, "write a folder name such as reviewer or team/reviewer; it is created below archive_dir",
			"archive cannot be %q", name)
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

func (d *decoder) readBaselines(a *Agent, f *entry) {
	entries := d.readMapping(&f.value, "baselines of "+a.Name)
	if len(entries) > 0 {
		a.Baselines = make([]Baseline, 0, len(entries))
	}
	for i := range entries {
		e := &entries[i]
		name := path.Clean(e.key)
		outside := name == "." || name == ".." || path.IsAbs(name) || strings.HasPrefix(name, "../")
		if e.key == "" || outside || strings.ContainsAny(name, "\\\x00") {
			d.errorf(e.pos, "write the file's path inside the workspace, such as MEMORY.md", "%q is not a file of the workspace", e.key)
			continue
		}
		if source, ok := d.readPath(e); ok {
			a.Baselines = append(a.Baselines, Baseline{File: name, Source: source, at: e.pos})
		}
	}
	for i, b := range a.Baselines {
		for _, other := range a.Baselines[:i] {
			if b.File == other.File {
				d.errorf(b.at, "remove one of them", "%s has two baselines", b.File)
			}
		}
	}
}

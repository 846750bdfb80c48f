package config

import (
	"path/filepath"
	"time"

	"tend/internal/policy"
)

// defaults is what an agent has unless it says otherwise.
type defaults struct {
	layout      string
	layoutAt    pos
	location    *time.Location
	memoryTools bool
	overlay     overlay
}

// config reads the whole file. Sections that others depend on are read first, wherever they stand.
func (d *decoder) config(cfg *Config, root *node) {
	if root.kind == nullNode {
		d.errorf(pos{1, 1}, "`tend init` writes one", "the file is empty")
		return
	}
	if root.kind != mappingNode {
		d.mapping(root, "the file")
		return
	}
	d.version(root)
	cfg.StateDir = d.env.DefaultStateDir()
	base := defaults{location: time.Local, memoryTools: true, overlay: overlay{source: "tend.yaml defaults"}}
	var agents, stateAt, archiveAt *entry
	d.section(root, "the file", []field{
		{"version", func(*entry) {}},
		{"state_dir", func(e *entry) {
			if dir, ok := d.path(e); ok {
				cfg.StateDir, stateAt = dir, e
			}
		}},
		{"archive_dir", func(e *entry) {
			if dir, ok := d.path(e); ok {
				cfg.ArchiveDir, archiveAt = dir, e
			}
		}},
		{"baseline_signers", put(&cfg.Signers, d.path)},
		{"defaults", func(e *entry) { d.defaults(&base, e) }},
		{"layouts", func(e *entry) {
			d.layouts(e, root.after(e))
			cfg.Layouts = d.texts
		}},
		{"agents", func(e *entry) { agents = e }},
		{"keeper", func(e *entry) { d.keeper(&cfg.Keeper, e) }},
		{"alerts", func(e *entry) { d.alerts(&cfg.Alerts, e) }},
		{"curator", func(e *entry) { d.curator(&cfg.Curator, e) }},
		{"store", func(e *entry) { d.store(&cfg.Store, e) }},
		{"tools", func(e *entry) { d.tools(&base.memoryTools, e) }},
	})
	if cfg.ArchiveDir == "" {
		cfg.ArchiveDir = filepath.Join(cfg.StateDir, "archive")
	}
	d.judge(policy.Policy{}, &base.overlay)
	if agents == nil {
		return
	}
	d.agents(cfg, &agents.value, &base)
	d.places(cfg, stateAt, archiveAt)
}

func (d *decoder) version(root *node) {
	for _, e := range root.entries {
		if e.key == "version" {
			if v := e.value.value(); v != 1 {
				d.errorf(e.pos, "write version: 1", "this Tend reads version 1 of tend.yaml, not %v", v)
			}
			return
		}
	}
	d.errorf(root.pos, "begin the file with version: 1", "the file does not say its version")
}

// after is the line of the entry below e, 0 if it is the last.
func (n *node) after(e *entry) int {
	for _, next := range n.entries {
		if next.line > e.line {
			return next.line
		}
	}
	return 0
}

func (d *decoder) defaults(base *defaults, section *entry) {
	d.section(&section.value, "defaults", []field{
		{"layout", func(f *entry) {
			base.layoutAt = f.value.pos
			base.layout, _ = d.str(f)
		}},
		{"timezone", putGood(&base.location, d.location)},
		{"automation", func(f *entry) { d.shorthand(&base.overlay, "automation", f) }},
		{"separator", func(f *entry) { d.shorthand(&base.overlay, "baseline.separator", f) }},
		{"policy", func(f *entry) { d.flatten(&base.overlay, "", &f.value, "policy of defaults") }},
	})
}

package config

import (
	"path/filepath"
	"time"

	"tend/internal/policy"
)

var (
	rootKeys     = []string{"version", "state_dir", "archive_dir", "baseline_signers", "defaults", "layouts", "agents", "keeper", "alerts", "curator", "store", "tools"}
	defaultsKeys = []string{"layout", "timezone", "automation", "separator", "policy"}
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
	entries := d.mapping(root, "the file")
	if root.kind != mappingNode {
		return
	}
	d.version(entries, root)
	cfg.StateDir = d.env.DefaultStateDir()
	base := defaults{location: time.Local, memoryTools: true, overlay: overlay{source: "tend.yaml defaults"}}
	var agents, stateAt, archiveAt *entry
	for i := range entries {
		e := &entries[i]
		switch e.key {
		case "version":
		case "state_dir":
			if dir, ok := d.path(e); ok {
				cfg.StateDir, stateAt = dir, e
			}
		case "archive_dir":
			if dir, ok := d.path(e); ok {
				cfg.ArchiveDir, archiveAt = dir, e
			}
		case "baseline_signers":
			cfg.Signers, _ = d.path(e)
		case "defaults":
			d.defaults(&base, e)
		case "layouts":
			end := 0
			if i+1 < len(entries) {
				end = entries[i+1].line
			}
			d.layouts(e, end)
			cfg.Layouts = d.texts
		case "agents":
			agents = e
		case "keeper":
			d.keeper(&cfg.Keeper, e)
		case "alerts":
			d.alerts(&cfg.Alerts, e)
		case "curator":
			d.curator(&cfg.Curator, e)
		case "store":
			d.store(&cfg.Store, e)
		case "tools":
			d.tools(&base.memoryTools, e)
		default:
			d.unknown(e, "the file", rootKeys...)
		}
	}
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

func (d *decoder) version(entries []entry, root *node) {
	for i := range entries {
		if entries[i].key != "version" {
			continue
		}
		if v := entries[i].value.value(); v != 1 {
			d.errorf(entries[i].pos, "write version: 1", "this Tend reads version 1 of tend.yaml, not %v", v)
		}
		return
	}
	d.errorf(root.pos, "begin the file with version: 1", "the file does not say its version")
}

func (d *decoder) defaults(base *defaults, section *entry) {
	fields := d.mapping(&section.value, "defaults")
	for i := range fields {
		f := &fields[i]
		switch f.key {
		case "layout":
			base.layoutAt = f.value.pos
			base.layout, _ = d.str(f)
		case "timezone":
			if loc, ok := d.location(f); ok {
				base.location = loc
			}
		case "automation":
			d.shorthand(&base.overlay, "automation", f)
		case "separator":
			d.shorthand(&base.overlay, "baseline.separator", f)
		case "policy":
			d.flatten(&base.overlay, "", &f.value, "policy of defaults")
		default:
			d.unknown(f, "defaults", defaultsKeys...)
		}
	}
}

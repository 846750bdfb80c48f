package connect

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// Plugin is what a harness's plugin has in common with the settings that connect writes.
type Plugin struct {
	Servers map[string]any    // the MCP server, by its name
	Hooks   map[string]any    // groups of hooks, by event
	Scripts map[string]string // texts of scripts, by file
}

// PluginOf returns the plugin of a harness. It is the same on every machine: the program is found in the PATH, and the
// program finds the agent by the session's folder.
func PluginOf(name string) (Plugin, error) {
	p := Plugin{Scripts: map[string]string{}}
	h, err := Find(name)
	if err != nil {
		return p, err
	}
	t := Target{Agent: "tend", Binary: "tend", plugin: name, Scope: h.Scopes[0]}
	if name == "hermes" {
		p.Scripts["__init__.py"] = hermesPlugin(t)
		p.Servers = map[string]any{t.Server(): canon(t.stdio())}
		return p, nil
	}
	for _, f := range h.Files(t) {
		text := ""
		for _, piece := range f.pieces {
			if text, err = piece.in(text); err != nil {
				return p, fmt.Errorf("%s: %w", f.Path, err)
			}
		}
		switch filepath.Ext(f.Path) {
		case ".js":
			p.Scripts[filepath.Base(f.Path)] = text
		case ".json":
			err = p.add(text)
		}
		if err != nil {
			return p, fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return p, nil
}

// add takes what a file of settings has.
func (p *Plugin) add(text string) error {
	var settings struct {
		McpServers map[string]any
		Mcp        struct{ Servers map[string]any }
		Hooks      map[string]any
	}
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		return err
	}
	for _, servers := range []map[string]any{settings.McpServers, settings.Mcp.Servers} {
		if servers != nil {
			p.Servers = servers
		}
	}
	if settings.Hooks != nil && settings.Hooks["internal"] == nil { // OpenClaw's are switches, not hooks
		p.Hooks = settings.Hooks
	}
	return nil
}

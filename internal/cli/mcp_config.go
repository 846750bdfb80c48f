package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// mcpEntry is how a harness starts, or reaches, the server.
type mcpEntry struct {
	name    string // of the server
	command string
	args    []string
	url     string // instead of a command
}

// mcpHarness prints an entry as one harness wants it.
type mcpHarness struct {
	name  string
	where string // the file it belongs in
	print func(mcpEntry) string
}

func mcpHarnessList() []mcpHarness {
	return []mcpHarness{
		{"claude-code", ".mcp.json in the project, or ~/.claude.json", mcpServers},
		{"codex", "~/.codex/config.toml", codexServers},
		{"openclaw", "~/.openclaw/openclaw.json", openclawServers},
		{"hermes", "~/.hermes/config.yaml", hermesServers},
		{"gemini", "~/.gemini/settings.json", mcpServers},
		{"cursor", "~/.cursor/mcp.json", mcpServers},
		{"opencode", "~/.config/opencode/opencode.json", opencodeServers},
		{"generic", "the harness's list of MCP servers", mcpServers},
	}
}

func mcpHarnesses() []string {
	var names []string
	for _, h := range mcpHarnessList() {
		names = append(names, h.name)
	}
	return names
}

func (a *app) printMCPConfig(f mcpFlags, agent string) error {
	name, err := a.theAgent(agent)
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	e := mcpEntry{name: name + "-memory", command: exe, args: []string{"--config", a.cfg.Path, "mcp", name}}
	if f.http != "" {
		e = mcpEntry{name: e.name, url: "http://" + f.http + "/mcp"}
	} else {
		if f.readOnly {
			e.args = append(e.args, "--read-only")
		}
		if f.profile != "full" {
			e.args = append(e.args, "--profile", f.profile)
		}
		if f.dialect != "tend" {
			e.args = append(e.args, "--dialect", f.dialect)
		}
	}
	for _, h := range mcpHarnessList() {
		if h.name != f.printConfig {
			continue
		}
		if !a.quiet && !a.json {
			fmt.Fprintf(a.errw, "For %s; `tend connect` writes it for you.\n", h.where)
		}
		_, err := a.out.Write([]byte(h.print(e)))
		return err
	}
	return usagef("use one of "+strings.Join(mcpHarnesses(), ", "), fmt.Sprintf("no harness %q is known", f.printConfig))
}

type serverJSON struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	URL     string   `json:"url,omitempty"`
}

func (e mcpEntry) json() serverJSON {
	s := serverJSON{Command: e.command, Args: e.args, URL: e.url}
	if e.url != "" {
		s.Type = "http"
	}
	return s
}

func indented(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(v) != nil {
		return ""
	}
	return b.String()
}

func mcpServers(e mcpEntry) string {
	return indented(map[string]any{"mcpServers": map[string]any{e.name: e.json()}})
}

func openclawServers(e mcpEntry) string {
	s := e.json()
	if s.URL != "" {
		s.Type = ""
	}
	return indented(map[string]any{"mcp": map[string]any{"servers": map[string]any{e.name: s}}})
}

func opencodeServers(e mcpEntry) string {
	server := map[string]any{"type": "local", "command": append([]string{e.command}, e.args...), "enabled": true}
	if e.url != "" {
		server = map[string]any{"type": "remote", "url": e.url, "enabled": true}
	}
	return indented(map[string]any{"mcp": map[string]any{e.name: server}})
}

func codexServers(e mcpEntry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[mcp_servers.%s]\n", strconv.Quote(e.name))
	if e.url != "" {
		fmt.Fprintf(&b, "url = %s\n", strconv.Quote(e.url))
		return b.String()
	}
	fmt.Fprintf(&b, "command = %s\nargs = [%s]\n", strconv.Quote(e.command), quoted(e.args))
	return b.String()
}

func hermesServers(e mcpEntry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "mcp_servers:\n  %s:\n", e.name)
	if e.url != "" {
		fmt.Fprintf(&b, "    url: %s\n", strconv.Quote(e.url))
		return b.String()
	}
	fmt.Fprintf(&b, "    command: %s\n    args: [%s]\n", strconv.Quote(e.command), quoted(e.args))
	return b.String()
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strconv.Quote(s)
	}
	return strings.Join(out, ", ")
}

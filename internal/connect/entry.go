package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ServerEntry is how a harness starts, or reaches, the server.
type ServerEntry struct {
	Name    string // of the server
	Command string
	Args    []string
	URL     string // instead of a command
}

// entryFormat prints an entry as one harness wants it.
type entryFormat struct {
	name  string
	where string // the file it belongs in
	print func(ServerEntry) string
}

func entryFormats() []entryFormat {
	return []entryFormat{
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

// EntryHarnesses lists the harnesses that Entry prints for.
func EntryHarnesses() []string {
	var names []string
	for _, h := range entryFormats() {
		names = append(names, h.name)
	}
	return names
}

// ErrNoHarness is returned for a harness whose settings are not known.
var ErrNoHarness = errors.New("unknown harness")

// Entry prints a server's entry for a harness, and says which file it belongs in.
func Entry(harness string, e ServerEntry) (text, where string, err error) {
	for _, h := range entryFormats() {
		if h.name == harness {
			return h.print(e), h.where, nil
		}
	}
	return "", "", fmt.Errorf("%w %q", ErrNoHarness, harness)
}

type serverJSON struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	URL     string   `json:"url,omitempty"`
}

func (e ServerEntry) json() serverJSON {
	s := serverJSON{Command: e.Command, Args: e.Args, URL: e.URL}
	if e.URL != "" {
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

func mcpServers(e ServerEntry) string {
	return indented(map[string]any{"mcpServers": map[string]any{e.Name: e.json()}})
}

func openclawServers(e ServerEntry) string {
	s := e.json()
	if s.URL != "" {
		s.Type = ""
	}
	return indented(map[string]any{"mcp": map[string]any{"servers": map[string]any{e.Name: s}}})
}

func opencodeServers(e ServerEntry) string {
	server := map[string]any{"type": "local", "command": append([]string{e.Command}, e.Args...), "enabled": true}
	if e.URL != "" {
		server = map[string]any{"type": "remote", "url": e.URL, "enabled": true}
	}
	return indented(map[string]any{"mcp": map[string]any{e.Name: server}})
}

func codexServers(e ServerEntry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[mcp_servers.%s]\n", strconv.Quote(e.Name))
	if e.URL != "" {
		fmt.Fprintf(&b, "url = %s\n", strconv.Quote(e.URL))
		return b.String()
	}
	fmt.Fprintf(&b, "command = %s\nargs = [%s]\n", strconv.Quote(e.Command), quotedList(e.Args))
	return b.String()
}

func hermesServers(e ServerEntry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "mcp_servers:\n  %s:\n", e.Name)
	if e.URL != "" {
		fmt.Fprintf(&b, "    url: %s\n", strconv.Quote(e.URL))
		return b.String()
	}
	fmt.Fprintf(&b, "    command: %s\n    args: [%s]\n", strconv.Quote(e.Command), quotedList(e.Args))
	return b.String()
}

func quotedList(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strconv.Quote(s)
	}
	return strings.Join(out, ", ")
}

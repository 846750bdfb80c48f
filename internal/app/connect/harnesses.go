package connect

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"

	"tend/internal/text/confedit"
	"tend/internal/text/session"
)

// stdioServer is how most harnesses write a server they start themselves.
type stdioServer struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func (t Target) stdio() stdioServer { return stdioServer{t.Binary, t.args(t.serverMark())} }

// entry is the server as a member of the object at a path.
func (t Target) entry(d confedit.Dialect, path ...string) jsonEntry {
	return jsonEntry{d, append(path, t.Server()), t.stdio(), t.serverMark()}
}

// hooks are the commands for a session's start and for the time before a compaction.
func (t Target) hooks(d confedit.Dialect, h session.Hook, start, compaction string, item func(command string) any) []piece {
	return []piece{
		jsonItem{d, []string{"hooks", start}, item(t.HookCommand(h)), t.hookMark(h)},
		jsonItem{d, []string{"hooks", compaction}, item(t.CheckpointCommand(h)), t.checkpointMark(h)},
	}
}

// shellHook is one command of a group of hooks.
type shellHook struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

type hookGroup struct {
	Hooks []shellHook `json:"hooks"`
}

// hookSeconds is a hook's timeout: many times what it needs, yet no session waits long.
const hookSeconds = 30

func claudeCode(t Target) []File {
	servers, settings, rules := filepath.Join(t.Dir, ".mcp.json"), filepath.Join(t.Dir, ".claude", "settings.json"), filepath.Join(t.Dir,
		"CLAUDE.md")
	if t.Scope == User {
		dir := t.under("CLAUDE_CONFIG_DIR", ".claude")
		servers, settings, rules = filepath.Join(t.Home, ".claude.json"), filepath.Join(dir, "settings.json"), filepath.Join(dir, "CLAUDE.md")
		if dir != filepath.Join(t.Home, ".claude") {
			servers = filepath.Join(dir, ".claude.json")
		}
	}
	group := func(command string) any {
		return hookGroup{[]shellHook{{Type: "command", Command: command, Timeout: hookSeconds}}}
	}
	return append([]File{
		{Path: servers, secret: t.Scope == User, pieces: []piece{t.entry(confedit.Strict, "mcpServers")}},
		{Path: settings, pieces: t.hooks(confedit.Strict, session.ClaudeCode, "SessionStart", "PreCompact", group)},
	}, t.rules(rules)...)
}

func gemini(t Target) []File {
	settings, rules := filepath.Join(t.Dir, ".gemini", "settings.json"), filepath.Join(t.Dir, "GEMINI.md")
	if t.Scope == User {
		settings, rules = filepath.Join(t.Home, ".gemini", "settings.json"), filepath.Join(t.Home, ".gemini", "GEMINI.md")
	}
	group := func(command string) any {
		return hookGroup{[]shellHook{{Name: t.Server(), Type: "command", Command: command, Timeout: hookSeconds * 1000}}}
	}
	return append([]File{{Path: settings, pieces: append([]piece{t.entry(confedit.Comments, "mcpServers")},
		t.hooks(confedit.Comments, session.Gemini, "SessionStart", "PreCompress", group)...)}}, t.rules(rules)...)
}

func codex(t Target) []File {
	settings, rules := filepath.Join(t.under("CODEX_HOME", ".codex"), "config.toml"), filepath.Join(t.under("CODEX_HOME", ".codex"),
		"AGENTS.md")
	if t.Scope == Project {
		settings, rules = filepath.Join(t.Dir, ".codex", "config.toml"), filepath.Join(t.Dir, "AGENTS.md")
	}
	hook := func(event, command string) string {
		return fmt.Sprintf("\n[[hooks.%s]]\n[[hooks.%s.hooks]]\ntype = \"command\"\ncommand = %s\ntimeout = %d\n", event, event,
			quoted(command), hookSeconds)
	}
	tables := fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s\n", t.Server(), quoted(t.Binary), quoted(t.args(t.serverMark()))) +
		hook("SessionStart", t.HookCommand(session.Codex)) + hook("PreCompact", t.CheckpointCommand(session.Codex))
	return append([]File{{Path: settings, secret: t.Scope == User, pieces: []piece{tomlBlock{
		agent: t.Agent, tables: tables,
		own: [][]string{{"mcp_servers", t.Server()}}, lists: [][]string{{"hooks", "SessionStart"}, {"hooks", "PreCompact"}},
		marks: []mark{t.serverMark(), t.hookMark(session.Codex), t.checkpointMark(session.Codex)},
	}}}}, t.rules(rules)...)
}

func hermes(t Target) []File {
	home := t.under("HERMES_HOME", ".hermes")
	rules := filepath.Join(home, "SOUL.md")
	if t.Dir != "" {
		rules = filepath.Join(t.Dir, "AGENTS.md")
	}
	return append([]File{{Path: filepath.Join(home, "config.yaml"), secret: true, pieces: []piece{
		yamlPiece{path: []string{"mcp_servers", t.Server()}, mark: t.serverMark(), lines: []string{
			"command: " + quoted(t.Binary), "args: " + quoted(t.args(t.serverMark())),
		}},
		yamlPiece{path: []string{"hooks", "pre_llm_call"}, item: true, mark: t.hookMark(session.Hermes), lines: []string{
			"command: " + quoted(t.HookCommand(session.Hermes)), "timeout: " + strconv.Itoa(hookSeconds),
		}},
		yamlPiece{path: []string{"hooks", "post_llm_call"}, item: true, mark: t.checkpointMark(session.Hermes), lines: []string{
			"command: " + quoted(t.CheckpointCommand(session.Hermes)), "timeout: " + strconv.Itoa(hookSeconds),
		}},
	}}}, t.rules(rules)...)
}

func cursor(t Target) []File {
	dir := filepath.Join(t.Dir, ".cursor")
	if t.Scope == User {
		dir = filepath.Join(t.Home, ".cursor")
	}
	item := func(command string) any { return map[string]any{"command": command} }
	files := []File{
		{Path: filepath.Join(dir, "mcp.json"), pieces: []piece{t.entry(confedit.Comments, "mcpServers")}},
		{Path: filepath.Join(dir, "hooks.json"), pieces: append(
			[]piece{ensureKey{d: confedit.Comments, path: []string{"version"}, value: 1, neededBy: []string{"hooks"}}},
			t.hooks(confedit.Comments, session.Cursor, "sessionStart", "preCompact", item)...)},
	}
	if t.Rules != "" && t.Scope == Project {
		text := "---\ndescription: how this agent keeps its memory\nalwaysApply: true\n---\n\n" + t.Rules
		files = append(files, File{Path: filepath.Join(dir, "rules", "tend.mdc"), Rules: true, pieces: []piece{whole(text)}})
	}
	return files
}

func generic(t Target) []File {
	server := File{Path: filepath.Join(t.Dir, ".mcp.json"), pieces: []piece{t.entry(confedit.Strict, "mcpServers")}}
	return append([]File{server}, t.rules(filepath.Join(t.Dir, "AGENTS.md"))...)
}

func opencode(t Target) []File {
	dir, plugins, rules := t.Dir, filepath.Join(t.Dir, ".opencode", "plugin"), filepath.Join(t.Dir, "AGENTS.md")
	if t.Scope == User {
		dir = filepath.Join(t.under("XDG_CONFIG_HOME", ".config"), "opencode")
		plugins, rules = filepath.Join(dir, "plugin"), filepath.Join(dir, "AGENTS.md")
	}
	settings := filepath.Join(dir, "opencode.json")
	if exists(filepath.Join(dir, "opencode.jsonc")) && !exists(settings) {
		settings += "c"
	}
	server := struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled"`
	}{"local", t.ServerCommand(), true}
	return append([]File{
		{Path: settings, pieces: []piece{jsonEntry{confedit.Comments, []string{"mcp", t.Server()}, server, t.serverMark()}}},
		{Path: filepath.Join(plugins, "tend-"+t.Agent+".js"), pieces: []piece{whole(opencodePlugin(t))}},
	}, t.rules(rules)...)
}

func openclawState(t Target) string { return t.under("OPENCLAW_STATE_DIR", ".openclaw") }

func openclaw(t Target) []File {
	home := openclawState(t)
	settings := filepath.Join(home, "openclaw.json")
	if t.Env != nil && filepath.IsAbs(t.Env("OPENCLAW_CONFIG_PATH")) {
		settings = t.Env("OPENCLAW_CONFIG_PATH")
	}
	name := "tend-" + t.Agent
	hook := filepath.Join(home, "hooks", name)
	files := []File{
		{Path: settings, secret: true, pieces: []piece{
			t.entry(confedit.JSON5, "mcp", "servers"),
			hookSwitch{name},
		}},
		{Path: filepath.Join(hook, "HOOK.md"), pieces: []piece{whole(openclawHookDoc(name))}},
		{Path: filepath.Join(hook, "handler.js"), pieces: []piece{whole(openclawHandler(t))}},
	}
	dir := cmp.Or(t.Dir, t.Workspace)
	if dir == "" {
		return files
	}
	return append(files, t.rules(filepath.Join(dir, "AGENTS.md"))...)
}

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

func (t Target) stdio() stdioServer { return stdioServer{t.Binary, t.serverArgs()} }

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
	group := func(command string) hookGroup {
		return hookGroup{[]shellHook{{Type: "command", Command: command, Timeout: hookSeconds}}}
	}
	return append([]File{
		{Path: servers, secret: t.Scope == User,
			pieces: []piece{jsonEntry{confedit.Strict, []string{"mcpServers", t.Server()}, t.stdio(), t.serverMark()}}},
		{Path: settings, pieces: []piece{
			jsonItem{confedit.Strict, []string{"hooks", "SessionStart"}, group(t.HookCommand(session.ClaudeCode)), t.hookMark(session.ClaudeCode)},
			jsonItem{confedit.Strict, []string{"hooks", "PreCompact"}, group(t.CheckpointCommand(session.ClaudeCode)),
				t.checkpointMark(session.ClaudeCode)},
		}},
	}, t.rules(rules)...)
}

func gemini(t Target) []File {
	settings, rules := filepath.Join(t.Dir, ".gemini", "settings.json"), filepath.Join(t.Dir, "GEMINI.md")
	if t.Scope == User {
		settings, rules = filepath.Join(t.Home, ".gemini", "settings.json"), filepath.Join(t.Home, ".gemini", "GEMINI.md")
	}
	group := func(command string) hookGroup {
		return hookGroup{[]shellHook{{Name: t.Server(), Type: "command", Command: command, Timeout: hookSeconds * 1000}}}
	}
	return append([]File{{Path: settings, pieces: []piece{
		jsonEntry{confedit.Comments, []string{"mcpServers", t.Server()}, t.stdio(), t.serverMark()},
		jsonItem{confedit.Comments, []string{"hooks", "SessionStart"}, group(t.HookCommand(session.Gemini)), t.hookMark(session.Gemini)},
		jsonItem{confedit.Comments, []string{"hooks", "PreCompress"}, group(t.CheckpointCommand(session.Gemini)),
			t.checkpointMark(session.Gemini)},
	}}}, t.rules(rules)...)
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
	tables := fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s\n", t.Server(), quoted(t.Binary), quoted(t.serverArgs())) +
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
			"command: " + quoted(t.Binary), "args: " + quoted(t.serverArgs()),
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
	files := []File{
		{Path: filepath.Join(dir, "mcp.json"),
			pieces: []piece{jsonEntry{confedit.Comments, []string{"mcpServers", t.Server()}, t.stdio(), t.serverMark()}}},
		{Path: filepath.Join(dir, "hooks.json"), pieces: []piece{
			atLeast{confedit.Comments, []string{"version"}, 1, []string{"hooks"}},
			jsonItem{confedit.Comments, []string{"hooks", "sessionStart"}, map[string]any{"command": t.HookCommand(session.Cursor)},
				t.hookMark(session.Cursor)},
			jsonItem{confedit.Comments, []string{"hooks", "preCompact"}, map[string]any{"command": t.CheckpointCommand(session.Cursor)},
				t.checkpointMark(session.Cursor)},
		}},
	}
	if t.Rules != "" && t.Scope == Project {
		text := "---\ndescription: how this agent keeps its memory\nalwaysApply: true\n---\n\n" + t.Rules
		files = append(files, File{Path: filepath.Join(dir, "rules", "tend.mdc"), Rules: true, pieces: []piece{whole(text)}})
	}
	return files
}

func generic(t Target) []File {
	return append([]File{{Path: filepath.Join(t.Dir, ".mcp.json"), pieces: []piece{
		jsonEntry{confedit.Strict, []string{"mcpServers", t.Server()}, t.stdio(), t.serverMark()},
	}}}, t.rules(filepath.Join(t.Dir, "AGENTS.md"))...)
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
	}{"local", append([]string{t.Binary}, t.serverArgs()...), true}
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
			jsonEntry{confedit.JSON5, []string{"mcp", "servers", t.Server()}, t.stdio(), t.serverMark()},
			hookSwitch{name},
		}},
		{Path: filepath.Join(hook, "HOOK.md"), pieces: []piece{whole(openclawHook(name))}},
		{Path: filepath.Join(hook, "handler.js"), pieces: []piece{whole(openclawHandler(t))}},
	}
	dir := cmp.Or(t.Dir, t.Workspace)
	if dir == "" {
		return files
	}
	return append(files, t.rules(filepath.Join(dir, "AGENTS.md"))...)
}

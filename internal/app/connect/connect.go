// Package connect adds Tend to the settings of agent harnesses, and removes it again.
//
// A harness is data: the files it reads, and the pieces that go into each. Pieces are spliced into the text, so that
// the user's text stays as it is, including comments and formatting. The original file is remembered; undoing
// restores it to the byte if nobody has changed it since, and otherwise removes only our pieces.
package connect

import (
	"fmt"
	"path/filepath"
	"strings"

	"tend/internal/model/textfmt"
	"tend/internal/text/confedit"
	"tend/internal/text/session"
)

// Scope says for whom a harness is set up.
type Scope string

// The scopes.
const (
	Project Scope = "project" // those who work in one folder
	User    Scope = "user"    // everything the user does with the harness
)

// Target is what is connected, and where things are on this machine.
type Target struct {
	Agent     string
	Workspace string // of the agent, "" if it is on another machine
	Binary    string // absolute
	Config    string // absolute
	Rules     string // the block of rules, "" to leave it out
	Dir       string // the project's folder, absolute
	Home      string // the user's folder
	Scope     Scope
	Env       func(string) string

	plugin string // the harness whose plugin it is, see PluginOf
}

// File is a file of the harness with what belongs in it.
type File struct {
	Path   string
	Rules  bool // it is read by the model
	secret bool // the harness keeps keys in it: a new one is for its owner alone
	pieces []piece
}

// Harness is a program that runs agents.
type Harness struct {
	Name   string
	Scopes []Scope // the first is the default
	// Hook is what it calls at a session's start, "" if nothing.
	Hook session.Hook
	// Checkpoint is the hook that saves what a compaction would lose, "" if there is none.
	Checkpoint session.Hook
	// Compaction says when the hook is called, or what there is instead.
	Compaction string
	Notes      []string // what the user has to know or do
	files      func(Target) []File
}

// untried is added for programs that the tests cannot run.
const untried = "Its format follows the program's documentation and was not tested with it: check once that the memory arrives."

// Harnesses lists them.
func Harnesses() []Harness {
	return []Harness{
		{
			Name: "claude-code", Scopes: []Scope{Project, User}, Hook: session.ClaudeCode, Checkpoint: session.ClaudeCode, files: claudeCode,
			Compaction: "PreCompact saves what is in no file yet; SessionStart loads the memory again afterwards",
			Notes:      []string{"Claude Code asks once whether it may use a server from .mcp.json: approve it there."},
		},
		{
			Name: "openclaw", Scopes: []Scope{User}, Hook: session.OpenClaw, Checkpoint: session.OpenClaw, files: openclaw,
			Compaction: "session:compact:before saves what is in no file yet; a run that compacts within itself calls plugins " +
				"alone, Tend's too; without it OpenClaw's own flush of memory is left: `tend doctor` does its sum",
			Notes: []string{"The gateway runs the hook; `openclaw agent --local` runs none and has the rules alone."},
		},
		{
			Name: "hermes", Scopes: []Scope{User}, Hook: session.Hermes, Checkpoint: session.Hermes, files: hermes,
			Compaction: "Hermes calls nothing before a compaction; after each turn post_llm_call saves as full as its context is",
			Notes:      []string{"Hermes asks once for each hook whether it may run it, at the terminal: start `hermes` there once.", untried},
		},
		{
			Name: "codex", Scopes: []Scope{User, Project}, Hook: session.Codex, Checkpoint: session.Codex, files: codex,
			Compaction: "PreCompact saves what is in no file yet; SessionStart loads the memory again afterwards",
			Notes:      []string{"Codex runs a new hook only after you trust it: type /hooks there once."},
		},
		{
			Name: "gemini", Scopes: []Scope{Project, User}, Hook: session.Gemini, Checkpoint: session.Gemini, files: gemini,
			Compaction: "PreCompress saves what is in no file yet; it cannot load the memory again afterwards: the rules tell the model to read it",
			Notes:      []string{"Gemini CLI reads a project's settings only in trusted folders, and asks about new hooks."},
		},
		{
			Name: "opencode", Scopes: []Scope{Project, User}, Hook: session.Generic, Checkpoint: session.Generic, files: opencode,
			Compaction: "the plugin saves what is in no file yet and gives the memory to the summary",
		},
		{
			Name: "cursor", Scopes: []Scope{Project, User}, Hook: session.Cursor, Checkpoint: session.Cursor, files: cursor,
			Compaction: "preCompact saves what is in no file yet; it cannot load the memory again afterwards: the rules tell the model to read it",
			Notes:      []string{"Cursor asks once whether it may use the server: enable it in its settings.", untried},
		},
		{
			Name: "generic", Scopes: []Scope{Project}, Hook: session.Generic, Checkpoint: session.Generic, files: generic,
			Compaction: "before a compaction run the command under `checkpoint`",
			Notes:      []string{"At a session's start give the model what the command under `hook` prints; `--json` shows both."},
		},
	}
}

// Names lists the names of the harnesses.
func Names() (names []string) {
	for _, h := range Harnesses() {
		names = append(names, h.Name)
	}
	return names
}

// Find returns the harness of that name.
func Find(name string) (Harness, error) {
	for _, h := range Harnesses() {
		if h.Name == name {
			return h, nil
		}
	}
	return Harness{}, fmt.Errorf("no harness %q is known (there are %s)", name, strings.Join(Names(), ", "))
}

// Files returns the harness's files for a target.
func (h Harness) Files(t Target) []File { return h.files(t) }

// Server returns the name of the MCP server.
func (t Target) Server() string { return t.Agent + "-memory" }

// words are a command without the program and its configuration, by which it is recognised.
func (t Target) words(command string, agent ...string) mark {
	if t.plugin != "" {
		agent = []string{"--plugin", t.plugin}
	}
	return mark(command + " " + strings.Join(agent, " "))
}

func (t Target) serverMark() mark { return t.words("mcp", t.Agent) }

func (t Target) hookMark(h session.Hook) mark {
	return t.words("context", t.Agent, "--hook", string(h))
}

func (t Target) checkpointMark(h session.Hook) mark {
	return t.words("checkpoint", "--agent", t.Agent, "--hook", string(h))
}

// args returns the arguments of the program.
func (t Target) args(m mark) []string {
	words := strings.Fields(string(m))
	if t.plugin != "" {
		return words
	}
	return append([]string{"--config", t.Config}, words...)
}

// ServerCommand returns the program with its arguments that a harness starts as MCP server.
func (t Target) ServerCommand() []string {
	return append([]string{t.Binary}, t.args(t.serverMark())...)
}

// HookCommand returns the shell command that a harness runs at a session's start.
func (t Target) HookCommand(h session.Hook) string { return t.command(t.hookMark(h)) }

// CheckpointCommand returns what a harness runs before a compaction.
func (t Target) CheckpointCommand(h session.Hook) string { return t.command(t.checkpointMark(h)) }

func (t Target) command(m mark) string {
	if t.plugin != "" {
		return t.Binary + " " + string(m)
	}
	return textfmt.ShellQuote(t.Binary) + " --config " + textfmt.ShellQuote(t.Config) + " " + string(m)
}

// under returns a folder of the harness: the value of a variable, else the given one at home.
func (t Target) under(variable string, home ...string) string {
	if t.Env != nil && variable != "" {
		if dir := t.Env(variable); filepath.IsAbs(dir) {
			return dir
		}
	}
	return filepath.Join(append([]string{t.Home}, home...)...)
}

// rules returns the instructions file with the block in it; none without rules.
func (t Target) rules(path string) []File {
	if t.Rules == "" {
		return nil
	}
	return []File{{Path: path, Rules: true, pieces: []piece{rulesBlock(t.Rules)}}}
}

// quoted returns a value as JSON, which TOML, YAML and JavaScript read the same.
func quoted(v any) string {
	line, _ := confedit.Encode(v) // strings and lists of them always have a form
	return string(line)
}

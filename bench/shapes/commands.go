package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A step is one run of tend: arguments, or a tool of `tend mcp` with its arguments.
type step struct {
	args  []string
	tool  string
	input map[string]any
	stdin string
}

func (s step) String() string {
	if s.tool != "" {
		return s.tool
	}
	return strings.Join(s.args, " ")
}

// A group is steps that run one after the other on one workspace.
type group struct {
	name  string
	steps []step
}

func run(line string) step { return step{args: strings.Fields(line)} }

func fed(line, stdin string) step { s := run(line); s.stdin = stdin; return s }

func call(name string, args map[string]any) step { return step{tool: name, input: args} }

// session is what an MCP client writes for one call.
func (s step) session() (string, error) {
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 2, "method": "tools/call",
		"params": map[string]any{"name": s.tool, "arguments": s.input}})
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"shapes","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + string(b) + "\n", err
}

// groups are all commands and tools on a shape. The text is what the shape puts into the log: commands that take a text get
// it. {id} is the last action, {store} and {out} are paths of this world.
func groups(text string) []group {
	head := text[:min(len(text), 100<<10)]
	// An argument of a program may have 128 KB, without NUL.
	query := strings.ToValidUTF8(strings.ReplaceAll(head, "\x00", ""), "")
	arg := func(args ...string) step { return step{args: args} }
	return []group{
		{"read", lines(`check
check --verbose --ci
check ./ws
check --world
check --fix --dry-run
status
compare
compare --workspace ./ws
context
context --tokens o200k
context --hook claude-code
preview
preview --all
preview --print MEMORY.md
rules
search word
search --files word
search --explain tag:decision
grep a
grep -E a+b
tags
why word
session show
buffer show
fit --dry-run
findings
proposals
policy
doctor
log --patch
baseline draft
nightly --dry-run
run curate --dry-run
run curate --print-request
run prune --dry-run
run review --dry-run
run replay --dry-run
run archive --dry-run
run rotate --dry-run
baseline approve
reset --dry-run
baseline verify
baseline diff
baseline restore`)},
		{"queries", []step{
			arg("search", query), arg("grep", query), arg("why", query), arg("past", "search", query),
			fed("note --stdin --dry-run", head), fed("checkpoint --stdin --compacting --dry-run", head),
		}},
		{"nights", append([]step{run("baseline approve"), call("memory_append", map[string]any{"filename": "MEMORY.md", "text": text})},
			lines(`show {id}
show MEMORY.md@{id}~
diff MEMORY.md@{id}~
restore MEMORY.md --at {id}~ --dry-run
undo {id}
nightly
run curate --force
run prune --force
run review --force
run replay --force
run archive --force
log --patch
past list
past search word
history sync
history log
export a {out}
import {out} --name b --workspace {out}-ws --dry-run
reset
undo {id} --dry-run
move ./ws`)...)},
		{"writes", []step{
			fed("note --stdin", head), fed("checkpoint --stdin --compacting", head), fed("buffer add -", head), run("buffer clear"),
			fed("session write -", head), run("verify MEMORY.md"), run("fit --apply"),
			run("run rotate"), fed("purge", "topic of a purge"), fed("purge --yes", "topic of a purge"),
		}},
		{"store", []step{
			run("store init {store}"), run("store push a"), run("sync"), run("store status"), run("store check"), run("store pack"),
			call("memory_append", map[string]any{"filename": "memory/topic.md", "text": text}), run("sync"),
			run("store clone a {out}-copy --config {out}-there/tend.yaml --store {store}"),
		}},
		{"tools", []step{
			call("memory_read", map[string]any{"filename": "MEMORY.md"}), call("memory_list", map[string]any{}),
			call("memory_search", map[string]any{"query": "word"}), call("memory_search", map[string]any{"query": text}),
			call("memory_search", map[string]any{"query": head[:min(len(head), 2000)], "past": true, "current": true}),
			call("memory_history", map[string]any{}), call("memory_lost", map[string]any{}), call("memory_review", map[string]any{}),
			call("memory_note", map[string]any{"text": text}), call("memory_checkpoint", map[string]any{"text": text}),
			call("memory_append", map[string]any{"filename": "memory/topic.md", "text": text}),
			call("memory_write", map[string]any{"filename": "memory/new.md", "content": text}),
			call("memory_insert", map[string]any{"filename": "memory/topic.md", "line": 1, "text": text}),
			call("memory_replace", map[string]any{"filename": "memory/new.md", "old_str": text, "new_str": "a"}),
			call("memory_propose", map[string]any{"text": text, "why": text}),
			call("memory_decide", map[string]any{"request": text, "operations": []any{}}),
			call("memory_move", map[string]any{"from": "memory/topic.md", "to": "memory/topic2.md"}),
			call("memory_delete", map[string]any{"filename": "memory/topic2.md"}),
			call("memory_restore", map[string]any{"filename": "memory/topic.md", "id": text}),
		}},
	}
}

func lines(s string) (out []step) {
	for l := range strings.Lines(s) {
		out = append(out, run(l))
	}
	return out
}

// place fills in what a step names.
func (s step) place(w world) ([]string, error) {
	out := []string{"--config", "tend.yaml", "--clock", "2026-11-18 03:00"}
	for _, a := range s.args {
		if strings.Contains(a, "{id}") {
			id, err := w.lastAction()
			if err != nil {
				return nil, err
			}
			a = strings.ReplaceAll(a, "{id}", id)
		}
		out = append(out, strings.NewReplacer("{store}", w.path("store"), "{out}", w.path("out")).Replace(a))
	}
	if s.tool != "" {
		out = append(out, "mcp")
	}
	if len(out) == 4 {
		return nil, fmt.Errorf("an empty step")
	}
	return out, nil
}

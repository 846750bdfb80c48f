package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tend/test/require"
)

// jsonSteps is a session in which every command that has --json prints some. Steps that begin with a name and a colon are
// documented under that name; the others only prepare. ID is the newest action, SEEN the newest proposal or finding.
const jsonSteps = `
version: version
init: init w/garden --to other/tend.yaml --dry-run
baseline list: baseline list
baseline verify: baseline verify
baseline approve: baseline approve --all
baseline diff: baseline diff reviewer
baseline restore: baseline restore --all
policy: policy reviewer
doctor: doctor
append w/reviewer/MEMORY.md - 2026-11-14: the mirror listens on port 8443
run, reset, nightly and the other jobs: reset --all
run, reset, nightly and the other jobs: nightly gardener
run, reset, nightly and the other jobs: nightly gardener
log: log reviewer
show ID: show ID
show FILE@ID: show MEMORY.md@ID~ --agent reviewer
diff: diff MEMORY.md@ID~ --agent reviewer
restore, undo: undo ID
restore, undo: restore MEMORY.md --at ID --agent reviewer
status: status
check: check
compare: compare gardener
preview: preview gardener
preview --all: preview gardener --all
preview --print: preview gardener --print MEMORY.md
fit: fit gardener
context: context gardener
search: search mirror --past --agent reviewer
search: search releases --agent gardener
grep: grep staging --agent gardener
tags: tags --agent gardener
why: why staging --agent gardener
past list: past list reviewer
past show: past show ID --agent reviewer
note, buffer add, session set, verify: note the_feed_moved --agent gardener
note, buffer add, session set, verify: buffer add half_a_report --agent gardener
buffer show: buffer show --agent gardener
session show: session show --agent gardener
checkpoint: checkpoint --agent gardener --used 90000 --window 100000
rules: rules gardener
proposals: proposals gardener
findings: findings
history sync: history sync reviewer
history path: history path reviewer
up --check: up --check
token create: token create gardener
token list: token list
service install: service install --prefix units
service status: service status --prefix units
service uninstall: service uninstall --prefix units
man: man pages
import: import old.conf --dry-run --to imported/tend.yaml
import --transcripts: import --transcripts past --agent gardener
why: why seedlings --agent gardener
export: export gardener garden.tend.tar.gz
baseline draft: baseline draft reviewer
migrate: migrate gardener --to hermes newhome --with-secrets --dry-run
move: move w/garden --agent gardener --dry-run
purge: purge --agent reviewer --file secret
connect: connect claude-code --agent gardener --dry-run
demo: demo
`

// findingPart documents a finding once, for all commands that print some.
const findingPart = "A finding"

// namedKeys are objects whose keys are names, not fields: agents, jobs, files.
var namedKeys = map[string]bool{"jobs": true, "set_by": true, "policy": true, "left_out": true}

// TestJSONSchema runs every command with --json: each has the fields that docs/json.md promises. -update writes the page.
func TestJSONSchema(t *testing.T) {
	meaning := fieldMeanings(t)
	page, err := filepath.Abs("../../../docs/json.md")
	must(t, err)
	dir := t.TempDir()
	t.Chdir(dir)
	for k, v := range map[string]string{"HOME": dir, "XDG_CONFIG_HOME": filepath.Join(dir, ".config"),
		"XDG_STATE_HOME": filepath.Join(dir, ".state"), "TEND_CONFIG": "", "USER": "operator", "SUDO_USER": "", "TZ": "UTC"} {
		t.Setenv(k, v)
	}
	jsonFixture(t)
	docs := map[string]map[string]string{findingPart: {}}
	order := []string{findingPart}
	id := ""
	for step := range strings.Lines(jsonSteps) {
		step = strings.TrimSpace(step)
		if file, ok := strings.CutPrefix(step, "append "); ok {
			name, text, _ := strings.Cut(file, " ")
			old, err := os.ReadFile(name)
			must(t, err)
			must(t, os.WriteFile(name, append(old, text+"\n"...), 0o644))
			continue
		}
		name, line, ok := strings.Cut(step, ": ")
		if !ok {
			continue
		}
		args := strings.Fields(strings.ReplaceAll(line, "ID", id))
		var out, errw bytes.Buffer
		code := Main(append([]string{"--json", "--clock", "2026-11-15 12:00"}, args...), strings.NewReader(""), &out, &errw)
		var value any
		if err := json.Unmarshal(out.Bytes(), &value); err != nil || code != 0 && code != 1 && code != 3 {
			t.Errorf("tend %s: exit code %d, %v\n%s%s", line, code, err, out.String(), errw.String())
			continue
		}
		if docs[name] == nil {
			docs[name] = map[string]string{}
			order = append(order, name)
		}
		fieldsOf(docs[name], "", value)
		for path, kind := range docs[name] { // findings look the same everywhere
			if before, after, ok := strings.Cut(path, "findings[]"); ok && (before == "" || strings.HasSuffix(before, ".")) {
				delete(docs[name], path)
				if after != "" {
					docs[findingPart][after[1:]] = kind
				}
			}
		}
		if line == "reset --all" {
			id = value.([]any)[0].(map[string]any)["action"].(string)
		}
	}
	if *update {
		must(t, os.WriteFile(page, jsonPage(t, order, docs, meaning), 0o644))
	}
	have, err := os.ReadFile(page)
	must(t, err)
	promised(t, string(have), docs)
}

// promised compares the page with the output: every documented field is there, with its type. A new field is no error;
// `make docs` adds it to the page.
func promised(t *testing.T, page string, docs map[string]map[string]string) {
	t.Helper()
	name, rows := "", 0
	for line := range strings.Lines(page) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			name = strings.TrimSpace(title)
			if docs[name] == nil {
				t.Errorf("docs/json.md: nothing was run for %q", name)
			}
			continue
		}
		cells := strings.Split(line, " | ")
		path, ok := strings.CutPrefix(cells[0], "| `")
		if !ok || docs[name] == nil {
			continue
		}
		rows++
		path = strings.TrimSuffix(path, "`")
		if path == "(all)" {
			path = ""
		}
		if got := docs[name][path]; got != cells[1] {
			t.Errorf("docs/json.md: %s: %q is %q, documented as %q", name, path, got, cells[1])
		}
	}
	if rows < 300 {
		t.Errorf("only %d fields are documented", rows)
	}
}

var must = require.NoError

// fieldsOf collects the paths and types of a value: "", "[]", "agents[].name".
func fieldsOf(to map[string]string, at string, value any) {
	kind := ""
	switch v := value.(type) {
	case map[string]any:
		kind = "object"
		for k, sub := range v {
			if namedKeys[at[strings.LastIndexByte(at, '.')+1:]] {
				k = "NAME"
			}
			fieldsOf(to, strings.TrimPrefix(at+"."+k, "."), sub)
		}
	case []any:
		kind = "list"
		for _, sub := range v {
			fieldsOf(to, at+"[]", sub)
		}
	case string:
		kind = "text"
	case float64:
		kind = "number"
	case bool:
		kind = "true or false"
	case nil:
		kind = "null"
	}
	if have := to[at]; have == "" || have == "null" {
		to[at] = kind
	}
}

// fieldMeanings reads testdata/json-fields.txt: "field: meaning", or "command/path: meaning" where one command means
// something else by it.
func fieldMeanings(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open("testdata/json-fields.txt")
	must(t, err)
	defer f.Close()
	m := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if k, v, ok := strings.Cut(lines.Text(), ": "); ok {
			m[k] = v
		}
	}
	return m
}

func jsonPage(t *testing.T, order []string, docs map[string]map[string]string, meaning map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("# JSON\n\n" + wrap(meaning["PAGE"], "", 100, 0) + "\n")
	used := map[string]bool{"PAGE": true}
	for _, name := range order {
		fmt.Fprintf(&b, "\n## %s\n\n", name)
		if about := meaning["# "+name]; about != "" {
			used["# "+name] = true
			b.WriteString(wrap(about, "", 100, 0) + "\n\n")
		}
		b.WriteString("| field | type | meaning |\n|---|---|---|\n")
		for _, path := range slices.Sorted(maps.Keys(docs[name])) {
			last := strings.TrimRight(path[strings.LastIndexByte(path, '.')+1:], "[]")
			text := ""
			for _, key := range []string{name + "/" + path, last} {
				if m, ok := meaning[key]; ok && text == "" {
					text = m
					used[key] = true
				}
			}
			kind := docs[name][path]
			if path == "" || strings.HasSuffix(path, "[]") {
				if kind == "object" && path != "" || path == "" && kind == "object" {
					continue
				}
				if path != "" && (kind == "text" || kind == "number") {
					continue
				}
				if path == "" {
					path, text = "(all)", "one for each"
				}
			}
			if text == "" {
				t.Errorf("%s: nothing in testdata/json-fields.txt says what %s is", name, path)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", path, kind, text)
		}
	}
	for key := range meaning {
		if !used[key] {
			t.Errorf("testdata/json-fields.txt: no command prints %s", key)
		}
	}
	return b.Bytes()
}

func jsonFixture(t *testing.T) {
	t.Helper()
	base := "# Reviewer\n\n" + strings.Repeat("- Ask before what cannot be undone, and say what you did and why.\n", 20) + "\n---\n## Notes\n"
	for name, text := range map[string]string{
		"tend.yaml": "version: 1\nstate_dir: ./state\ndefaults: {timezone: UTC, automation: curate}\nagents:\n" +
			"  reviewer: {workspace: ./w/reviewer, layout: shepherd, baselines: {MEMORY.md: base.md}}\n" +
			"  gardener: {workspace: ./w/garden, layout: openclaw, policy: {protocol: layered}}\n",
		"base.md": base, "w/reviewer/MEMORY.md": base,
		"w/garden/SOUL.md": "# Soul\n\nYou are careful and brief.\n",
		"w/garden/AGENTS.md": "# Rules\n\n- Never share keys.\n" +
			strings.Repeat("- Say what you did before you go on to the next thing.\n", 500),
		"w/garden/MEMORY.md": "# Memory\n\n- 2026-03-02: releases go out on Tuesday.\n- the staging host listens on port 8443\n\n" +
			"## Staging\n\n- Port: 8443\n- Read `memory/plan.md`.\n- See `memory/none.md`.\n",
		"w/garden/memory/2026-11-14.md": "# 2026-11-14\n\n- 09:10 [decision] reports begin with the reason\n" +
			"- 10:00 [lesson] the proxy caches names for an hour\n",
		"w/garden/memory/network.md": "# Network\n\n- the staging host listens on port 9443\n\n## Staging\n\n- Port: 9443\n",
		"secret":                     "nothing of the kind\n",
		"past/session-x.json":        "{",
		"past/a1.jsonl": `{"type":"user","sessionId":"a1","uuid":"u","timestamp":"2026-11-01T08:00:00Z",` +
			`"message":{"content":"Always water the tomatoes before nine."}}` + "\n" +
			`{"type":"user","sessionId":"a1","uuid":"v","timestamp":"2026-11-01T08:01:00Z",` +
			`"message":{"content":"The seedlings came on Monday."}}` + "\n",
		"old.conf": "[general]\nbaseline_dir=.\nmin_baseline_size=10\n[scout]\nmemory_file=./w/reviewer/MEMORY.md\n" +
			"baseline=base.md\n",
	} {
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(text), 0o644))
	}
}

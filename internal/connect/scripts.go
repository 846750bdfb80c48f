package connect

import (
	"encoding/json"
	"fmt"
	"os"

	"tend/internal/session"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// atLeast is a value that must be there; one that is there already stays.
type atLeast struct {
	d     dialect
	path  []string
	value any
}

func (p atLeast) in(text string) (string, error) {
	j, err := readJSON(text, p.d)
	if err != nil || j.find(p.path) != nil {
		return text, err
	}
	err = j.put(p.path, p.value)
	return j.text, err
}

func (p atLeast) out(text, before string) (string, error) {
	j, err := readJSON(text, p.d)
	if err != nil || there(before, p.d)(p.path) || len(j.root.members) != 1 {
		return text, err
	}
	err = j.drop(p.path, there(before, p.d))
	return j.text, err
}

// hookSwitch selects a hook of OpenClaw's by name. The first name in the list narrows a
// selection that was open: where all hooks are on, ours is on too and no name is added.
type hookSwitch struct{ name string }

var hookEntries = []string{"hooks", "internal", "entries"}

func (p hookSwitch) entry() jsonEntry {
	return jsonEntry{json5, append(hookEntries[:len(hookEntries):len(hookEntries)], p.name), map[string]any{"enabled": true}, ""}
}

func (p hookSwitch) in(text string) (string, error) {
	j, err := readJSON(text, json5)
	if err != nil {
		return "", err
	}
	named := j.find(hookEntries)
	on := j.find([]string{"hooks", "internal", "enabled"})
	if on != nil && on.value == true && (named == nil || len(named.members) == 0) {
		return text, nil
	}
	return p.entry().in(text)
}

func (p hookSwitch) out(text, before string) (string, error) { return p.entry().out(text, before) }

func js(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "null" // strings and lists of them always have a form
	}
	return string(data)
}

func openclawHook(name string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: \"Give a session its memory at its start, by Tend\"\nmetadata: { \"openclaw\": { \"events\": [\"agent:bootstrap\"] } }\n---\n\n# %s\n\nWritten by `tend connect openclaw`; `tend connect openclaw --undo` takes it away.\n", name, name)
}

// openclawHandler adds the session's context to the files a session of this agent starts
// with, as one more memory file: OpenClaw then shows it where it shows memory at all.
func openclawHandler(t Target) string {
	args := []string{"--config", t.Config, "context", t.Agent, "--hook", string(session.OpenClaw)}
	return fmt.Sprintf(`import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";

const tend = %s;
const args = %s;
const workspace = %s;

const real = (path) => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

export default function handler(event) {
  if (event.type !== "agent" || event.action !== "bootstrap") return;
  const { workspaceDir, bootstrapFiles } = event.context ?? {};
  if (!Array.isArray(bootstrapFiles) || !workspaceDir) return;
  if (workspace && real(workspaceDir) !== real(workspace)) return;
  try {
    const out = execFileSync(tend, args, { input: JSON.stringify({ hook_event_name: "SessionStart" }), timeout: %d, encoding: "utf8" });
    const content = JSON.parse(out).prependContext;
    if (content) bootstrapFiles.push({ name: "MEMORY.md", path: join(workspaceDir, ".tend-session.md"), content, missing: false });
  } catch (err) {
    console.error("[tend] no memory for this session: " + err.message);
  }
}
`, js(t.Binary), js(args), js(t.Workspace), hookSeconds*1000)
}

// opencodePlugin gives a session its context with the system prompt, once a session, and
// again to the one that writes the summary of a compaction.
func opencodePlugin(t Target) string {
	args := []string{"--config", t.Config, "context", t.Agent, "--hook", string(session.Generic)}
	return fmt.Sprintf(`// Written by "tend connect opencode"; "tend connect opencode --undo" takes it away.
import { execFileSync } from "node:child_process";

const tend = %s;
const args = %s;
const known = new Map();

const memory = (session) => {
  if (!known.has(session)) {
    try {
      known.set(session, execFileSync(tend, args, { input: "{}", timeout: %d, encoding: "utf8" }));
    } catch (err) {
      return "Your memory could not be loaded: " + err.message;
    }
  }
  return known.get(session);
};

export const Tend = async () => ({
  "experimental.chat.system.transform": async (input, output) => {
    output.system.push(memory(input.sessionID ?? ""));
  },
  "experimental.session.compacting": async (input, output) => {
    known.delete(input.sessionID ?? "");
    output.context.push(memory(input.sessionID ?? ""));
  },
});
`, js(t.Binary), js(args), hookSeconds*1000)
}

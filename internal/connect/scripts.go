package connect

import (
	"fmt"
	"os"

	"tend/internal/session"
	"tend/internal/splice"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// atLeast is a value that must be there for what is below another key; one that is there
// already stays.
type atLeast struct {
	d     splice.Dialect
	path  []string
	value any
	of    []string // what needs it
}

func (p atLeast) in(text string) (string, error) {
	j, err := splice.ReadJSON(text, p.d)
	if err != nil || j.Find(p.path) != nil {
		return text, err
	}
	err = j.Put(p.path, p.value)
	return j.Text, err
}

// out leaves it to others who came to need it since.
func (p atLeast) out(text, before string) (string, error) {
	j, err := splice.ReadJSON(text, p.d)
	was := there(before, p.d)
	if err != nil || j.Find(p.path) == nil || was(p.path) || j.Find(p.of) != nil && !was(p.of) {
		return text, err
	}
	err = j.Drop(p.path, was)
	return j.Text, err
}

// hookSwitch selects a hook of OpenClaw's by name. The first name in the list narrows a
// selection that was open: where all hooks are on, ours is on too and no name is added.
type hookSwitch struct{ name string }

var hookEntries = []string{"hooks", "internal", "entries"}

func (p hookSwitch) entry() jsonEntry {
	return jsonEntry{splice.JSON5, append(hookEntries[:len(hookEntries):len(hookEntries)], p.name), map[string]any{"enabled": true}, ""}
}

func (p hookSwitch) in(text string) (string, error) {
	j, err := splice.ReadJSON(text, splice.JSON5)
	if err != nil {
		return "", err
	}
	named := j.Find(hookEntries)
	on := j.Find([]string{"hooks", "internal", "enabled"})
	if on != nil && on.Value == true && (named == nil || len(named.Members) == 0) {
		return text, nil
	}
	return p.entry().in(text)
}

func (p hookSwitch) out(text, before string) (string, error) { return p.entry().out(text, before) }

func openclawHook(name string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: \"Give a session its memory at its start and save it before a compaction, by Tend\"\nmetadata: { \"openclaw\": { \"events\": [\"agent:bootstrap\", \"session:compact:before\"] } }\n---\n\n# %s\n\nWritten by `tend connect openclaw`; `tend connect openclaw --undo` takes it away.\n", name, name)
}

// openclawHandler adds the session's context to the files a session of this agent starts
// with, as one more memory file: OpenClaw then shows it where it shows memory at all. Before
// a compaction it hands over what was said, from where OpenClaw keeps it; the event itself
// tells only whose session it is.
func openclawHandler(t Target) string {
	context := []string{"--config", t.Config, "context", t.Agent, "--hook", string(session.OpenClaw)}
	checkpoint := []string{"--config", t.Config, "checkpoint", "--agent", t.Agent, "--hook", string(session.OpenClaw)}
	return fmt.Sprintf(`// Written by "tend connect openclaw"; "tend connect openclaw --undo" takes it away.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";

const tend = %s;
const args = %s;
const checkpoint = %s;
const workspace = %s;
const state = %s;
const ours = new Set();

const run = (args, input) => execFileSync(tend, args, { input: JSON.stringify(input), timeout: %d, encoding: "utf8" });

const real = (path) => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

const events = (agent, session) => {
  const file = join(state, "agents", agent, "agent", "openclaw-agent.sqlite");
  if (!existsSync(file)) {
    return readFileSync(join(state, "agents", agent, "sessions", session + ".jsonl"), "utf8").split("\n").filter(Boolean);
  }
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = db.prepare("SELECT event_json, event_zstd FROM transcript_events WHERE session_id = ? ORDER BY seq").all(session);
    return rows.map((row) => row.event_json ?? zstdDecompressSync(row.event_zstd).toString());
  } finally {
    db.close();
  }
};

const bootstrap = ({ workspaceDir, bootstrapFiles, sessionKey }, key) => {
  if (!Array.isArray(bootstrapFiles) || !workspaceDir) return;
  if (workspace && real(workspaceDir) !== real(workspace)) return;
  ours.add(sessionKey ?? key);
  const content = JSON.parse(run(args, { hook_event_name: "SessionStart" })).prependContext;
  if (content) bootstrapFiles.push({ name: "MEMORY.md", path: join(workspaceDir, ".tend-session.md"), content, missing: false });
};

const save = ({ sessionId, tokenCount }, key) => {
  if (!sessionId || (workspace && !ours.has(key))) return;
  const messages = events(key?.split(":")[1] ?? "main", sessionId)
    .map((line) => JSON.parse(line))
    .filter((event) => event.type === "message" && ["user", "assistant"].includes(event.message?.role))
    .map(({ message }) => ({ role: message.role, content: message.content }));
  if (messages.length === 0) return;
  run(checkpoint, { session_id: sessionId, hook_event_name: "session:compact:before", context_tokens: tokenCount, messages });
};

export default function handler(event) {
  try {
    if (event.type === "agent" && event.action === "bootstrap") bootstrap(event.context ?? {}, event.sessionKey);
    if (event.type === "session" && event.action === "compact:before") save(event.context ?? {}, event.sessionKey);
  } catch (err) {
    console.error("[tend] " + event.type + ":" + event.action + ": " + err.message);
  }
}
`, quoted(t.Binary), quoted(context), quoted(checkpoint), quoted(t.Workspace), quoted(openclawState(t)), hookSeconds*1000)
}

// opencodePlugin gives a session its context with the system prompt, once a session. Before
// a compaction it saves what was said, and gives the context to the one that writes the summary.
func opencodePlugin(t Target) string {
	context := []string{"--config", t.Config, "context", t.Agent, "--hook", string(session.Generic)}
	checkpoint := []string{"--config", t.Config, "checkpoint", "--agent", t.Agent, "--hook", string(session.Generic)}
	return fmt.Sprintf(`// Written by "tend connect opencode"; "tend connect opencode --undo" takes it away.
import { execFileSync } from "node:child_process";

const tend = %s;
const args = %s;
const checkpoint = %s;
const known = new Map();

const run = (args, input) => execFileSync(tend, args, { input: JSON.stringify(input), timeout: %d, encoding: "utf8" });

const memory = (session) => {
  if (!known.has(session)) {
    try {
      known.set(session, run(args, {}));
    } catch (err) {
      return "Your memory could not be loaded: " + err.message;
    }
  }
  return known.get(session);
};

const text = (parts) => parts.filter((p) => p.type === "text" && p.text && !p.synthetic).map((p) => ({ type: "text", text: p.text }));

const save = async (client, session) => {
  try {
    const { data } = await client.session.messages({ path: { id: session } });
    const messages = (data ?? []).map(({ info, parts }) => ({ role: info.role, content: text(parts) }));
    const used = (data ?? []).map(({ info }) => info.tokens).filter((t) => t?.input > 0).map((t) => t.input + t.output + (t.cache?.read ?? 0)).at(-1);
    const input = { session_id: session, hook_event_name: "PreCompact", context_tokens: used, messages: messages.filter((m) => m.content.length > 0) };
    if (input.messages.length > 0) run(checkpoint, input);
  } catch (err) {
    console.error("[tend] nothing was saved before the compaction: " + err.message);
  }
};

export const Tend = async ({ client } = {}) => ({
  "experimental.chat.system.transform": async (input, output) => {
    output.system.push(memory(input.sessionID ?? ""));
  },
  "experimental.session.compacting": async (input, output) => {
    const session = input.sessionID ?? "";
    if (client) await save(client, session);
    known.delete(session);
    output.context.push(memory(session));
  },
});
`, quoted(t.Binary), quoted(context), quoted(checkpoint), hookSeconds*1000)
}

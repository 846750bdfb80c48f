// Written by "tend connect openclaw"; "tend connect openclaw --undo" takes it away.
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

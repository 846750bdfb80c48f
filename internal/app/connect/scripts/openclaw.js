// @origin@
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative, sep } from "node:path";
import { zstdDecompressSync } from "node:zlib";

const tend = @tend@;
const args = @context@;
const checkpoint = @checkpoint@;
const workspace = @workspace@;
const state = @state@;
const ours = new Map();

const run = (args, input) => execFileSync(tend, args, { input: JSON.stringify(input), timeout: @timeout@, encoding: "utf8" });

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

const bootstrap = ({ workspaceDir, bootstrapFiles, sessionKey, sessionId, agentId, cfg }, key) => {
  if (!Array.isArray(bootstrapFiles) || !workspaceDir) return;
  if (workspace && real(workspaceDir) !== real(workspace)) return;
  ours.set(sessionKey ?? key, { cwd: workspaceDir, session: sessionId });
  const files = bootstrapFiles
    .filter((file) => !file.missing && typeof file.path === "string")
    .map((file) => ({
      path: relative(workspaceDir, file.path).split(sep).join("/"),
      version: createHash("sha256").update(file.content ?? "").digest("hex"),
    }));
  const own = cfg?.agents?.list?.find?.((agent) => agent.id === agentId);
  const { bootstrapMaxChars: limit, bootstrapTotalMaxChars: total } = { ...cfg?.agents?.defaults, ...own };
  const session = { session_id: sessionId ?? sessionKey ?? key, session_key: sessionKey ?? key, cwd: workspaceDir };
  const event = { hook_event_name: "SessionStart", ...session, files, limit, total };
  const content = JSON.parse(run(args, event)).prependContext;
  if (content) bootstrapFiles.push({ name: "MEMORY.md", path: join(workspaceDir, ".tend-session.md"), content, missing: false });
};

export const save = ({ sessionId, workspaceDir, tokenCount, messages }, key) => {
  const known = ours.get(key);
  const session = sessionId ?? known?.session;
  if (!session || (workspace && !known)) return;
  const stored = () =>
    events(key?.split(":")[1] ?? "main", session)
      .map((line) => JSON.parse(line))
      .filter((event) => event.type === "message")
      .map((event) => event.message);
  const said = (messages ?? stored())
    .filter((message) => ["user", "assistant"].includes(message?.role))
    .map(({ role, content }) => ({ role, content }));
  if (said.length === 0) return;
  const cwd = workspaceDir ?? known?.cwd;
  const event = { session_id: session, cwd, hook_event_name: "session:compact:before", context_tokens: tokenCount, messages: said };
  const { systemMessage } = JSON.parse(run(checkpoint, event) || "{}");
  if (systemMessage) console.log(systemMessage);
};

export const attempt = (what, action) => {
  try {
    action();
  } catch (err) {
    const missing = err.code === "ENOENT" && err.path === tend;
    console.error("[tend] " + what + ": " + (missing ? "the program " + tend + " was not found; the README says how to install it" : err.message));
  }
};

export default function handler(event) {
  attempt(event.type + ":" + event.action, () => {
    if (event.type === "agent" && event.action === "bootstrap") bootstrap(event.context ?? {}, event.sessionKey);
    if (event.type === "session" && event.action === "compact:before") save(event.context ?? {}, event.sessionKey);
  });
}

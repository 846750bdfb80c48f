// Written by "tend connect opencode"; "tend connect opencode --undo" takes it away.
import { execFileSync } from "node:child_process";

const tend = @tend@;
const args = @context@;
const checkpoint = @checkpoint@;
const known = new Map();

const run = (args, input) => execFileSync(tend, args, { input: JSON.stringify(input), timeout: @timeout@, encoding: "utf8" });

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

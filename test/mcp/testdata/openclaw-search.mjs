// Asks an installed OpenClaw what memory_search gives, with its keyword index alone.
//
// usage: node openclaw-search.mjs PACKAGE_DIR WORKSPACE < calls > answers
//
// The first output line is the schema of the arguments. Each input line is the arguments of a call, each
// further output line its answer, or {"threw": …}. Its state is where OPENCLAW_STATE_DIR says.

import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const [dir, workspace] = process.argv.slice(2);
const dist = path.join(path.resolve(dir), "dist");
const load = (file) => import(pathToFileURL(path.join(dist, file)));

// exporting finds the bundled chunk that exports a function under its own name.
async function exporting(name) {
  const exported = new RegExp(`export \\{[^}]*\\b${name}\\b(?! as)`);
  for (const file of fs.readdirSync(dist)) {
    if (/\.m?js$/.test(file) && exported.test(fs.readFileSync(path.join(dist, file), "utf8"))) return await load(file);
  }
  throw new Error(`this package has no ${name}`);
}

const { createPluginStateKeyedStore } = await exporting("createPluginStateKeyedStore");
const { createMemorySearchTool } = await exporting("createMemorySearchTool");
const { configureMemoryCoreDreamingState, getMemorySearchManager } = await load("extensions/memory-core/runtime-api.js");
configureMemoryCoreDreamingState((options) => createPluginStateKeyedStore("memory-core", options));

const config = { agents: { defaults: { workspace } }, memory: { search: { provider: "none" } } };
// A search waits 30 s for the index to be built, which a busy machine may need more of.
const { manager } = await getMemorySearchManager({ cfg: config, agentId: "main", purpose: "cli" });
await manager.sync({ reason: "test" });
await manager.close?.();
const tool = createMemorySearchTool({ config, agentId: "main", agentSessionKey: "agent:main:main", oneShotCliRun: true });
const print = (value) => process.stdout.write(JSON.stringify(value) + "\n");

print(tool.parameters);
for await (const line of readline.createInterface({ input: process.stdin })) {
  try {
    print(JSON.parse((await tool.execute("1", JSON.parse(line))).content[0].text));
  } catch (error) {
    print({ threw: error.message });
  }
}
process.exit(0);

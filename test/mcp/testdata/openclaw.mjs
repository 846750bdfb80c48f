// Asks an installed OpenClaw what memory_get gives.
//
// usage: node openclaw.mjs PACKAGE_DIR WORKSPACE < calls > answers
//
// Each input line is the arguments of a call, each output line its answer.

import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const [dir, workspaceDir] = process.argv.slice(2);
const dist = path.join(path.resolve(dir), "dist");

// exported finds a function in whichever bundled chunk defines it.
async function exported(name) {
  for (const file of fs.readdirSync(dist)) {
    if (!/\.m?js$/.test(file)) continue;
    const text = fs.readFileSync(path.join(dist, file), "utf8");
    if (!new RegExp(`^(async )?function ${name}\\(`, "m").test(text)) continue;
    const alias = text.match(new RegExp(`\\b${name} as (\\w+)`))?.[1];
    if (alias) return (await import(pathToFileURL(path.join(dist, file))))[alias];
  }
  throw new Error(`this package has no ${name}`);
}

const read = await exported("readMemoryFile");
for await (const line of readline.createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  let answer;
  try {
    answer = await read({ workspaceDir, relPath: call.path, from: call.from, lines: call.lines });
  } catch (error) {
    answer = { status: "error", text: "", path: call.path, code: error.code ?? "MEMORY_READ_FAILED" };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}

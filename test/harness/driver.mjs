// Asks an installed OpenClaw what it would inject.
//
// usage: node driver.mjs PACKAGE_DIR < workspaces > answers
//
// Each input line is a workspace: {"id", "root", "files": [{"name", "kind", "data"}], "file", "total", "session"} with
// data in base64. It is written to a temporary folder and read back by OpenClaw itself; the paths OpenClaw then names
// are put under "root", so that answers do not depend on the machine. Each output line is {"id", "files": [{"name",
// "text"}]}, in the order in which OpenClaw shows them.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const dist = path.join(path.resolve(process.argv[2]), "dist");

// exported finds a function by the name it was written with: as an export of the public module, else in whichever
// bundled chunk defines it, under the short name that chunk exports it by.
async function exported(name) {
  const open = path.join(dist, "plugin-sdk", "agent-harness-runtime.js");
  if (fs.existsSync(open)) {
    const found = (await import(pathToFileURL(open)))[name];
    if (found) return found;
  }
  for (const file of fs.readdirSync(dist)) {
    if (!/\.m?js$/.test(file)) continue;
    const text = fs.readFileSync(path.join(dist, file), "utf8");
    if (!new RegExp(`^(async )?function ${name}\\(`, "m").test(text)) continue;
    const alias = text.match(new RegExp(`\\b${name} as (\\w+)`))?.[1];
    if (!alias) continue;
    return (await import(pathToFileURL(path.join(dist, file))))[alias];
  }
  return undefined;
}

const list = await exported("resolveBootstrapFilesForRun");
const load = list ? undefined : await exported("loadWorkspaceBootstrapFiles");
const narrow = list ? undefined : await exported("filterBootstrapFilesForSession");
const build = (await exported("buildBootstrapContextForFiles")) ?? undefined;
const buildPlain = build ? undefined : await exported("buildBootstrapContextFiles");
if (!(list || (load && narrow)) || !(build || buildPlain)) {
  console.error("this package does not export what builds its injected files");
  process.exit(1);
}

const quiet = () => {};
console.log = console.info = console.warn = console.error = quiet;

function lay(dir, outside, files) {
  for (const f of files) {
    const at = path.join(dir, f.name);
    const data = Buffer.from(f.data ?? "", "base64");
    if (f.kind === "folder") {
      fs.mkdirSync(at);
    } else if (f.kind === "symlink" || f.kind === "hardlink") {
      const target = path.join(outside, f.name);
      fs.writeFileSync(target, data);
      f.kind === "symlink" ? fs.symlinkSync(target, at) : fs.linkSync(target, at);
    } else {
      fs.writeFileSync(at, data);
    }
  }
}

async function answer(w) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "tend-harness-"));
  try {
    const home = path.join(dir, "workspace");
    fs.mkdirSync(home);
    fs.mkdirSync(path.join(dir, "outside"));
    lay(home, path.join(dir, "outside"), w.files);

    const key = { cron: `agent:main:cron:job-${w.id}`, subagent: `agent:main:subagent:${w.id}` }[w.session];
    const chat = w.session === "group" || w.session === "channel" ? w.session : undefined;
    const files = list
      ? await list({ workspaceDir: home, sessionKey: key, chatType: chat })
      : narrow(await load(home), key);
    for (const f of files) f.path = path.posix.join(w.root, path.relative(home, f.path));

    const limits = {};
    if (w.file) limits.bootstrapMaxChars = w.file;
    if (w.total) limits.bootstrapTotalMaxChars = w.total;
    const shown = build
      ? build(files, { config: { agents: { defaults: limits } } })
      : buildPlain(files, {
          maxChars: w.file || w.defaults.file,
          totalMaxChars: w.total || w.defaults.total,
        });
    return {
      id: w.id,
      files: shown.map((f) => ({ name: path.posix.relative(w.root, f.path), text: f.content })),
    };
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  process.stdout.write(JSON.stringify(await answer(JSON.parse(line))) + "\n");
}
process.exit(0);

#!/usr/bin/env node
// Runs the binary of this platform, which is in a package of its own.
"use strict";

const { spawn } = require("node:child_process");
const { name, version } = require("../package.json");

const windows = process.platform === "win32";
const wanted = `${name}-${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${wanted}/bin/tend${windows ? ".exe" : ""}`);
} catch {
  console.error(`tend: the package ${wanted}@${version} is not installed.`);
  console.error("Either there is no binary for this platform, or npm was told to leave out optional packages.");
  process.exit(1);
}

const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => {
  console.error(`tend: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

// A lead that spawns one teammate and is killed on the way: at a rename of a record, when the
// teammate is to become ready, once it has, or by the test at any moment.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { processBackend } from "@troupe/backends/process";

const { moment, directory, launch, spec, isReady } = JSON.parse(process.argv[2] ?? "");
const end = () => process.kill(process.pid, "SIGKILL");
const reached = (name) => {
  if (name === moment) end();
};

const { renameSync } = fs;
let renames = 0;
fs.renameSync = (...paths) => {
  renames += 1;
  reached(`before record ${renames}`);
  renameSync(...paths);
  reached(`behind record ${renames}`);
};
syncBuiltinESMExports();

const backend = processBackend({
  records: directory,
  readyMs: 60_000,
  launch: () => launch,
  async ready() {
    reached("at ready");
    while (!fs.existsSync(isReady)) await new Promise((resolve) => setTimeout(resolve, 5));
  },
  warn: (message) => console.error(message),
});
console.log("begins");
await backend.spawn(spec, new AbortController().signal);
reached("spawned");
console.log("spawned");
setInterval(() => {}, 60_000);

// A lead that spawns one teammate, as its argument says, and is killed at some moment of that.
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { tmuxBackend } from "@troupe/backends/tmux";

const { spec, launch, environment, socket, records, ready, moment } = JSON.parse(process.argv[2]);
const die = (name) => name === moment && process.kill(process.pid, "SIGKILL");
const backend = tmuxBackend({
  environment,
  socket,
  records,
  readyMs: 20_000,
  warn: console.error,
  launch: () => launch,
  async ready(_, signal) {
    while (!existsSync(ready)) await delay(5, undefined, { signal });
    die("at ready");
  },
});
process.stdout.write("begun\n");
await backend.spawn(spec, new AbortController().signal);
process.stdout.write("spawned\n");
die("spawned");
await delay(60_000);

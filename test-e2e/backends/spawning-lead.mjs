// A lead that makes a team and spawns one teammate into it; the test kills it at any moment.
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { inProcessBackend } from "@troupe/backends/in-process";
import { processBackend } from "@troupe/backends/process";
import { tmuxBackend } from "@troupe/backends/tmux";
import { openFileStore } from "@troupe/store/files";
import { createSpawner } from "@troupe/team";

const { backend, root, records, spec, launch, environment, socket, ready } = JSON.parse(process.argv[2]);
const common = {
  records,
  readyMs: 20_000,
  warn: console.error,
  launch: () => launch,
  async ready(_, signal) {
    while (!existsSync(ready)) await delay(5, undefined, { signal });
  },
};
const rests = async () => ({
  async *attendTeam(signal) {
    yield "idle";
    while (!signal.aborted) await delay(1_000);
  },
  close: async () => {},
});
const backends = {
  "in-process": () => inProcessBackend({ ...common, root, open: rests }),
  process: () => processBackend(common),
  tmux: () => tmuxBackend({ ...common, environment, socket }),
};
const store = openFileStore({ root });
const draft = { name: "crew", leadSessionId: "s", leadModel: "m", cwd: root, createdAt: Date.now() };
const team = await store.createTeam({ ...draft, revision: spec.revision });
const deps = { self: await team.as("team-lead"), now: () => new Date(), graceMs: 1_000 };
const spawner = createSpawner({ ...deps, team, backends: [backends[backend]()] });
process.stdout.write("begun\n");
await spawner.spawn(spec, backend, new AbortController().signal);
process.stdout.write("spawned\n");
await delay(600_000);

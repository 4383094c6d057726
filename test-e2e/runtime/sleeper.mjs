// Runs a confined command for ever, in the place and with the word that it is told, and says so
// once it runs.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { builtInTools, createSeenFiles, createShells, findConfinement } from "@troupe/runtime";

const { cwd, mark } = JSON.parse(process.argv[2]);
const environment = { PATH: process.env.PATH, MARK: mark };
const { confinement } = await findConfinement({ environment, temporary: cwd });
const shells = createShells({ newId: () => "1", notify: () => {}, revision: "2026-11" });
const bash = builtInTools({
  home: cwd,
  environment,
  confinement,
  outputs: join(cwd, "outputs"),
  newId: () => "1",
  fetch,
  revision: "2026-11",
  skills: [],
  ask: async () => undefined,
}).find(({ definition }) => definition.name === "Bash");
const { signal } = new AbortController();
void bash.run(
  { command: "touch ready; setsid sleep 100 & sleep 100" },
  { call: "c", signal, bounds: { writable: [cwd] }, agent: { cwd, shells, seen: createSeenFiles() } },
);
while (!existsSync(join(cwd, "ready"))) await new Promise(setImmediate);
console.log("ready");

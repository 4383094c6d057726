import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Store } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { atMost, type Result, roundsOf } from "./measure.ts";
import { serve } from "./postgres-server.ts";

const main = fileURLToPath(new URL("../../apps/cli/dist/main.js", import.meta.url));
const times = 60;
const draft = { agentType: "a", model: "m", prompt: "p", joinedAt: 1, cwd: "/" };

/** A root of files with its bridge, a process of its own. */
async function machine(url: string, host: string, begin?: (store: Store) => Promise<void>) {
  const root = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const store = openFileStore({ root });
  await begin?.(store);
  const words = ["bridge", "crew", "--store", url, "--host", host, "--root", root];
  const child = spawn(process.execPath, [main, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  await once(createInterface(child.stdout), "line");
  const end = async () => {
    child.kill("SIGINT");
    await once(child, "exit");
    await store.close();
    rmSync(root, { recursive: true, force: true });
  };
  return { root, store, end };
}

/**
 * Milliseconds from a message standing in the files of one machine until it stands in those of
 * another, over two bridges and a server, in the ninety-fifth of a hundred cases.
 */
export async function bridging(): Promise<Record<string, Result>> {
  const served = await serve();
  if (!served) return {};
  const ends: (() => Promise<void>)[] = [];
  try {
    const here = await machine(served.url, "here", async (store) => {
      await store.createTeam({ name: "crew", createdAt: 1, leadSessionId: "one", leadModel: "m", cwd: "/" });
    });
    ends.push(here.end);
    const there = await machine(served.url, "there");
    ends.push(there.end);
    const [team, other] = [await here.store.openTeam("crew"), await there.store.openTeam("crew")];
    if (!team || !other) throw new Error("the bridge did not create the team on the other machine");
    await other.join({ name: "bob", ...draft });
    const changes = team.watch();
    while (!(await team.config()).value?.members.some(({ name }) => name === "bob")) await changes.next();
    await changes.return?.();
    const lead = await team.as("team-lead");
    const inbox = join(there.root, "teams/crew/inboxes/bob.json");
    const rounds = await roundsOf(async () => {
      const delays: number[] = [];
      for (let count = 0; count < times; count += 1) {
        const arrivals = other.watch();
        const text = crypto.randomUUID();
        await lead.send("bob", { text });
        const start = performance.now();
        while (!textOf(inbox).includes(text)) await arrivals.next();
        delays.push(performance.now() - start);
        await arrivals.return?.();
      }
      return delays.sort((a, b) => a - b)[Math.floor(times * 0.95)] ?? Number.NaN;
    });
    return { "bridge.one-way": atMost(50, rounds) };
  } finally {
    for (const end of ends.reverse()) await end();
    await served.stop();
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

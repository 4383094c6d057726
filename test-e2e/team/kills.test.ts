import { readdirSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { isUnread } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import type { TeamEvent } from "@troupe/team";
import { expect } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { start, test } from "../store/processes.ts";
import { act } from "./actor.mjs";

const lead = "team-lead";

/** The locks of a process that was killed look as they do once nobody has renewed them for long. */
function forgetLocks(root: string, name: string): void {
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" }))
    if ([`${name}.jsonl.lock`, `${name}.json.consumer.lock`].includes(basename(path)))
      utimesSync(join(root, path), 0, 0);
}

const rows = (["permission", "plan", "shutdown"] as const).flatMap((request) =>
  (["asker", "decider"] as const).map((victim) => [request, victim] as const),
);

/** One handshake with a process that is killed before the write behind so many. */
async function run(root: string, request: (typeof rows)[number][0], victim: "asker" | "decider", writes: number) {
  const store = openFileStore({ root });
  const at = { createdAt: 1_770_000_000_000, cwd: root };
  const leading = { leadSessionId: "s", leadModel: "m", revision: "2026-11" } as const;
  const team = await store.createTeam({ ...at, ...leading, name: "crew" });
  await team.join({ name: "alice", agentType: "worker", model: "m", prompt: "p", joinedAt: at.createdAt, cwd: root });
  await (await team.as(lead)).record({ kind: "spawning", name: "alice", joinedAt: at.createdAt } satisfies TeamEvent);
  const names = request === "shutdown" ? { asker: lead, decider: "alice" } : { asker: "alice", decider: lead };
  const taskOf = (role: "asker" | "decider") => ({
    root,
    name: names[role],
    request: role === "asker" ? request : undefined,
  });
  const survivor = await act(taskOf(victim === "asker" ? "decider" : "asker"));
  const { child, said } = start(join(import.meta.dirname, "actor.mjs"), { ...taskOf(victim), writes });
  let isOver = false;
  child.once("close", () => {
    isOver = true;
  });
  let next: Awaited<ReturnType<typeof act>> | undefined;

  const members = async () => ((await team.config()).value?.members ?? []).map(({ name }) => name);
  /** All was read by all who are there, and what was asked has an outcome. */
  const isDone = async () => {
    const there = await members();
    for (const name of there) {
      const { value = [] } = await team.mail(name).page();
      if (value.some(({ entry }) => isUnread(entry))) return false;
    }
    if (request === "shutdown" && there.includes("alice")) return false;
    const asker = victim === "asker" ? next : survivor;
    const asked = [...(asker?.state().asked.values() ?? [])];
    return asked.length > 0 && asked.at(-1)?.outcome !== undefined;
  };
  try {
    await untilSeen("the kill", () => isOver);
    const written = await said;
    forgetLocks(root, names[victim]);
    if ((await members()).includes(names[victim])) {
      const { request: again, ...task } = taskOf(victim);
      next = await act({ ...task, request: written.includes("writes send") ? undefined : again });
    }
    await untilSeen(`the end of what was cut short behind ${written.join(", ")}`, isDone);
    const asker = (victim === "asker" ? next : survivor)?.state();
    const results = [...(asker?.asked.values() ?? [])].map(({ outcome }) => outcome?.result);
    const mayGiveUp = request === "permission" && victim === "asker";
    expect(results.filter((result) => result !== "allowed" && !(mayGiveUp && result === "given_up"))).toEqual(
      request === "permission" || results.length === 1 ? [] : [undefined],
    );
    const decider = (victim === "decider" ? next : survivor)?.state();
    if (decider) expect([...decider.decided.values()].every(({ isSent }) => isSent)).toBe(true);
  } finally {
    if (!isOver) child.kill("SIGKILL");
    await next?.close();
    await survivor.close();
    await store.close();
  }
}

test.for(rows)(
  "a process of a %s whose %s is killed by the system between any two writes loses nothing: the next one ends it",
  async ([request, victim], { root }) => {
    const steps = { asker: { permission: 5, plan: 5, shutdown: 6 }, decider: { permission: 5, plan: 6, shutdown: 6 } };
    for (let writes = 0; writes < steps[victim][request]; writes += 1)
      await run(join(root, `${writes}`), request, victim, writes);
  },
);

import { lstatSync, statSync } from "node:fs";
import { relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Check, CheckContext } from "../check.ts";
import { makeTasks, makeTeam } from "../checks/teams.ts";
import { checkFailure } from "../fault.ts";
import type { Params } from "../target.ts";
import { type CrewMember, makeCrew, together, watching } from "./crew.ts";
import { demand, entriesAt, membersAt, type Places, placesOf, textsIn } from "./documents.ts";
import { conventionOf } from "./foreign-lock.ts";
import { writeLongInbox } from "./inbox-races.ts";

/** How long each creation of a lock was visible, at most; a lower bound of how long it was held. */
function openStopwatch(locks: readonly string[]) {
  const current = new Map<string, { readonly made: string; readonly since: number }>();
  const longest = new Map<string, number>();
  return {
    longest,
    look() {
      const now = performance.now();
      for (const lock of locks) {
        const stats = lstatSync(lock, { throwIfNoEntry: false });
        const made = stats && `${stats.ino} ${stats.mtimeMs}`;
        const known = current.get(lock);
        if (!made) current.delete(lock);
        else if (known?.made !== made) current.set(lock, { made, since: now });
        else longest.set(lock, Math.max(longest.get(lock) ?? 0, now - known.since));
      }
    },
  };
}

/** Work on everything that has a lock, with an inbox that is long. */
async function brieflyHeld(context: CheckContext) {
  const { lockOf } = conventionOf(context.declaration);
  const crew = await makeCrew(context, { size: 2, others: ["alice"] });
  const { team, places } = crew;
  const ids = await makeTasks(context, team, 2);
  writeLongInbox(places, "alice", context.isQuick ? 2_000 : 10_000);
  const files = [places.inbox("alice"), places.config, places.list, ...ids.map(places.task)];
  const { longest, look } = openStopwatch(files.map(lockOf));
  const rounds = context.isQuick ? 3 : 10;
  const work = together(crew, async ({ proc, name }, index) => {
    for (let round = 0; round < rounds; round += 1) {
      await context.ok("inbox.append", { team, agent: "alice", from: name, text: `Round ${round}` }, proc);
      await context.ok("inbox.markRead", { team, agent: "alice" }, proc);
      await context.ok("member.update", { team, name, set: { model: `model-${round}` } }, proc);
      await context.ok("task.create", { team, subject: `${name} ${round}`, description: "d" }, proc);
      const [id = "", other = ""] = index === 0 ? ids : [...ids].reverse();
      await context.ok("task.update", { team, id, subject: `${name} ${round}` }, proc);
      if (round === 0 && index === 0) await context.ok("task.update", { team, id, addBlocks: [other] }, proc);
    }
  });
  const limit = context.scaled(500);
  await watching(work, () => {
    look();
    for (const [lock, ms] of longest) {
      if (ms <= limit) continue;
      const actual = `${relative(context.root, lock)} for ${Math.round(ms)} ms`;
      throw checkFailure("a lock was held for too long", { expected: `less than ${Math.round(limit)} ms`, actual });
    }
  });
  const last = `Round ${rounds - 1}`;
  const sent = textsIn(entriesAt(context, places.inbox("alice"))).filter((text) => text === last);
  const isPruned = context.revision === "2026-11";
  if (!isPruned && sent.length < 2) throw checkFailure("messages are missing", { expected: last, actual: sent });
  assertModels(context, places, ["w0", "w1"], `model-${rounds - 1}`);
  return { longestMs: Math.round(Math.max(0, ...longest.values())) };
}

function assertModels(context: CheckContext, { config }: Places, names: readonly string[], expected: string): void {
  const members = membersAt(context, config).filter(({ name }) => names.includes(String(name)));
  if (members.length === names.length && members.every(({ model }) => model === expected)) return;
  throw checkFailure("changes of members are lost", { expected, actual: members });
}

const heldNeeds = {
  methods: [
    "team.create",
    "member.add",
    "member.update",
    "task.create",
    "task.update",
    "inbox.append",
    "inbox.markRead",
  ],
};

const heldBriefly: Check = {
  id: "LCK-HELD/a",
  title: "no lock is held for half a second, since others give up soon after",
  requirements: ["ATP-LCK-103"],
  level: "L2",
  revisions: ["2026-11"],
  needs: heldNeeds,
  run: brieflyHeld,
};

const heldBrieflyBefore: Check = {
  ...heldBriefly,
  id: "LCK-HELD/b",
  requirements: ["ATP-LCK-015"],
  revisions: ["2026-02"],
};

const fairWaiting: Check = {
  id: "LCK-FAIR/a",
  title: "of eight who want one lock all the time nobody waits for long, and nobody is turned away",
  requirements: ["ATP-LCK-005"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: ["team.create", "member.add", "member.update"] },
  async run(context) {
    const crew = await makeCrew(context, { isPatient: false });
    const { team, places } = crew;
    const limit = context.scaled(4_000);
    const end = performance.now() + (context.isQuick ? 400 : 5_000);
    let longest = 0;
    const change = async ({ proc, name }: CrewMember, model: string) => {
      const begin = performance.now();
      await context.ok("member.update", { team, name, set: { model } }, proc);
      longest = Math.max(longest, performance.now() - begin);
    };
    await together(crew, async (worker) => {
      for (let number = 0; performance.now() < end || number < 10; number += 1) {
        await change(worker, `model-${number}`);
      }
      await change(worker, "model-of-the-last");
    });
    const names = crew.workers.map(({ name }) => name);
    assertModels(context, places, names, "model-of-the-last");
    const found = { longestMs: Math.round(longest) };
    if (longest <= limit) return found;
    throw checkFailure("a change waited for too long", {
      expected: `less than ${Math.round(limit)} ms`,
      actual: found,
    });
  },
};

/** When anything was last made or removed in each directory of a team. */
function changesIn(context: CheckContext): ReadonlyMap<string, bigint> {
  const { directory, inboxes, tasks } = placesOf(context);
  const directories = [directory, inboxes, tasks];
  return new Map(directories.map((path) => [relative(context.root, path), statSync(path, { bigint: true }).mtimeNs]));
}

const lockFreeReads: Check = {
  id: "LCK-READ/a",
  title: "reading makes and removes nothing: a reader that dies leaves no lock",
  requirements: ["ATP-LCK-010"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: {
    methods: [
      "team.create",
      "member.add",
      "team.get",
      "task.create",
      "task.get",
      "task.list",
      "inbox.append",
      "inbox.read",
    ],
  },
  async run(context) {
    const { team } = await makeTeam(context, ["alice"]);
    await makeTasks(context, team, 2);
    await context.ok("inbox.append", { team, agent: "alice", from: "team-lead", text: "Start with the grammar." });
    const reads: readonly (readonly [method: string, params: Params])[] = [
      ["team.get", { team }],
      ["task.list", { team }],
      ["task.get", { team, id: "1" }],
      ["inbox.read", { team, agent: "alice" }],
    ];
    // A target that creates directories or indexes on its first read has done so now.
    for (const [method, params] of reads) await context.ok(method, params);
    const { config, inbox, task } = placesOf(context);
    for (const path of [config, inbox("alice"), task("1")]) demand(context, path);
    // Longer than the tick of the clock by which files are stamped.
    await pause(30);
    const before = changesIn(context);
    for (const [method, params] of reads) {
      for (let time = 0; time < 5; time += 1) await context.ok(method, params);
      const after = changesIn(context);
      const changed = [...after].filter(([path, time]) => before.get(path) !== time).map(([path]) => path);
      if (changed.length > 0) throw checkFailure(`${method} made or removed something`, { at: changed.join(", ") });
    }
    return undefined;
  },
};

export const lockManners: readonly Check[] = [heldBriefly, heldBrieflyBefore, fairWaiting, lockFreeReads];

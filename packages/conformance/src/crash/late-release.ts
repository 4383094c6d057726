import { readdirSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import type { Check } from "../check.ts";
import { makeTeam } from "../checks/teams.ts";
import { entriesAt, placesOf } from "../concurrency/documents.ts";
import { conventionOf } from "../concurrency/foreign-lock.ts";
import { checkFailure } from "../fault.ts";
import { kept } from "../run/kept.ts";
import { prepareLong, stopHolding, takeOut } from "./stopped-holder.ts";

const methods = ["team.create", "member.add", "inbox.append"];

const lateRelease: Check = {
  id: "PAUSED/b",
  title: "a process that was stopped with a lock does not release that of who took it over",
  requirements: ["ATP-LCK-007"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods },
  isSlow: true,
  async run(context) {
    const { team, agents } = await prepareLong(context, 1);
    const [agent = ""] = agents;
    const holder = await stopHolding(context, team, agent);
    const file = placesOf(context).inbox(agent);
    const { hold, lockOf } = conventionOf(context.declaration);
    takeOut(lockOf(file));
    const lock = hold(file);
    holder.proc.resume();
    const { outcome } = await holder.reply;
    if (!lock.isHeld()) throw checkFailure("the lock of another holder is gone", { actual: { outcome } });
    lock.release();
    return { outcome };
  },
};

const ownNames: Check = {
  id: "TMP-NAME/a",
  title: "writers prepare what they publish under names that differ: a late one spoils nobody's",
  requirements: ["ATP-LCK-008"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods },
  async run(context) {
    const { team } = await makeTeam(context, ["alice", "bob"]);
    const procs = await context.start(4);
    const { inboxes, inbox } = placesOf(context);
    const rounds = context.isQuick ? 40 : 200;
    let isOver = false;
    const storm = kept(
      Promise.all(
        procs.map(async (proc) => {
          for (let round = 0; round < rounds; round += 1) {
            const text = `${proc.index} in round ${round}`;
            await context.ok("inbox.append", { team, agent: "alice", from: "bob", text }, proc);
          }
        }),
      ).finally(() => {
        isOver = true;
      }),
    );
    const seen = new Map<string, number>();
    let last = "";
    for (; !isOver; await turn()) {
      const other = namesBeside(inboxes);
      if (other !== "" && other !== last) seen.set(other, (seen.get(other) ?? 0) + 1);
      last = other;
    }
    await storm;
    const count = entriesAt(context, inbox("alice")).length;
    if (count !== procs.length * rounds)
      throw checkFailure("messages are lost", { expected: procs.length * rounds, actual: count });
    const again = Math.max(0, ...seen.values());
    // Four writers take turns: a name that comes back is that of several.
    if (seen.size === 1 && again > 8)
      throw checkFailure("all writers use one name", { expected: "a name of its own each", actual: [...seen] });
    return { names: seen.size };
  },
};

/** A file beside the inbox that is neither the inbox nor a lock. */
function namesBeside(directory: string): string {
  try {
    return readdirSync(directory).find((name) => name !== "alice.json" && !/lock/i.test(name)) ?? "";
  } catch {
    return "";
  }
}

export const lateReleaseChecks: readonly Check[] = [lateRelease, ownNames];

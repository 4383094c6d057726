import type { Check, CheckContext } from "../check.ts";
import { makeTasks, makeTeam } from "../checks/teams.ts";
import { goesAhead, untilUnlocked } from "../concurrency/crew.ts";
import { type Fields, type Places, placesOf, replace, taskAt } from "../concurrency/documents.ts";
import { checkFailure } from "../fault.ts";
import { ageLocks, killAtFirstChange, killDuring, recoveryMs, victims } from "./killing.ts";

/** The leftovers of a writer that dies between its two files. */
function leaveHalf(context: CheckContext, { task }: Places, id: string, half: Fields): void {
  replace(task(id), { ...taskAt(context, task(id)), ...half });
}

/**
 * Two tasks, one perhaps waiting for the other: every later operation must agree on whether it
 * does.
 */
async function assertAllOrNothing(context: CheckContext, places: Places, blocker: string, waiting: string) {
  const { team, task } = places;
  const limitMs = recoveryMs(context);
  const complaint = (method: string) => `${method} does not go ahead after another process was killed`;
  const update = (params: Fields) =>
    goesAhead(context, "task.update", { team, ...params }, limitMs, complaint("task.update"));
  const claim = () => untilUnlocked(context, "task.claim", { team, id: waiting, agent: "alice" }, limitMs);
  const disk = () => ({ [blocker]: taskAt(context, task(blocker)), [waiting]: taskAt(context, task(waiting)) });

  const { tasks } = (await context.ok("task.list", { team })) as { tasks: readonly Fields[] };
  const listed = tasks.find(({ id }) => id === waiting)?.["blockedBy"] as readonly string[] | undefined;
  const isListed = listed?.includes(blocker) ?? false;
  const claimed = await claim();
  const isClaimed = claimed.outcome === "ok";
  const isRefused = claimed.outcome === "fail" && claimed.error.name === "blocked";
  if (isListed ? !isRefused : !isClaimed) {
    const found = isListed ? "the list says it waits, a claim does not" : "the list says it is free, a claim does not";
    throw checkFailure(`half a dependency: ${found}`, { actual: { listed, claimed, disk: disk() } });
  }
  if (isClaimed) await update({ id: waiting, owner: null });

  await update({ id: waiting, addBlockedBy: [blocker] });
  const { [blocker]: from = {}, [waiting]: to = {} } = disk();
  const count = (list: unknown, id: string) => (list as readonly string[]).filter((other) => other === id).length;
  if (count(from["blocks"], waiting) !== 1 || count(to["blockedBy"], blocker) !== 1) {
    throw checkFailure("a dependency that was made again is not in both tasks once", { actual: disk() });
  }
  await update({ id: blocker, status: "completed" });
  const last = await claim();
  if (last.outcome === "ok") return isListed;
  throw checkFailure("a task waits for one that is completed", { actual: { last, disk: disk() } });
}

const methods = ["team.create", "member.add", "task.create", "task.update", "task.list", "task.claim"];

const halfEdge: Check = {
  id: "KILL-EDGE/a",
  title: "a dependency that a dead writer left in one of two tasks counts in full or not at all, and can be made anew",
  requirements: ["ATP-TSK-036"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods },
  async run(context) {
    const { team } = await makeTeam(context, ["alice"]);
    const places = placesOf(context);
    const found: boolean[] = [];
    for (const side of ["blocks", "blockedBy"]) {
      const [blocker = "", waiting = ""] = await makeTasks(context, team, 2);
      const [id, other] = side === "blocks" ? [blocker, waiting] : [waiting, blocker];
      leaveHalf(context, places, id, { [side]: [other] });
      found.push(await assertAllOrNothing(context, places, blocker, waiting));
    }
    return { counts: found };
  },
};

const killedEdge: Check = {
  id: "KILL-EDGE/b",
  title: "a process that is killed while it adds a dependency leaves all of it or nothing to later readers",
  requirements: ["ATP-TSK-036"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods },
  async run(context) {
    const { team } = await makeTeam(context, ["alice"]);
    const places = placesOf(context);
    const rounds = context.isQuick ? 16 : 150;
    let round = 0;
    for await (const victim of victims(context, rounds)) {
      const [blocker = "", waiting = ""] = await makeTasks(context, team, 2);
      const deed = { method: "task.update", params: { team, id: waiting, addBlockedBy: [blocker] } };
      if (++round % 4 > 0) await killAtFirstChange(victim, deed, [blocker, waiting].map(places.task));
      else await killDuring(context, victim, [{ ...deed, file: places.task(waiting) }]);
      ageLocks(context);
      await assertAllOrNothing(context, places, blocker, waiting);
    }
    return { kills: rounds };
  },
};

export const edgeChecks: readonly Check[] = [halfEdge, killedEdge];

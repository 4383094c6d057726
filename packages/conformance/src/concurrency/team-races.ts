import { lstatSync } from "node:fs";
import type { Check, CheckContext } from "../check.ts";
import { makeTeam } from "../checks/teams.ts";
import { checkFailure } from "../fault.ts";
import { namesIn } from "../reader/root.ts";
import type { Reply } from "../target.ts";
import { type Crew, goesAhead, makeCrew, together, watching } from "./crew.ts";
import { placesOf, taskIdsIn } from "./documents.ts";

const methods = ["team.create", "member.add", "task.create", "inbox.append", "team.delete"];

/**
 * Writes in turn to the parts of a team, and reports each success, until the team is gone; yields
 * the ids of created tasks.
 */
async function writeUntilGone(team: string, { proc, name }: Crew["workers"][number], wrote: () => void) {
  const made: string[] = [];
  const address = { team, agent: "alice", from: name };
  for (let number = 0; number < 2_000; number += 1) {
    const created = await proc.call("task.create", { team, subject: `${name} ${number}`, description: "d" });
    if (created.outcome === "ok") made.push(String(created.result["id"]));
    const sent = await proc.call("inbox.append", { ...address, text: `${number}` });
    const replies: readonly Reply[] = [created, sent];
    if (replies.every(({ outcome }) => outcome === "fail")) return made;
    wrote();
  }
  throw checkFailure("a team that was deleted is written to without end");
}

/** Deletes the team in the midst of all the writing; the ids of the tasks that were made. */
async function deleteAmidWrites(context: CheckContext, { team, workers }: Crew): Promise<readonly string[]> {
  const enough = 4 + Math.floor(40 * context.random());
  let [written, begin] = [0, () => {}];
  const isTime = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const writing = together({ workers }, (worker) =>
    writeUntilGone(team, worker, () => {
      written += 1;
      if (written === enough) begin();
    }),
  );
  await Promise.race([isTime, writing]);
  const params = { team, force: true };
  await goesAhead(context, "team.delete", params, context.scaled(30_000), "a team that is written to is not deleted");
  return (await writing).flat();
}

const deletionRace: Check = {
  id: "TEAM-RACE/a",
  title: "a team that is deleted while others write to it does not come back, in whole or in part",
  requirements: ["ATP-FS-009", "ATP-FS-010", "ATP-FS-105"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods },
  async run(context) {
    const crew = await makeCrew(context, { others: ["alice"] });
    const { places, workers } = crew;
    const rounds = context.isQuick ? 2 : 20;
    for (let round = 0; round < rounds; round += 1) {
      if (round > 0) await makeTeam(context, ["alice", ...workers.map(({ name }) => name)]);
      const made = await deleteAmidWrites(context, crew);
      if (isThere(places.directory)) {
        throw checkFailure("the directory of a deleted team is there", { actual: namesIn(places.directory) });
      }
      if (context.revision === "2026-02") {
        if (isThere(places.tasks))
          throw checkFailure("the tasks of a deleted team are there", { actual: namesIn(places.tasks) });
      } else {
        const lost = made.filter((id) => !taskIdsIn(places.tasks).includes(id));
        if (lost.length > 0) throw checkFailure("tasks went with the team", { expected: made, actual: lost });
      }
    }
    return { rounds };
  },
};

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const deletedAtOnce: Check = {
  id: "TEAM-RACE/b",
  title: "nobody sees a team half gone",
  requirements: ["ATP-FS-103"],
  level: "L1",
  revisions: ["2026-11"],
  needs: { methods },
  async run(context) {
    const members = Array.from({ length: 24 }, (_, index) => `m${index}`);
    const { team } = await makeTeam(context, members);
    const places = placesOf(context);
    for (const agent of members) {
      await context.ok("inbox.append", { team, agent, from: "team-lead", text: "Stop, please." });
    }
    const look = () => [places.directory, places.inboxes].map((directory) => documentsIn(directory).join());
    const whole = look();
    if (!whole[0]?.includes("config.json")) throw checkFailure("a team that was made has no config", { actual: whole });
    await watching(context.ok("team.delete", { team, force: true }), () => {
      const found = look();
      // Only what is still in its place after the look was seen there.
      if (!isThere(places.directory) || found.join() === whole.join()) return;
      throw checkFailure("a part of the team was gone and the rest there", { expected: whole, actual: found });
    });
    if (isThere(places.directory)) throw checkFailure("a team that was deleted is there", { actual: look() });
    return undefined;
  },
};

/** Without locks and temporary files; nothing where the directory goes while it is looked at. */
function documentsIn(directory: string): readonly string[] {
  try {
    return namesIn(directory).filter((name) => !name.includes(".lock") && !name.includes(".tmp"));
  } catch {
    return [];
  }
}

export const teamRaces: readonly Check[] = [deletionRace, deletedAtOnce];

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Check } from "../check.ts";
import { makeTasks, makeTeam } from "../checks/teams.ts";
import { goesAhead, watching } from "../concurrency/crew.ts";
import { placesOf } from "../concurrency/documents.ts";
import { checkFailure } from "../fault.ts";
import { readFile } from "../reader/document.ts";
import { ageLocks, killDuring, recoveryMs, victims } from "./killing.ts";

export const killedDeletion: Check = {
  id: "KILL-ID/a",
  title: "an id is never reused, even if the process that deleted its task was killed halfway",
  requirements: ["ATP-TSK-004", "ATP-TSK-103"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: ["team.create", "member.add", "task.create", "task.update"] },
  async run(context) {
    const { team } = await makeTeam(context, []);
    const { list, task, tasks } = placesOf(context);
    await makeTasks(context, team, 3);
    let highest = 3;
    const deletion = (id: number) => ({
      method: "task.update",
      params: { team, id: String(id), status: "deleted" },
      file: list,
    });
    const work = { method: "task.update", params: { team, id: "1", subject: "Still here" } };
    const makeNext = async () => {
      const params = { team, subject: "The next", description: "d" };
      const complaint = "task.create does not go ahead after another process was killed";
      const { id } = await goesAhead(context, "task.create", params, recoveryMs(context), complaint);
      if (Number(id) <= highest) throw checkFailure("an id was given again", { expected: highest + 1, actual: id });
      highest = Number(id);
    };
    // The mark is raised before the file goes.
    const assertMarked = () => {
      if (context.revision === "2026-02" || existsSync(task(String(highest)))) return;
      const mark = Number(readFile(join(tasks, ".highwatermark"))?.text ?? 0);
      if (mark >= highest) return;
      const found = { expected: highest, actual: mark };
      throw checkFailure("the file of the highest task is gone and the mark is below it", found);
    };

    await context.ok("task.update", deletion(2).params);
    await watching(context.ok("task.update", deletion(3).params), assertMarked);
    await makeNext();
    for await (const victim of victims(context, context.isQuick ? 16 : 200)) {
      await killDuring(context, victim, [deletion(highest), work]);
      assertMarked();
      ageLocks(context);
      await makeNext();
    }
    return { highest };
  },
};

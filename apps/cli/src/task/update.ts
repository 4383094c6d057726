import { type TaskStatus, TroupeError } from "@troupe/protocol";
import type { Tasks } from "@troupe/store";
import type { Answer, Call } from "../command.ts";
import { openTasks, taskIdFrom, unknownTask } from "../open.ts";
import { partingsFrom, subjectFrom, type TaskOptions, tiesFrom, wordsFrom } from "./change.ts";

/** An id that names no task and no dependency is a slip: nothing would be taken away. */
async function assertNamed(tasks: Tasks, team: string, of: string, id: string): Promise<void> {
  if ((await tasks.get(id)).value) return;
  const { blocks = [], blockedBy = [] } = (await tasks.get(of)).value ?? {};
  if (![...blocks, ...blockedBy].includes(id)) unknownTask(team, id);
}

interface UpdateOptions extends TaskOptions {
  readonly subject?: string;
  readonly unassign?: boolean;
  readonly status?: Exclude<TaskStatus, "deleted">;
  readonly "not-blocked-by"?: readonly string[];
  readonly "not-blocks"?: readonly string[];
}

export async function run(call: Call<{ team: string; id: string }, UpdateOptions>): Promise<Answer> {
  const { subject, unassign, status, owner, as } = call.options;
  if (unassign && owner !== undefined)
    throw new TroupeError("arguments_invalid", "--unassign and --owner contradict each other: use one of them");
  const change = {
    ...tiesFrom(call.options),
    ...partingsFrom(call.options),
    ...(await wordsFrom(call)),
    ...(subject !== undefined && { subject: subjectFrom(subject) }),
    ...(status && { status }),
    ...(unassign && { owner: undefined }),
  };
  if (Object.keys(change).length === 0)
    throw new TroupeError(
      "arguments_invalid",
      "there is nothing to change: troupe task update --help shows what can be changed",
    );
  for (const [added, removed] of [
    [change.addBlocks, change.removeBlocks],
    [change.addBlockedBy, change.removeBlockedBy],
  ])
    for (const id of added ?? [])
      if (removed?.includes(id))
        throw new TroupeError("arguments_invalid", `#${id} cannot be added and taken away at once: leave one out`);
  const { name, tasks } = await openTasks(call, call.args.team, as);
  for (const id of [...(change.removeBlocks ?? []), ...(change.removeBlockedBy ?? [])])
    await assertNamed(tasks, name, taskIdFrom(call.args.id), id);
  const task = await tasks.update(taskIdFrom(call.args.id), change);
  return { document: { team: name, task }, text: [`changed #${task.id} ${task.subject ?? ""}`] };
}

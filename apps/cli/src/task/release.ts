import type { Task } from "@troupe/protocol";
import { type Answer, type Call, exits } from "../command.ts";
import { openTasks, taskIdFrom, unknownTask } from "../open.ts";

export async function run(call: Call<{ team: string; id: string }, { as?: string }>): Promise<Answer> {
  const id = taskIdFrom(call.args.id);
  const { name, tasks } = await openTasks(call, call.args.team);
  const isReleased = await tasks.release(id, call.options.as);
  const document = { team: name, id, isReleased };
  if (isReleased) return { document, text: [`#${id} can be claimed again`] };
  const { value } = await tasks.get(id);
  if (!value) return unknownTask(name, id);
  return { document, exit: exits.failed, remark: `#${id} ${reasonOf(value)}` };
}

/** Says why a task was not released. */
function reasonOf({ owner, status }: Task): string {
  if (status === "completed") return "is done: troupe task update --status pending reopens it";
  return owner === undefined ? "has no owner: it can be claimed" : `is owned by ${owner}: leave out --as to release it`;
}

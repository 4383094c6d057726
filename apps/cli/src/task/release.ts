import type { Task } from "@troupe/protocol";
import { type Answer, type Call, exits } from "../command.ts";
import { openTeam, taskIdFrom, unknownTask } from "../open.ts";

export async function run(call: Call<{ team: string; id: string }, { as?: string }>): Promise<Answer> {
  const id = taskIdFrom(call.args.id);
  const team = await openTeam(call, call.args.team);
  const isReleased = await team.tasks.release(id, call.options.as);
  const document = { team: team.name, id, isReleased };
  if (isReleased) return { document, text: [`#${id} can be taken again`] };
  const { value } = await team.tasks.get(id);
  if (!value) return unknownTask(team.name, id);
  return { document, exit: exits.failed, remark: `#${id} ${reasonOf(value)}` };
}

/** Why it was not given back. */
function reasonOf({ owner, status }: Task): string {
  if (status === "completed") return "is done: task update --status pending opens it again";
  return owner === undefined ? "is nobody's: it can be taken" : `is ${owner}'s: leave out --as to give it back`;
}

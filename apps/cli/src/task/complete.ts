import type { Answer, Call } from "../command.ts";
import { openTasks, taskIdFrom } from "../open.ts";

export async function run(call: Call<{ team: string; id: string }, { as?: string }>): Promise<Answer> {
  const { name, tasks } = await openTasks(call, call.args.team, call.options.as);
  const task = await tasks.complete(taskIdFrom(call.args.id));
  return { document: { team: name, task }, text: [`#${task.id} ${task.subject ?? ""} is done`] };
}

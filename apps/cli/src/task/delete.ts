import { type Answer, type Call, exits } from "../command.ts";
import { openTasks, taskIdFrom } from "../open.ts";

export async function run(call: Call<{ team: string; id: string }>): Promise<Answer> {
  const id = taskIdFrom(call.args.id);
  const { name, tasks } = await openTasks(call, call.args.team);
  const { value: task } = await tasks.get(id);
  const refusal = await call.confirm(`Delete #${id} ${task?.subject ?? ""}?`);
  if (refusal) return refusal;
  const isGone = await tasks.remove(id);
  if (isGone) return { document: { team: name, id }, text: [`deleted #${id}`] };
  return { exit: exits.absent, remark: `there is no task ${id}: troupe task list ${name} shows their ids` };
}

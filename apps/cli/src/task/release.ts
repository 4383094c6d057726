import { type Answer, type Call, exits } from "../command.ts";
import { openTeam, taskIdFrom } from "../open.ts";

export async function run(call: Call<{ team: string; id: string }, { as?: string }>): Promise<Answer> {
  const id = taskIdFrom(call.args.id);
  const team = await openTeam(call, call.args.team);
  const isReleased = await team.tasks.release(id, call.options.as);
  if (isReleased) return { document: { team: team.name, id, isReleased }, text: [`#${id} can be taken again`] };
  const remark = `#${id} is not there to be given back: troupe task show ${team.name} ${id}`;
  return { document: { team: team.name, id, isReleased }, exit: exits.failed, remark };
}

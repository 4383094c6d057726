import type { Answer, Call } from "../command.ts";
import { openTeam, taskIdFrom } from "../open.ts";

export async function run(call: Call<{ team: string; id: string }>): Promise<Answer> {
  const team = await openTeam(call, call.args.team);
  const task = await team.tasks.complete(taskIdFrom(call.args.id));
  return { document: { team: team.name, task }, text: [`#${task.id} ${task.subject ?? ""} is done`] };
}

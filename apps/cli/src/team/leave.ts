import { type Answer, type Call, exits } from "../command.ts";
import { openTeam } from "../open.ts";

export async function run(call: Call<{ team: string; name: string }>): Promise<Answer> {
  const { name } = call.args;
  const team = await openTeam(call, call.args.team);
  const hasLeft = await team.leave(name);
  if (!hasLeft)
    return { exit: exits.absent, remark: `${name} is not a member of ${team.name}: troupe team show ${team.name}` };
  const { tasks } = await team.tasks.list();
  const unfinished = tasks.filter(({ owner, status }) => owner === name && status !== "completed");
  const left = unfinished.map(
    ({ id }) => `#${id} is still ${name}'s: troupe task release ${team.name} ${id} releases it`,
  );
  const document = { team: team.name, name, unfinished: unfinished.map(({ id }) => id) };
  return { document, text: [`${name} left ${team.name}`, ...left] };
}

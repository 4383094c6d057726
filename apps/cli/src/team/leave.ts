import { type Answer, type Call, exits } from "../command.ts";
import { openTeam } from "../open.ts";

export async function run(call: Call<{ team: string; name: string }>): Promise<Answer> {
  const { name } = call.args;
  const team = await openTeam(call, call.args.team);
  const hasLeft = await team.leave(name);
  if (!hasLeft)
    return { exit: exits.absent, remark: `${name} is no member of ${team.name}: troupe team show ${team.name}` };
  return { document: { team: team.name, name }, text: [`${name} left ${team.name}`] };
}

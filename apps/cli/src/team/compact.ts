import type { Answer, Call } from "../command.ts";
import { openTeam } from "../open.ts";
import { counted } from "../paint.ts";

export async function run(call: Call<{ team: string }, { force?: boolean }>): Promise<Answer> {
  const team = await openTeam(call, call.args.team);
  const refusal = await call.confirm(`Remove the read messages from all inboxes of ${team.name}?`);
  if (refusal) return refusal;
  const dropped = await team.compact({ evenIfActive: call.options.force ?? false });
  return { document: { team: team.name, dropped }, text: [`removed ${counted(dropped, "read message")}`] };
}

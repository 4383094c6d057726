import { codecFor } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { openStore, openTeam } from "../open.ts";

export async function run(call: Call<{ team: string }, { force?: boolean }>): Promise<Answer> {
  const { name, form } = await openTeam(call, call.args.team);
  const parts = codecFor(form).removesTasksWithTeam ? "its messages and its tasks" : "its messages; its tasks stay";
  const refusal = await call.confirm(`Delete the team ${name} with ${parts}?`);
  if (refusal) return refusal;
  await openStore(call).deleteTeam(name, { evenIfActive: call.options.force ?? false });
  return { document: { name }, text: [`deleted the team ${name}`] };
}

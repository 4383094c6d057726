import type { Answer, Call } from "../command.ts";
import { actor, openTeam } from "../open.ts";
import { subjectFrom, type TaskOptions, tiesFrom, wordsFrom } from "./change.ts";

export async function run(call: Call<{ team: string; subject: string }, TaskOptions>): Promise<Answer> {
  const subject = subjectFrom(call.args.subject);
  const team = await openTeam(call, call.args.team);
  const { tasks } = await actor(team, call.options.as);
  const ties = tiesFrom(call.options);
  let task = await tasks.create({ subject, description: "", ...(await wordsFrom(call)) });
  try {
    if (Object.keys(ties).length > 0) task = await tasks.update(task.id, ties);
  } catch (error) {
    // Asked for as a whole, made as a whole.
    await tasks.remove(task.id);
    throw error;
  }
  return { document: { team: team.name, task }, text: [`made #${task.id} ${task.subject}`] };
}

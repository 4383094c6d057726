import type { Answer, Call } from "../command.ts";
import { openTasks } from "../open.ts";
import { subjectFrom, type TaskOptions, tiesFrom, wordsFrom } from "./change.ts";

export async function run(call: Call<{ team: string; subject: string }, TaskOptions>): Promise<Answer> {
  const subject = subjectFrom(call.args.subject);
  const { name, tasks } = await openTasks(call, call.args.team, call.options.as);
  const task = await tasks.create({ subject, description: "", ...(await wordsFrom(call)) }, tiesFrom(call.options));
  return { document: { team: name, task }, text: [`created #${task.id} ${task.subject}`] };
}

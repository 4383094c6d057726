import { isClaimable } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { lookAtTasks } from "../open.ts";
import { taskDocument } from "../team/overview-document.ts";
import { problemText, taskText } from "../team/overview-text.ts";

interface ListOptions {
  readonly ready?: boolean;
  readonly owner?: string;
  readonly status?: string;
}

export async function run(call: Call<{ team: string }, ListOptions>): Promise<Answer> {
  const { ready, owner, status } = call.options;
  const { team, tasks, problems } = await lookAtTasks(call, call.args.team);
  const chosen = tasks.filter(
    ({ task, openBlockers }) =>
      (!ready || isClaimable(task, openBlockers)) &&
      (owner === undefined || task.owner === owner) &&
      (status === undefined || task.status === status),
  );
  const faults = problems.filter(({ file }) => file.startsWith("tasks/"));
  return {
    document: {
      team,
      tasks: chosen.map(({ task, openBlockers }) => taskDocument(task, openBlockers)),
      problems: faults,
    },
    text: [...taskText(chosen), ...problemText(faults)],
  };
}

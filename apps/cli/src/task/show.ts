import type { Overview } from "@troupe/store";
import { type Answer, type Call, exits } from "../command.ts";
import { lookAtTasks, taskIdFrom, unknownTask } from "../open.ts";
import { type Printed, paragraphs } from "../paint.ts";
import { taskDocument } from "../team/overview-document.ts";
import { problemText, statusSpan } from "../team/overview-text.ts";

export async function run(call: Call<{ team: string; id: string }>): Promise<Answer> {
  const id = taskIdFrom(call.args.id);
  const { team, tasks, problems } = await lookAtTasks(call, call.args.team);
  const found = tasks.find(({ task }) => task.id === id);
  const faults = problems.filter(({ file }) => file === `tasks/${team}/${id}.json`);
  if (found) {
    const document = { team, task: taskDocument(found.task, found.openBlockers), problems: faults };
    return { document, text: [...taskLines(found), ...problemText(faults)] };
  }
  if (faults[0]) return { exit: exits.damaged, remark: `${faults[0].file}: ${faults[0].message}; ${faults[0].fix}` };
  return unknownTask(team, id);
}

function taskLines({ task, openBlockers }: Overview["tasks"][number]): Printed[] {
  const ids = (some: readonly string[] = []) => some.map((id) => `#${id}`).join(", ");
  const rows: [string, string][] = [
    ["owner", task.owner ?? ""],
    ["shown as", task.activeForm ?? ""],
    ["blocked by", ids(openBlockers)],
    ["blocks", ids(task.blocks)],
    ["metadata", task.metadata ? JSON.stringify(task.metadata) : ""],
  ];
  return [
    [{ text: `#${task.id} ${task.subject ?? ""}`, style: "bold" }, "  ", statusSpan(task.status)],
    { rows: rows.filter(([, value]) => value !== "") },
    ...(task.description ? ["", ...paragraphs(task.description, "  ")] : []),
  ];
}

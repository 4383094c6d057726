import { taskUpdateTool as boundary, TaskUpdateInput } from "@troupe/protocol/tools";
import type { Claim, TaskChange } from "@troupe/store";
import { mayComplete } from "../hooks/task-hooks.ts";
import { failed, said } from "../loop/outcome.ts";
import type { Tool, ToolOutcome } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { absent, answered, type TaskToolsDeps } from "./task-board.ts";

const fields = [
  "subject",
  "description",
  "activeForm",
  "status",
  "addBlocks",
  "addBlockedBy",
  "owner",
  "metadata",
] as const;
type Field = (typeof fields)[number];

/**
 * Changes a task. A member that makes a task its own claims it, so that of any number of them one
 * wins. Before a task is completed the hooks are asked, and nothing is written when they refuse.
 */
export function taskUpdateTool(deps: TaskToolsDeps): Tool {
  return typedTool({
    name: boundary.name,
    description:
      "Changes a task of the shared list: only the fields that are named. Take a task by making yourself its owner, which begins it; an empty owner gives it back. Mark it completed only when it is done altogether; `deleted` removes it.",
    input: TaskUpdateInput,
    run: (input, { signal }) =>
      answered(async () => {
        const { taskId: id, owner, status } = input;
        const named = fields.filter((field) => input[field] !== undefined);
        if (named.length === 0) return failed(`Nothing was changed: name one of ${fields.join(", ")}.`);
        const { value: task, problems } = await deps.tasks.get(id);
        if (!task) return absent(id, problems);
        if (owner && owner === deps.member && task.owner !== owner && (status ?? "in_progress") === "in_progress") {
          return take(input, owner, named);
        }
        if (status === "completed" && task.status !== "completed") {
          const completion = await mayComplete(task, deps, signal);
          if (!completion.completes) return failed(`Task #${id} stays ${task.status}. ${completion.because}`);
        }
        await deps.tasks.update(id, changeTo(input, named));
        return said(status === "deleted" ? `Deleted task #${id}.` : `Updated task #${id}: ${named.join(", ")}`);
      }),
  });

  async function take(input: TaskUpdateInput, member: string, named: readonly Field[]): Promise<ToolOutcome> {
    const { taskId: id } = input;
    const claim = await deps.tasks.claim(id, member);
    if (claim.outcome !== "claimed") return refusalOf(id, claim);
    await deps.announce?.(claim.task);
    const taken = `Task #${id} is yours and in progress.`;
    const rest = named.filter((field) => field !== "owner" && field !== "status");
    if (rest.length === 0) return said(taken);
    return answered(async () => {
      await deps.tasks.update(id, changeTo(input, rest));
      return said(`${taken} Updated: ${rest.join(", ")}`);
    }, `${taken} The rest was not changed: `);
  }
}

/** An owner that is undefined gives the task back, so what is not named must not be there. */
const changeTo = (input: TaskUpdateInput, named: readonly Field[]): TaskChange =>
  Object.fromEntries(named.map((field) => [field, field === "owner" ? input.owner || undefined : input[field]]));

function refusalOf(id: string, claim: Exclude<Claim, { readonly outcome: "claimed" }>): ToolOutcome {
  switch (claim.outcome) {
    case "absent":
      return absent(id, []);
    case "blocked":
      return failed(`Task #${id} waits for ${claim.by.map((by) => `#${by}`).join(", ")}: complete that first.`);
    case "taken":
      return failed(
        claim.owner === undefined
          ? `Task #${id} is not pending any more: look with TaskGet, and take another.`
          : `Task #${id} belongs to ${claim.owner}: take another, or ask for it to be given back.`,
      );
  }
}

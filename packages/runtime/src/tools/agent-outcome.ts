import type { Revision } from "@troupe/protocol";
import { type AgentResult, agentResultText } from "@troupe/protocol/tools";
import type { Task } from "../agent/task.ts";
import type { Launched } from "../agents/start.ts";
import type { Job, JobEnd } from "../jobs/job.ts";
import { forkPlaceholder } from "../journal/fork.ts";
import { failed, said } from "../loop/outcome.ts";
import type { ToolOutcome } from "../loop/tool.ts";

/** The result of an Agent call: the report in the foreground, the agent's id in the background. */
export async function agentOutcome(task: Task, began: Launched, revision: Revision): Promise<ToolOutcome> {
  if ("refusal" in began) return failed(`No agent was started: ${began.refusal}.`);
  if ("remote" in began) return withRoute(agentResultText(began.remote, { revision }), began);
  if ("teammate" in began) return withRoute(agentResultText(began.teammate, { revision, isOneShot: false }), began);
  if (began.isFork) return said(forkPlaceholder);
  const result = await agentResult(task, began);
  const tells = began.job.isBackground() ? undefined : began.job.markTold();
  if ("failure" in result) return { ...failed(`The agent ${result.failure}.`), tells };
  return { ...withRoute(agentResultText(result, { revision, isOneShot: began.isOneShot }), began), tells };
}

const withRoute = (text: string, { route }: { readonly route: string }): ToolOutcome => said(`${text}\n${route}`);

/** The result of the call, or the reason why it has none. */
export async function agentResult(
  { description, prompt }: Pick<Task, "description" | "prompt">,
  { job, type, model, isPlaced, canReadOutput, waitMs }: Extract<Launched, { readonly job: Job }>,
): Promise<AgentResult | { readonly failure: string }> {
  await waited(job, waitMs);
  const end = job.end();
  if (job.isBackground() || !end)
    return {
      status: "async_launched",
      agentId: job.id,
      description,
      prompt,
      outputFile: job.outputFile,
      canReadOutputFile: canReadOutput,
      resolvedModel: model,
    };
  const { worktree } = isPlaced ? await job.tidied : {};
  const report = reportOf(end);
  if (report === undefined)
    return { failure: `${end.status === "killed" ? "has no report" : "failed"}: ${end.failure}` };
  return {
    status: "completed",
    agentId: job.id,
    agentType: type,
    content: [{ type: "text", text: report }],
    totalToolUseCount: end.usage.toolUses,
    totalDurationMs: end.usage.durationMs,
    totalTokens: end.usage.subagentTokens,
    resolvedModel: model,
    prompt,
    ...worktree,
  };
}

/** Resolves when it has ended or nobody waits for it any more. */
async function waited(job: Job, waitMs: number | undefined): Promise<void> {
  if (job.isBackground()) return;
  const timer = waitMs === undefined ? undefined : setTimeout(job.toBackground, waitMs);
  await Promise.race([job.ended, job.backgrounded]);
  clearTimeout(timer);
}

/** An agent that failed reports what it had said by then; undefined when it had said nothing. */
function reportOf({ status, text, failure }: JobEnd): string | undefined {
  if (status === "completed") return text;
  return text === ""
    ? undefined
    : `${text}\n\n(The agent was cut off: ${failure}. The text above is what it had said by then.)`;
}

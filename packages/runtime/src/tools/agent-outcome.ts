import type { Revision } from "@troupe/protocol";
import { type AgentResult, agentResultText } from "@troupe/protocol/tools";
import type { Launched, Task } from "../agents/launch.ts";
import type { JobEnd } from "../jobs/jobs.ts";
import type { ToolOutcome } from "../loop/tool.ts";
import { forkPlaceholder } from "../prompt/fork.ts";
import { failed, said } from "./outcome.ts";

/** What whoever called the agent is told: its report, when it is waited for, or where it will be heard of. */
export async function agentOutcome(task: Task, began: Launched, revision: Revision): Promise<ToolOutcome> {
  if ("refusal" in began) return failed(`No agent was started: ${began.refusal}.`);
  const { job, type, model, isOneShot, isFork, isPlaced } = began;
  if (isFork) return said(forkPlaceholder);
  if (!job.isBackground()) await Promise.race([job.ended, job.backgrounded]);
  const end = job.end();
  const text = (result: AgentResult) => said(agentResultText(result, { revision, isOneShot }));
  const { description, prompt } = task;
  if (job.isBackground() || !end)
    return text({
      status: "async_launched",
      agentId: job.id,
      description,
      prompt,
      outputFile: job.outputFile,
      resolvedModel: model,
    });
  const { worktree } = isPlaced ? await job.tidied : {};
  const report = reportOf(end);
  if (report === undefined)
    return failed(`The agent ${end.status === "killed" ? "was stopped" : "failed"}: ${end.failure}.`);
  return text({
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
  });
}

/** What it had said when something went wrong is better than nothing; where it had said nothing, the failure is all there is. */
function reportOf({ status, text, failure }: JobEnd): string | undefined {
  if (status === "completed") return text;
  return text === ""
    ? undefined
    : `${text}\n\n(The agent was cut off: ${failure}. This is what it had said until then.)`;
}

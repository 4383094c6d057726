import type { Revision } from "@troupe/protocol";
import {
  type AgentInputGates,
  type AgentResult,
  agentResultText,
  agentTool as boundary,
  visibleAgentInput,
} from "@troupe/protocol/tools";
import type { Launched, Task } from "../agents/launch.ts";
import type { JobEnd } from "../jobs/jobs.ts";
import type { Tool, ToolContext, ToolOutcome } from "../loop/tool.ts";
import { forkPlaceholder } from "../prompt/fork.ts";
import { failed, said } from "./outcome.ts";
import { typedTool } from "./typed-tool.ts";

export interface AgentToolDeps {
  readonly revision: Revision;
  /** Which fields the model is shown. */
  readonly gates: AgentInputGates;
  /** The agents there are, for the model to choose from. */
  readonly list: string;
  readonly launch: (task: Task, context: ToolContext) => Promise<Launched>;
}

/** Gives a task to an agent: waits for its report, or says where it will be heard of. */
export const agentTool = ({ revision, gates, list, launch }: AgentToolDeps): Tool => {
  return typedTool({
    name: boundary.name,
    description:
      "Gives a task to an agent, which works on its own with a conversation of its own and reports once. It knows nothing of this conversation: " +
      `say in prompt all it needs. Several calls in one answer run at the same time. These agents are there:\n${list}`,
    input: boundary.input[revision],
    shown: visibleAgentInput(revision, gates),
    isConcurrent: true,
    run: async (task: Task, context) => {
      const began = await launch(task, context);
      return "refusal" in began ? failed(`No agent was started: ${began.refusal}.`) : outcome(task, began);
    },
  });
  async function outcome(
    task: Task,
    { job, type, model, isOneShot, isFork, isPlaced }: Exclude<Launched, { refusal: string }>,
  ): Promise<ToolOutcome> {
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
};

/** What it had said when something went wrong is better than nothing; where it had said nothing, the failure is all there is. */
function reportOf({ status, text, failure }: JobEnd): string | undefined {
  if (status === "completed") return text;
  return text === ""
    ? undefined
    : `${text}\n\n(The agent was cut off: ${failure}. This is what it had said until then.)`;
}

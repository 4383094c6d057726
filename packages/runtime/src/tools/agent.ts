import type { Revision } from "@troupe/protocol";
import { type AgentInputGates, agentTool as boundary, visibleAgentInput } from "@troupe/protocol/tools";
import type { Launched, Task } from "../agents/launch.ts";
import type { Tool, ToolContext } from "../loop/tool.ts";
import { agentOutcome } from "./agent-outcome.ts";
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
export const agentTool = ({ revision, gates, list, launch }: AgentToolDeps): Tool =>
  typedTool({
    name: boundary.name,
    description:
      "Gives a task to an agent, which works on its own with a conversation of its own and reports once. It knows nothing of this conversation: " +
      `say in prompt all it needs. Several calls in one answer run at the same time. These agents are there:\n${list}`,
    input: boundary.input[revision],
    shown: visibleAgentInput(revision, gates),
    isConcurrent: true,
    run: async (task: Task, context) => agentOutcome(task, await launch(task, context), revision),
  });

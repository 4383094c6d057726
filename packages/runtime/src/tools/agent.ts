import type { Revision } from "@troupe/protocol";
import { type AgentInputGates, agentTool as boundary, visibleAgentInput } from "@troupe/protocol/tools";
import type { Agent } from "../agent/agent.ts";
import type { Task } from "../agent/task.ts";
import { launch } from "../agents/start.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { agentOutcome } from "./agent-outcome.ts";

export interface AgentToolDeps {
  readonly revision: Revision;
  /** Which fields the model is shown. */
  readonly gates: AgentInputGates;
  /** The agents that the model can choose from. */
  readonly list: string;
}

/** What is made of a schema is kept with it, so there is one for each way of showing it. */
const shown = new Map<string, ReturnType<typeof visibleAgentInput>>();

function shownTo(
  revision: Revision,
  { isBackgroundDisabled, isForkEnabled, isCwdEnabled, isRemoteEnabled }: AgentInputGates,
) {
  const key = `${[revision, isBackgroundDisabled, isForkEnabled, isCwdEnabled, isRemoteEnabled]}`;
  const known =
    shown.get(key) ??
    visibleAgentInput(revision, { isBackgroundDisabled, isForkEnabled, isCwdEnabled, isRemoteEnabled });
  shown.set(key, known);
  return known;
}

/** The tool Agent: starts an agent and returns its report or, in the background, its id. */
export const agentTool = ({ revision, gates, list }: AgentToolDeps): Tool<Agent> =>
  typedTool({
    name: boundary.name,
    description:
      "Starts an agent that works on a task in its own conversation and reports once, when it is done. It does not see this conversation: " +
      `put everything it needs into prompt. Several calls in one answer run at the same time. Available agents:\n${list}`,
    input: boundary.input[revision],
    shown: shownTo(revision, gates),
    isConcurrent: true,
    run: async (task: Task, context) => agentOutcome(task, await launch(task, context), revision),
  });

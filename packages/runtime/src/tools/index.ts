import type { Revision } from "@troupe/protocol";
import { toolBoundaries } from "@troupe/protocol/tools";
import type { Agent } from "../agent/agent.ts";
import { isLeftToMain, toolPool } from "../agents/inherit.ts";
import { agentListing, offeredAgents } from "../agents/listing.ts";
import { runSkill, skillTask } from "../agents/run-skill.ts";
import { sendToAgent, whyUnknown } from "../agents/send.ts";
import type { Tool } from "../loop/tool.ts";
import { agentTool } from "./agent.ts";
import { agentOutcome } from "./agent-outcome.ts";
import { type AskUserQuestionDeps, askUserQuestionTool } from "./ask-user-question.ts";
import type { Employer } from "./background-tasks.ts";
import { type BashDeps, bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { notebookEditTool } from "./notebook-edit.ts";
import type { PdfDeps } from "./pdf.ts";
import { type Reader, readTool } from "./read.ts";
import { type SendMessageDeps, sendMessageTool } from "./send-message.ts";
import { type SkillDeps, skillTool } from "./skill.ts";
import { taskOutputTool } from "./task-output.ts";
import { taskStopTool } from "./task-stop.ts";
import type { Searcher } from "./walk.ts";
import { type WebFetchDeps, webFetchTool } from "./web-fetch.ts";
import { type WriteDeps, writeTool } from "./write.ts";

/** Dependencies of the built-in tools, made once for all agents. */
export interface ToolsDeps<Agent>
  extends WriteDeps,
    BashDeps,
    PdfDeps,
    WebFetchDeps,
    SkillDeps<Agent>,
    AskUserQuestionDeps {
  readonly revision: Revision;
}

/** An agent as the built-in tools must know it when they run. */
export type Hands = Reader & Searcher & Employer;

/**
 * Every tool that needs no team and that the revision has, in the order the model sees them, which
 * is part of the prefix.
 */
export const builtInTools = <Agent extends Hands>(deps: ToolsDeps<Agent>): readonly Tool<Agent>[] =>
  allTools(deps).filter(({ definition }) => {
    const boundary = toolBoundaries.find(({ name }) => name === definition.name);
    return boundary === undefined || deps.revision in boundary.input;
  });

function allTools<Agent extends Hands>(deps: ToolsDeps<Agent>): readonly Tool<Agent>[] {
  const read = readTool(deps);
  const searching = { ...deps, read };
  return [
    read,
    writeTool(deps),
    editTool(deps),
    notebookEditTool(deps),
    globTool(searching),
    grepTool(searching),
    bashTool(deps),
    taskOutputTool(),
    taskStopTool(),
    webFetchTool(deps),
    skillTool(deps),
    askUserQuestionTool(deps),
  ];
}

/** The names of the tools that need no server, as an agent below the main conversation has them. */
export function builtInNames(revision: Revision): readonly string[] {
  const nobody = {
    home: "/",
    environment: {},
    outputs: "/",
    newId: () => "",
    skills: [],
    fetch,
    ask: async () => undefined,
  };
  const made = builtInTools<Agent>({ ...nobody, confinement: undefined, revision });
  return [...made.map(({ definition }) => definition.name), ...ofTeams, "Agent", "SendMessage"];
}

const ofTeams = ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"];

/** Has an agent do a forked skill, and says what came of it or where it will be heard of. */
export const forkedSkill: NonNullable<SkillDeps<Agent>["runForked"]> = async (skill, prompt, context) =>
  agentOutcome(skillTask(skill, prompt), await runSkill(skill, prompt, context), context.agent.session.revision);

export interface SessionToolsDeps {
  readonly revision: Revision;
  /** The tools of every agent, but for those of servers and those by which it reaches others. */
  readonly common: readonly Tool<Agent>[];
  /** Those of the main conversation alone. */
  readonly ofMain: readonly Tool<Agent>[];
  /** The names of the servers that are configured. */
  readonly servers: readonly string[];
  /** Carries the main conversation's messages to its team. */
  readonly toTeam?: SendMessageDeps<Agent>["toTeam"];
  /** Carries texts to other sessions. */
  readonly toSession?: SendMessageDeps<Agent>["toSession"];
}

/**
 * The tools of each agent of a session, in the order its model sees them. They are made once, but
 * for the one that lists the agents.
 */
export function sessionTools(deps: SessionToolsDeps): (agent: Agent) => readonly Tool<Agent>[] {
  const { revision, common, ofMain, servers, toTeam, toSession } = deps;
  const send = sendMessageTool<Agent>({
    revision,
    isAgent: (to, { agent }) => agent.session.jobs.find(to) !== undefined,
    toAgent: (message, { agent, signal }) => sendToAgent(message, signal, agent),
    toSession,
    whyUnknown: (to, { agent }) => whyUnknown(to, agent),
    toTeam: async (request, context) => (context.agent.id === undefined ? toTeam?.(request, context) : undefined),
  });
  return ({ id, kind, depth, bounds, permissions, mcp, session: { gates, agents } }) => {
    const task = agentTool({
      revision,
      gates: { ...gates, isForkEnabled: revision === "2026-11" ? gates.isInteractive : gates.isForkEnabled },
      list: agentListing(offeredAgents(agents, permissions.rules(), servers)),
    });
    const all = [...common, ...(id === undefined ? ofMain : []), ...(mcp?.tools() ?? []), task, send];
    if (id === undefined) return all.filter(({ definition }) => isLeftToMain(definition.name, bounds));
    return toolPool(bounds, { tools: all, revision, maySpawn: kind !== "agent" || depth < gates.maxDepth });
  };
}

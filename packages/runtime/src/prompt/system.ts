import type { Block } from "../model/model.ts";
import type { Instruction, InstructionScope } from "./instructions.ts";
import { type Memory, memorySection } from "./memory.ts";

/** Facts for an agent about where it works; all of them may differ from one session to the next. */
export interface Environment {
  readonly cwd: string;
  readonly platform: string;
  /** A day, not a time: what changes with every request spoils the cache. */
  readonly date: string;
  readonly gitBranch?: string | undefined;
}

/** A skill that is given whole from the start. */
export interface PreloadedSkill {
  readonly name: string;
  readonly text: string;
}

/** The team an agent belongs to. */
export interface TeamContext {
  readonly name: string;
  /** The agent's own name in it. */
  readonly member: string;
  readonly members: readonly { readonly name: string; readonly agentType?: string | undefined }[];
  /** Where it writes its plan, of one that may change nothing before its lead has approved that. */
  readonly plan?: string | undefined;
}

/** Parts of a system prompt; one that is absent or empty leaves no trace. */
export interface SystemParts {
  /** The agent's identity and way of working: the body of its definition. */
  readonly role: string;
  readonly instructions?: readonly Instruction[];
  readonly memory?: readonly Memory[];
  readonly skills?: readonly PreloadedSkill[];
  readonly team?: TeamContext | undefined;
  readonly environment?: Environment | undefined;
  /** Servers whose tools the agent would have, were they there. */
  readonly absentServers?: readonly string[] | undefined;
}

/**
 * The system prompt: one block a part, the stable ones first, so that agents of one kind share what
 * they can of the cache.
 */
export function systemPrompt({
  role,
  instructions,
  memory,
  skills,
  team,
  environment,
  absentServers,
}: SystemParts): readonly Block[] {
  const sections = [
    role,
    instructions?.length ? instructionSection(instructions) : "",
    ...(memory ?? []).map(memorySection),
    ...(skills ?? []).map(({ name, text }) => `# Skill: ${name}\n\n${text}`),
    team ? teamSection(team) : "",
    environment ? environmentSection(environment) : "",
    absentServers?.length ? absentSection(absentServers) : "",
  ];
  return sections.filter((text) => text.trim() !== "").map((text) => ({ type: "text", text }));
}

/**
 * A subagent's: what its own definition says. Of its caller's prompt it gets the environment and
 * nothing else.
 */
export const subagentPrompt = (own: Omit<SystemParts, "environment">, caller: SystemParts): readonly Block[] =>
  systemPrompt({ ...own, environment: caller.environment });

const whose: Record<InstructionScope, string> = {
  managed: "by the administrator of this machine",
  user: "by the user, for all projects",
  project: "by the project, for everybody who works on it",
  local: "by the user, for this project alone",
};

const instructionSection = (instructions: readonly Instruction[]): string =>
  [
    "# Instructions\n\nFollow them exactly; they override your defaults. Later ones are more specific.",
    ...instructions.map(({ path, scope, text }) => `## ${path} (${whose[scope]})\n\n${text.trim()}`),
  ].join("\n\n");

const teamSection = ({ name, member, members, plan }: TeamContext): string =>
  [
    `# Your team\n\nYou are ${member} in the team ${name}. Its members:`,
    members.map((one) => `- ${one.name}${one.agentType ? ` (${one.agentType})` : ""}`).join("\n"),
    ...(plan ? [planning(plan)] : []),
  ].join("\n\n");

const planning = (path: string): string =>
  `You begin in plan mode: until the lead has approved your plan, only read, and change nothing but the plan. \
Write it to ${path}, then call ExitPlanMode and end your turn.`;

const environmentSection = ({ cwd, platform, date, gitBranch }: Environment): string =>
  [
    "# Environment\n",
    `Working directory: ${cwd}`,
    ...(gitBranch ? [`Git branch at the start: ${gitBranch}`] : []),
    `Platform: ${platform}`,
    `Date: ${date}`,
  ].join("\n");

const absentSection = (names: readonly string[]): string =>
  `# Missing tools

These MCP servers are configured and could not be reached when this conversation began, so you have none of their tools: \
${names.map((name) => JSON.stringify(name)).join(", ")}. If you need one, say so instead of working around it.`;

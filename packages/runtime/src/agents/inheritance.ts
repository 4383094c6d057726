import { agentMcpServer } from "@troupe/protocol/agent";
import type { HooksConfig } from "@troupe/protocol/hooks";
import type { HookSurroundings, Hooks } from "../hooks/hooks.ts";
import type { Abort } from "../loop/abort.ts";
import type { Tool } from "../loop/tool.ts";
import { chooseModel, type ModelOverrides } from "../model/choice.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { Instruction } from "../prompt/instructions.ts";
import type { Environment } from "../prompt/system.ts";
import { createSeenFiles } from "../tools/seen-files.ts";
import type { SkillDeps } from "../tools/skill.ts";
import type { Household } from "../worker.ts";
import type { Parent, ParentToBe } from "./parent.ts";
import { toolPool } from "./pool.ts";
import { type Caller, modeOf, type Route, type Situation } from "./route.ts";
import type { SubagentDeps } from "./subagent.ts";
import { systemOf } from "./subagent-prompt.ts";

export interface InheritanceDeps extends Pick<Situation, "gates"> {
  readonly household: Household;
  /** The session's own; those of a definition are added for its agent alone. */
  readonly hooks: Hooks;
  readonly surroundings: () => HookSurroundings;
  readonly environment: Environment;
  readonly instructions: readonly Instruction[];
  readonly modelOverrides?: ModelOverrides | undefined;
  /** Tools that every agent has besides the built-in ones and those of its servers. */
  readonly further: readonly Tool[];
  /** By what whoever is started reaches others: Agent, SendMessage. */
  readonly tools: (parent: Parent) => readonly Tool[];
  readonly runSkill: (parent: Parent) => NonNullable<SkillDeps["runForked"]>;
}

/** Who is started: its id and its way to be ended are known before anything else of it. */
export interface Child {
  readonly id: string;
  readonly abort: Abort;
  /** By what a person tells it from others. */
  readonly name: string;
}

/** All that an agent has from its parent and its definition. */
export type Inheritance = Pick<
  SubagentDeps,
  | "type"
  | "cwd"
  | "key"
  | "permissions"
  | "hooks"
  | "seen"
  | "mcp"
  | "further"
  | "runForked"
  | "choose"
  | "system"
  | "maxTurns"
>;

/** A fork is its parent up to the call: conversation, tools, model and permissions. Its hands are its own. */
export function inheritAsFork(
  { cwd: own }: Pick<Extract<Route, { kind: "fork" }>, "cwd">,
  child: Child,
  parent: ParentToBe,
  deps: InheritanceDeps,
): Inheritance {
  const { key, mcp, caller } = parent;
  const cwd = own ?? parent.cwd;
  const permissions = permissionsOf("bubble", { name: child.name }, cwd, child, parent);
  const self: ParentToBe = { ...parent, id: child.id, cwd, permissions, caller: { ...caller, kind: "fork" } };
  return {
    type: "fork",
    cwd,
    key,
    permissions,
    hooks: hooksOf("fork", undefined, self, deps),
    // The same paths are other files elsewhere.
    seen: own === undefined ? parent.seen.clone() : createSeenFiles(),
    further: (forkPoint) => [...deps.further, ...(mcp?.tools() ?? []), ...deps.tools({ ...self, forkPoint })],
    runForked: (forkPoint) => deps.runSkill({ ...self, forkPoint }),
    system: async () => [],
  };
}

/** A named agent is its definition: its own prompt, tools chosen anew, its own mode, and of its parent what that does not say. */
export async function inheritAsAgent(
  { agent, model, effort, isBackground, cwd: own }: Extract<Route, { kind: "agent" }>,
  child: Child,
  parent: ParentToBe,
  deps: InheritanceDeps,
  signal: AbortSignal,
): Promise<Inheritance | { readonly refusal: string }> {
  const { household, gates, modelOverrides: overrides, environment } = deps;
  const { revision, root, project, skills } = household;
  const required = agent.requiredMcpServers ?? [];
  const missing = required.length > 0 && ((await parent.mcp?.missing(required, signal)) ?? required);
  if (missing && missing.length > 0)
    return {
      refusal: `${agent.agentType} needs the MCP servers ${missing.join(", ")}, which offer no tools here; look at mcpServers in the settings`,
    };
  const specs = (agent.mcpServers ?? []).flatMap((entry) => agentMcpServer(entry) ?? []);
  const mcp = parent.mcp?.child(specs);
  if (mcp && specs.length > 0)
    await mcp.missing(
      mcp.servers().map(({ name }) => name),
      signal,
    );
  const cwd = own ?? parent.cwd;
  const badge = { name: child.name, ...(agent.color === undefined ? {} : { color: agent.color }) };
  const mode = modeOf(agent, parent.permissions.mode(), { revision, gates });
  const permissions = permissionsOf(mode, badge, cwd, child, parent);
  const chosen = chooseModel({ asked: model, parent: parent.key.model, ...(overrides && { overrides }) });
  const key = { ...parent.key, model: chosen, ...(effort === undefined ? {} : { effort: String(effort) }) };
  const seen = parent.seen.clone();
  const caller: Caller = { kind: "agent", depth: parent.caller.depth + 1 };
  const self: ParentToBe = { caller, id: child.id, cwd, key, permissions, seen, mcp };
  const maySpawn = caller.depth < gates.maxDepth;
  return {
    type: agent.agentType,
    cwd,
    key,
    permissions,
    hooks: hooksOf(agent.agentType, agent.hooks, self, deps),
    seen,
    mcp,
    further: (forkPoint) => [...deps.further, ...(mcp?.tools() ?? []), ...deps.tools({ ...self, forkPoint })],
    runForked: (forkPoint) => deps.runSkill({ ...self, forkPoint }),
    choose: (tools) => toolPool(agent, { tools, revision, isBackground, maySpawn }),
    system: () => {
      const instructions = revision === "2026-02" ? [] : deps.instructions;
      return systemOf({ agent, root, project, skills, environment: { ...environment, cwd }, instructions });
    },
    maxTurns: agent.maxTurns,
  };
}

const permissionsOf = (
  mode: ReturnType<typeof modeOf>,
  badge: { readonly name: string; readonly color?: string },
  cwd: string,
  { abort }: Child,
  { permissions }: ParentToBe,
): Permissions => permissions.within({ mode, badge, cwd, interrupt: () => abort.abort("user_interrupt") });

const hooksOf = (
  agentType: string,
  hooks: HooksConfig = {},
  { id = "", cwd, permissions }: ParentToBe,
  { hooks: sessions, surroundings }: InheritanceDeps,
): Hooks =>
  sessions.within({
    agentId: id,
    agentType,
    hooks,
    origin: `the definition of ${agentType}`,
    surroundings: () => ({ ...surroundings(), cwd, permission_mode: permissions.mode() }),
  });

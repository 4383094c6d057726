import { agentMcpServer } from "@troupe/protocol/agent";
import type { HooksConfig } from "@troupe/protocol/hooks";
import type { HookSurroundings, Hooks } from "../hooks/hooks.ts";
import { answerWithHooks } from "../hooks/judge.ts";
import type { Abort } from "../loop/abort.ts";
import type { Tool } from "../loop/tool.ts";
import { chooseModel, type ModelOverrides } from "../model/choice.ts";
import type { Ask } from "../permissions/ask.ts";
import type { WorkingMode } from "../permissions/finding.ts";
import type { ChildPermissions, Permissions } from "../permissions/permissions.ts";
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

/** An agent that decides something for the runtime, whatever mode its caller works in. */
export interface Judge {
  readonly mode: WorkingMode;
  readonly ask: Ask;
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
  const rest = ownsOf({ type: "fork", mode: "bubble", badge: { name: child.name }, cwd }, child, parent, deps);
  const self: ParentToBe = {
    ...parent,
    id: child.id,
    cwd,
    permissions: rest.permissions,
    caller: { ...caller, kind: "fork" },
  };
  return {
    type: "fork",
    cwd,
    key,
    ...rest,
    // The same paths are other files elsewhere.
    seen: own === undefined ? parent.seen.clone() : createSeenFiles(),
    further: (forkPoint) => [...deps.further, ...(mcp?.tools() ?? []), ...deps.tools({ ...self, forkPoint })],
    runForked: (forkPoint) => deps.runSkill({ ...self, forkPoint }),
    system: async () => [],
  };
}

/** A named agent is its definition: its own prompt, tools chosen anew, its own mode, and of its parent what that does not say. */
export async function inheritAsAgent(
  {
    agent,
    model,
    effort,
    isBackground,
    cwd: own,
    judge,
  }: Extract<Route, { kind: "agent" }> & { readonly judge?: Judge },
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
  const mode = judge?.mode ?? modeOf(agent, parent.permissions.mode(), { revision, gates });
  const rest = ownsOf(
    { type: agent.agentType, hooks: agent.hooks, mode, badge, cwd, ask: judge?.ask },
    child,
    parent,
    deps,
  );
  const { permissions } = rest;
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
    ...rest,
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

/** Permissions and hooks of its own, which look at each other's words. */
function ownsOf(
  own: Pick<ChildPermissions, "mode" | "badge" | "cwd"> & {
    readonly type: string;
    readonly hooks?: HooksConfig | undefined;
    readonly ask?: Ask | undefined;
  },
  { id, abort }: Child,
  parent: ParentToBe,
  { hooks: sessions, surroundings, household }: InheritanceDeps,
): { readonly permissions: Permissions; readonly hooks: Hooks } {
  const { type, mode, badge, cwd, ask } = own;
  const hooks = sessions.within({
    agentId: id,
    agentType: type,
    hooks: own.hooks ?? {},
    origin: `the definition of ${type}`,
    surroundings: () => ({ ...surroundings(), cwd, permission_mode: permissions.mode() }),
  });
  const reports = { show: household.show, stop: () => abort.abort("hook_stopped") };
  const permissions = parent.permissions.within({
    ...{ mode, badge, cwd, ...(ask && { ask }) },
    answer: answerWithHooks(hooks, reports),
    interrupt: () => abort.abort("user_interrupt"),
  });
  return { permissions, hooks };
}

import { allowsTool, type PermissionMode, type Revision } from "@troupe/protocol";
import type { HooksConfig } from "@troupe/protocol/hooks";
import type { Ask } from "@troupe/team";
import { type Agent, mainOf, newAgent } from "../agent/agent.ts";
import { type Bound, boundOf } from "../agent/bound.ts";
import { createSeenFiles } from "../agent/seen-files.ts";
import type { SessionContext } from "../agent/session-context.ts";
import type { Abort } from "../loop/abort.ts";
import type { Tool } from "../loop/tool.ts";
import type { Mcp } from "../mcp/mcp.ts";
import { chooseModel } from "../model/choice.ts";
import type { Block } from "../model/model.ts";
import type { ModeBounds } from "../permissions/modes.ts";
import type { ChildPermissions } from "../permissions/permissions.ts";
import type { WorkingMode } from "../permissions/ruling.ts";
import type { KnownAgent } from "../project/definitions.ts";
import { memoryPlace } from "./memory-place.ts";
import type { Route } from "./route.ts";
import { serversOf } from "./servers.ts";
import { systemOf } from "./subagent-prompt.ts";

/** The started agent: its id and its abort are known before anything else of it. */
export interface Child {
  readonly id: string;
  readonly abort: Abort;
  /** The name by which a person tells it from others. */
  readonly name: string;
}

/**
 * An agent that decides something for the runtime, in a mode of its own wherever its caller may do
 * more.
 */
interface Judge {
  readonly mode: WorkingMode;
  readonly ask: Ask;
}

/** The kind of agent to start, wherever it works. */
export type Kind =
  | (Omit<Extract<Route, { kind: "agent" }>, "why"> & { readonly judge?: Judge })
  | { readonly kind: "fork" };

/** An agent with all that it has from its parent and its definition. */
export interface Inherited {
  readonly agent: Agent;
  readonly type: string;
  readonly system: () => Promise<readonly Block[]>;
  readonly maxTurns?: number | undefined;
  /** The directory of its memory, where it keeps one. */
  readonly memory?: string | undefined;
  /** Servers of its own, which end with it. */
  readonly servers?: Mcp | undefined;
}

/** The agent's own parts when it works in `own`, or where its parent does. */
export async function inherit(
  kind: Kind,
  own: string | undefined,
  child: Child,
  parent: Agent,
  signal: AbortSignal,
): Promise<Inherited | { readonly refusal: string }> {
  return kind.kind === "fork" ? inheritAsFork(own, child, parent) : inheritAsAgent(kind, own, child, parent, signal);
}

/**
 * A fork is its parent up to the call: conversation, tools, model and permissions. Its hands are
 * its own.
 */
function inheritAsFork(own: string | undefined, child: Child, parent: Agent): Inherited {
  const agent = newAgent({
    ...parent,
    ...ownsOf({ type: "fork", mode: "bubble", badge: { name: child.name }, cwd: own ?? parent.cwd }, child, parent),
    kind: "fork",
    // The same paths are other files elsewhere.
    seen: own === undefined ? parent.seen.clone() : createSeenFiles(),
  });
  return { agent, type: "fork", system: async () => [] };
}

/**
 * A named agent is its definition: its own prompt, tools chosen anew, its own mode, and of its
 * parent what that does not say.
 */
async function inheritAsAgent(
  { agent, model, effort, isBackground, judge }: Extract<Kind, { kind: "agent" }>,
  own: string | undefined,
  child: Child,
  parent: Agent,
  signal: AbortSignal,
): Promise<Inherited | { readonly refusal: string }> {
  const { session, bounds, depth } = parent;
  const { revision, project, skills, modelOverrides: overrides, promptEnvironment } = session;
  const { root } = session.machine;
  const mcp = await serversOf(agent, parent, signal);
  if (mcp && "refusal" in mcp) return mcp;
  const cwd = own ?? parent.cwd;
  const badge = { name: child.name, ...(agent.color === undefined ? {} : { color: agent.color }) };
  const mode = judge ? { mode: judge.mode } : modeOf(agent, session);
  const chosen = chooseModel({ asked: model, parent: parent.key.model, ...(overrides && { overrides }) });
  const memory = memoryPlace({ agent, root, project });
  const heir = newAgent({
    ...ownsOf(
      {
        type: agent.agentType,
        hooks: agent.hooks,
        ...mode,
        badge,
        cwd,
        memory,
        ask: judge?.ask,
      },
      child,
      parent,
    ),
    kind: "agent",
    depth: depth + 1,
    session,
    mcp,
    key: { ...parent.key, model: chosen, ...(effort === undefined ? {} : { effort: String(effort) }) },
    seen: parent.seen.clone(),
    bounds: [
      ...bounds,
      { ...boundOf(agent, isBackground), ...(isBackground && session.gates.isMcpWithheld && { withoutMcp: true }) },
    ],
  });
  return {
    agent: heir,
    type: agent.agentType,
    system: () => {
      const instructions = revision === "2026-02" ? [] : session.instructions;
      return systemOf({ agent, root, project, skills, environment: { ...promptEnvironment, cwd }, instructions });
    },
    maxTurns: agent.maxTurns,
    memory,
    servers: mcp,
  };
}

/**
 * The permissions of an agent: its definition's mode or the gate's, within its caller's at every
 * call.
 */
export function modeOf(
  { permissionMode }: Pick<KnownAgent, "permissionMode">,
  { revision, gates: { agentMode } }: Pick<SessionContext, "revision" | "gates">,
): { readonly mode: PermissionMode | undefined; readonly bounds: ModeBounds } {
  return {
    mode: permissionMode ?? (agentMode === "inherit" ? undefined : agentMode),
    bounds: {
      winning: revision === "2026-02" ? ["bypassPermissions"] : ["bypassPermissions", "acceptEdits", "auto"],
      reach: agentMode === "acceptEdits" ? agentMode : undefined,
    },
  };
}

/**
 * The parts that every agent has of its own: where it works, permissions and hooks.
 */
function ownsOf(
  own: Pick<ChildPermissions, "mode" | "bounds" | "badge" | "cwd" | "memory"> & {
    readonly type: string;
    readonly hooks?: HooksConfig | undefined;
    readonly ask?: Ask | undefined;
  },
  { id, abort }: Child,
  parent: Agent,
): Pick<Agent, "id" | "cwd" | "permissions" | "hooks" | "main" | "stop"> {
  const { type, mode, bounds, badge, cwd, ask } = own;
  // What a fork has of its parent, a named agent has of its definition alone.
  const memory = "memory" in own ? { memory: own.memory } : {};
  const { sessionId } = parent.session;
  const main = mainOf(parent);
  const permissions = parent.permissions.within({
    mode,
    badge,
    cwd,
    ...memory,
    ...(bounds && { bounds }),
    ...(ask && { ask }),
    interrupt: () => abort.abort("user_interrupt"),
  });
  const hooks = main.hooks.within({
    agentId: id,
    agentType: type,
    hooks: own.hooks ?? {},
    origin: `the definition of ${type}`,
    surroundings: () => ({
      session_id: sessionId,
      transcript_path: main.transcript,
      cwd,
      permission_mode: permissions.mode(),
    }),
  });
  return { id, cwd, permissions, hooks, main, stop: () => abort.abort("hook_stopped") };
}

export interface PoolDeps<Agent> {
  /** All there is: the built-in tools, those of the caller's servers and of the agent's own. */
  readonly tools: readonly Tool<Agent>[];
  readonly revision: Revision;
  /** It may start agents itself. */
  readonly maySpawn: boolean;
}

/** The tools of the conversation with the person; 2026-02 takes away only the Agent tool. */
const ofTheMainConversation = new Set([
  ...["AskUserQuestion", "EndConversation", "EnterPlanMode", "ExitPlanMode", "ScheduleWakeup", "TaskOutput"],
  ...["TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "WaitForMcpServers", "Workflow"],
]);

/** The built-in tools that are left in the background (2026-11). */
const inBackground = new Set([
  ...["Agent", "Bash", "Edit", "EnterWorktree", "ExitWorktree", "Glob", "Grep", "Monitor", "NotebookEdit", "Read"],
  ...["SendMessage", "Skill", "TaskStop", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write"],
]);

/** An agent that keeps a memory must be able to read and write it. */
export const memoryTools = new Set(["Read", "Write", "Edit"]);

/**
 * The tools of an agent: put together anew from all there are, and not what its caller happens to
 * have left. Its own definition and those of the agents above it each take away, since an agent
 * starts none that may use what it may not; a fork has its caller's.
 */
export function toolPool<Agent>(
  bounds: readonly Bound[],
  { tools, revision, maySpawn }: PoolDeps<Agent>,
): readonly Tool<Agent>[] {
  return tools.filter(({ definition: { name } }) => {
    if (name === "Agent" && !maySpawn) return false;
    return isLeft(name, bounds, revision);
  });
}

/** Whether a tool is left where all of these bounds hold. */
export const isLeft = (name: string, bounds: readonly Bound[], revision: Revision): boolean =>
  bounds.every((bound) => takenBy(bound, name, revision) === undefined);

/** The tools by which a member reaches its team, which no definition takes away. */
const ofMembers = new Set([
  ...["SendMessage", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
  ...["EnterPlanMode", "ExitPlanMode"],
]);

/** The same for a main conversation, which works by a definition or by none. */
export const isLeftToMain = (name: string, bounds: readonly Bound[]): boolean =>
  ofMembers.has(name) ||
  bounds.every(({ memory, ...bound }) => (memory !== undefined && memoryTools.has(name)) || allowsTool(bound, name));

/** Why these bounds leave no tool of this name; undefined where they leave it. */
export function takenBy(
  { tools, disallowedTools, memory, isBackground, withoutMcp }: Bound,
  name: string,
  revision: Revision,
): string | undefined {
  if (revision === "2026-11" && !name.startsWith("mcp__")) {
    if (ofTheMainConversation.has(name)) return "it belongs to the main conversation alone";
    if (isBackground && !inBackground.has(name)) return "agents in the background do not have it";
  }
  if (withoutMcp && name.startsWith("mcp__")) return "agents in the background have no tools of MCP servers";
  if (memory !== undefined && memoryTools.has(name)) return undefined;
  if (allowsTool({ tools, disallowedTools }, name)) return undefined;
  const isListed = allowsTool({ tools }, name);
  return isListed ? "disallowedTools of its definition takes it away" : "tools of its definition does not name it";
}

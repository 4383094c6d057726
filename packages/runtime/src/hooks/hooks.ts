import { messageOf } from "@troupe/protocol";
import {
  type HookInputCommon,
  type HooksConfig,
  handlersFor,
  hookTimeouts,
  type KnownHook,
  knownHook,
  stopToSubagentStop,
} from "@troupe/protocol/hooks";
import { type CommandPlace, runCommandHook } from "./command-hook.ts";
import { runHttpHook } from "./http-hook.ts";
import { type CallTool, runMcpToolHook } from "./mcp-tool-hook.ts";
import { type HookOutcome, type HookReply, mergeReplies } from "./outcome.ts";
import { type Ask, runJudgingHook } from "./prompt-hook.ts";

/** Hooks that were configured in one place. */
interface HookSource {
  readonly hooks: HooksConfig;
  /** Where, in words a person can follow. */
  readonly origin: string;
  /** The directory of the plugin that brought them. */
  readonly pluginRoot?: string;
}

/** The fields of every event besides its own. */
type HookSurroundings = Pick<
  HookInputCommon,
  "session_id" | "transcript_path" | "cwd" | "permission_mode" | "prompt_id" | "effort" | "agent_id" | "agent_type"
>;

export interface HooksDeps extends Omit<CommandPlace, "pluginRoot"> {
  /** In the order of their weight; who writes last has the last word on a call's input. */
  readonly sources: readonly HookSource[];
  /** Asked at every event, since the mode and the directory change. */
  readonly surroundings: () => HookSurroundings;
  /** What hooks of SessionStart find in their environment besides. */
  readonly ofStart?: Readonly<Record<string, string>>;
  /** Puts the questions of `prompt` hooks to a model. */
  readonly ask?: Ask;
  /** Lets an agent judge for `agent` hooks. */
  readonly runAgent?: Ask;
  /** Calls tools of MCP servers for `mcp_tool` hooks. */
  readonly callTool?: CallTool;
  /**
   * Does the call of this event match the permission rule? Without it, a hook that has one does not
   * run.
   */
  readonly matchesRule?: (rule: string, input: HookInputCommon) => boolean;
  /** Told why, when a hook that nothing waited for wants the agent's attention. */
  readonly wake?: (reason: string) => void;
}

/** An agent, the hooks of its definition, and what its events tell. */
interface HookedAgent extends HookSource {
  readonly agentId: string;
  readonly agentType: string;
  readonly surroundings?: () => HookSurroundings;
}

/** The hooks of a session, or of one of its agents. */
export interface Hooks {
  /** The agent they belong to; absent for the main conversation. */
  readonly agentId?: string;
  /** Is a hook configured for this event? */
  has(event: string): boolean;
  /** Runs every hook that matches, at once, and puts together what they said. It does not throw. */
  fire(event: string, fields: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<HookOutcome>;
  /**
   * The hooks of the session and of one agent's definition, for that agent alone, until they are
   * closed.
   */
  within(agent: HookedAgent): Hooks;
  /** From here on nothing is fired; hooks that nobody waits for are ended. */
  close(): Promise<void>;
}

interface Planned {
  readonly hook: KnownHook;
  readonly source: HookSource;
}

/** The hooks of a session. */
export function createHooks(deps: HooksDeps): Hooks {
  return { ...hooksOf(deps), within };

  function within({ agentId, agentType, surroundings, ...source }: HookedAgent): Hooks {
    const about = () => ({
      ...(surroundings ?? deps.surroundings)(),
      agent_id: agentId,
      agent_type: agentType,
    });
    const own = { ...source, hooks: stopToSubagentStop(source.hooks) };
    return { agentId, ...hooksOf({ ...deps, sources: [...deps.sources, own], surroundings: about }), within };
  }
}

function hooksOf(deps: HooksDeps): Pick<Hooks, "has" | "fire" | "close"> {
  const closing = new AbortController();
  const unattended = new Set<Promise<void>>();

  return {
    has: (event) => deps.sources.some(({ hooks }) => Object.hasOwn(hooks, event)),
    async fire(event, fields, signal) {
      if (closing.signal.aborted) return mergeReplies(event, []);
      const input = { ...deps.surroundings(), ...fields, hook_event_name: event };
      const planned = plannedFor(deps.sources, input);
      const attended = planned.filter((one) => !leaveToItself(one, input));
      if (attended.length === 0) return mergeReplies(event, []);
      const ending = AbortSignal.any([signal, closing.signal]);
      return mergeReplies(event, await Promise.all(attended.map((one) => run(one, input, ending))));
    },
    async close() {
      closing.abort();
      await Promise.all(unattended);
    },
  };

  /** Starts a hook that nothing waits for; false for one that is waited for. */
  function leaveToItself({ hook, source }: Planned, input: HookInputCommon): boolean {
    if (hook.type !== "command" || !(hook.async || hook.asyncRewake)) return false;
    const running = run({ hook, source }, input, closing.signal).then(({ meaning, reason = "" }) => {
      unattended.delete(running);
      if (meaning === "block" && hook.asyncRewake) deps.wake?.(reason);
    });
    unattended.add(running);
    return true;
  }

  async function run({ hook, source }: Planned, input: HookInputCommon, signal: AbortSignal): Promise<HookReply> {
    try {
      if (hook.if !== undefined && !deps.matchesRule) throw new Error("its rule (if) cannot be checked here");
      if (hook.if !== undefined && !deps.matchesRule?.(hook.if, input)) return { meaning: "pass" };
      return named(await reply(hook, source, input, signal));
    } catch (error) {
      return named({ meaning: "error", reason: messageOf(error) });
    }

    /** Errors say whose they are, since they are shown far from where the hook is configured. */
    function named(said: HookReply): HookReply {
      const which = `The ${hook.type} hook of ${input.hook_event_name} (${source.origin})`;
      return said.meaning === "error" ? { ...said, reason: `${which}: ${said.reason}` } : said;
    }
  }

  function reply(hook: KnownHook, source: HookSource, input: HookInputCommon, signal: AbortSignal): Promise<HookReply> {
    const timeoutMs = Math.min((hook.timeout ?? hookTimeouts[hook.type]) * 1_000, longestTimer);
    switch (hook.type) {
      case "command": {
        const besides = input.hook_event_name === "SessionStart" ? deps.ofStart : undefined;
        const place = { ...deps, environment: { ...deps.environment, ...besides }, pluginRoot: source.pluginRoot };
        return runCommandHook(hook, input, place, timeoutMs, signal);
      }
      case "http":
        return runHttpHook(hook, input, timeoutMs, signal);
      case "prompt":
        return runJudgingHook(hook, input, deps.ask, timeoutMs, signal);
      case "agent":
        return runJudgingHook(hook, input, deps.runAgent, timeoutMs, signal);
      case "mcp_tool":
        return runMcpToolHook(hook, input, deps.callTool, timeoutMs, signal);
    }
  }
}

/** A timer for longer than this fires at once. */
const longestTimer = 2 ** 31 - 1;

/** Every hook that this event is to run; of equal ones the first. */
function plannedFor(sources: readonly HookSource[], input: HookInputCommon): readonly Planned[] {
  const planned = sources.flatMap((source) =>
    handlersFor(source.hooks, input).flatMap((handler) => {
      const hook = knownHook(handler);
      return hook ? [{ hook, source }] : [];
    }),
  );
  const keys = planned.map(sameness);
  return planned.filter((_, index) => keys.indexOf(keys[index] ?? "") === index);
}

/**
 * Two hooks are the same when they do the same; how long they may take and what is shown meanwhile
 * does not count.
 */
const sameness = ({ hook, source }: Planned): string => {
  const { timeout: _, statusMessage: __, ...what } = hook;
  return JSON.stringify([source.pluginRoot, Object.entries(what).sort(([one], [other]) => (one < other ? -1 : 1))]);
};

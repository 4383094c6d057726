import type { Hooks } from "../hooks/hooks.ts";
import { transcriptPath } from "../journal/files.ts";
import type { Mcp } from "../mcp/mcp.ts";
import type { CacheKey } from "../model/frozen.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { Bound } from "./bound.ts";
import type { SeenFiles } from "./seen-files.ts";
import type { SessionContext } from "./session-context.ts";
import { createShells, type Shells } from "./shells.ts";

/**
 * One agent of a session, as its tools know it when they run: all that is decided of it before its
 * conversation begins.
 */
export interface Agent {
  /** The main conversation's agent has none. */
  readonly id?: string | undefined;
  readonly kind: "main" | "agent" | "fork";
  /** How many agents stand above it. */
  readonly depth: number;
  readonly transcript: string;
  readonly cwd: string;
  readonly key: CacheKey;
  readonly permissions: Permissions;
  readonly hooks: Hooks;
  readonly seen: SeenFiles;
  readonly shells: Shells;
  /** Absent where no servers can be reached at all. */
  readonly mcp?: Mcp | undefined;
  /**
   * Bounds of its definition and of those of the agents above it, also for the agents it starts;
   * the main conversation has none.
   */
  readonly bounds: readonly Bound[];
  readonly session: SessionContext;
  /** The agent of the main conversation; absent in that agent itself. */
  readonly main?: Agent | undefined;
  /** Ends its turn: a hook said that it must not go on. */
  readonly stop: (reason: string) => void;
}

/** Puts an agent together with what nobody else has: a transcript, and shells of its own. */
export function newAgent(own: Omit<Agent, "transcript" | "shells">): Agent {
  const { id, session } = own;
  const { machine, project, sessionId, revision, queue } = session;
  const { root, newId } = machine;
  return {
    ...own,
    transcript: transcriptPath({ root, cwd: project, sessionId, ...(id !== undefined && { agentId: id }) }),
    shells: createShells({
      newId,
      revision,
      notify: (draft) => void queue.notify(draft),
      ...(id !== undefined && { agent: id }),
    }),
  };
}

/** The agent of the main conversation. */
export const mainOf = (agent: Agent): Agent => agent.main ?? agent;

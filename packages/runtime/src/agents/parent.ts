import type { ForkPoint } from "../journal/entry.ts";
import type { Mcp } from "../mcp/mcp.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { CacheKey } from "../prompt/frozen.ts";
import type { SeenFiles } from "../tools/seen-files.ts";
import type { Caller } from "./route.ts";

/** Whoever calls the Agent tool, as far as those it starts take after it. */
export interface Parent {
  readonly caller: Caller;
  /** The main conversation has none. */
  readonly id?: string;
  readonly cwd: string;
  readonly key: CacheKey;
  readonly permissions: Permissions;
  readonly seen: SeenFiles;
  /** Absent where no servers can be reached at all. */
  readonly mcp?: Mcp | undefined;
  /** Where a fork leaves the conversation now; absent while there is no answer. */
  readonly forkPoint: () => ForkPoint | undefined;
}

/** Whoever will be one, before it has a conversation. */
export type ParentToBe = Omit<Parent, "forkPoint">;

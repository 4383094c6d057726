import { PermissionMode } from "@troupe/protocol";
import { z } from "zod";

/** How the values of several sources become one. */
type Merge =
  /** The strongest source that says something. */
  | "highest"
  /** The same, for each key of an object by itself. */
  | "by key"
  /** All items of all sources, the strongest source first, none twice. */
  | "union"
  /** The same for each event of an object. */
  | "by event";

export interface Key {
  readonly merge: Merge;
  /** Of the whole value, of each item of a list, or of each value of an object. */
  readonly schema: z.ZodType;
  /**
   * The trust that a folder needs to say this. A folder can be a clone of anybody's repository:
   * without trust it may only make things stricter, and some things it may never say.
   */
  readonly folder: "stricter" | "trusted" | "never";
}

const trusted = (merge: Merge, schema: z.ZodType): Key => ({ merge, schema, folder: "trusted" });
const stricter = (merge: Merge, schema: z.ZodType): Key => ({ merge, schema, folder: "stricter" });
const personal = (merge: Merge, schema: z.ZodType): Key => ({ merge, schema, folder: "never" });

const McpServer = z.looseObject({
  type: z.string().optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  url: z.string().min(1).optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

const Worktree = z.looseObject({
  baseRef: z.enum(["head", "fresh"]).optional(),
  symlinkDirectories: z.array(z.string().min(1)).optional(),
});

/**
 * How every key is read and merged; a dot divides the keys of an object. Others are kept, as
 * `highest` and `trusted`.
 */
export const settingsKeys: Readonly<Record<string, Key>> = {
  "permissions.allow": trusted("union", z.string().min(1)),
  "permissions.ask": stricter("union", z.string().min(1)),
  "permissions.deny": stricter("union", z.string().min(1)),
  "permissions.additionalDirectories": trusted("union", z.string().min(1)),
  "permissions.defaultMode": trusted("highest", PermissionMode),
  "permissions.disableBypassPermissionsMode": stricter("highest", z.literal("disable")),
  skipDangerousModePermissionPrompt: personal("highest", z.boolean()),
  env: trusted("by key", z.string()),
  hooks: trusted("by event", z.unknown()),
  disableAllHooks: trusted("highest", z.boolean()),
  mcpServers: trusted("by key", McpServer),
  apiKeyHelper: personal("highest", z.string().min(1)),
  teamStore: personal("highest", z.string().min(1)),
  model: trusted("highest", z.string().min(1)),
  agent: trusted("highest", z.string().min(1)),
  teammateMode: trusted("highest", z.string().min(1)),
  planApproval: trusted("highest", z.enum(["lead", "user", "auto"])),
  teammateCaps: trusted("by key", z.number().positive()),
  deliverAt: trusted("highest", z.enum(["turn", "boundary"])),
  plansDirectory: trusted("highest", z.string().min(1)),
  cleanupPeriodDays: trusted("highest", z.number().min(0)),
  autoCompactEnabled: trusted("highest", z.boolean()),
  autoCompactWindow: trusted("highest", z.number().positive()),
  autoMemoryEnabled: trusted("highest", z.boolean()),
  promptCacheTtl: trusted("highest", z.string().min(1)),
  subagentPromptCacheTtl: trusted("highest", z.string().min(1)),
  statusLine: trusted("highest", z.looseObject({})),
  subagentStatusLine: trusted("highest", z.looseObject({})),
  worktree: trusted("highest", Worktree),
  $schema: stricter("highest", z.string()),
};

/** The rule for a key that is not in the table: it may run a command. */
export const unknownKey: Key = trusted("highest", z.unknown());

/** The objects that are not values themselves, but hold keys of the table. */
export const settingsObjects: ReadonlySet<string> = new Set(["permissions"]);

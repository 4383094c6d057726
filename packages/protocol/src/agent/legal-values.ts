import { colors } from "../team.ts";

/** The models a definition may name; at run time another name is taken as a full model id. */
export const modelAliases = ["sonnet", "opus", "haiku", "inherit"] as const;

/** The colours a definition may ask for. */
export const agentColors: readonly string[] = colors;

/** Tools that have gone, and the one that does the same today. */
export const goneTools: ReadonlyMap<string, string> = new Map([
  ["MultiEdit", "Edit"],
  ["NotebookRead", "Read"],
  ["BashOutput", "TaskOutput"],
]);

/** The locations of an agent's memory. */
export const memoryScopes = ["user", "project", "local"] as const;
export type MemoryScope = (typeof memoryScopes)[number];

/** The effort levels, besides a bare number. */
export const effortLevels = ["low", "medium", "high", "xhigh", "max"] as const;

/** The isolations of an agent. */
export const isolations = ["worktree", "remote"] as const;

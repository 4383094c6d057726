import { colors } from "../team.ts";

/** The models a definition may name; at run time another name is taken as a full model id. */
export const modelAliases = ["sonnet", "opus", "haiku", "inherit"] as const;

/** The colours a definition may ask for. */
export const agentColors: readonly string[] = colors;

/** Where an agent's memory is kept. */
export const memoryScopes = ["user", "project", "local"] as const;
export type MemoryScope = (typeof memoryScopes)[number];

/** How hard the model is to think, beside a bare number. */
export const effortLevels = ["low", "medium", "high", "xhigh", "max"] as const;

/** Where an agent works, other than in place. */
export const isolations = ["worktree", "remote"] as const;

export type { WorktreeState } from "./listing.ts";
export { createWorktrees, type Worktrees, type WorktreesDeps } from "./worktrees.ts";

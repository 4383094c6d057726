export { createWorktrees, type WorktreesDeps } from "./worktrees.ts";

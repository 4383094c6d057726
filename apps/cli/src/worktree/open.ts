import { createWorktrees, type Worktrees } from "@troupe/backends/worktree";
import type { Call } from "../command.ts";

/** The worktrees of the repository that the command runs in. */
export const worktreesOf = ({ cwd, environment, note, now }: Call): Worktrees =>
  createWorktrees({ cwd, environment, warn: note, now });

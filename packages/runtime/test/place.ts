import type { Workspace } from "../src/workspace.ts";

/** A directory in the place of a worktree, which is as it was unless something else is said. */
export const placeAt = (path: string, over: Partial<Workspace> = {}): Workspace => ({
  path,
  leave: async () => ({ isChanged: false }),
  release: async () => ({ isKept: false }),
  ...over,
});

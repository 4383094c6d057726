import { existsSync } from "node:fs";
import { messageOf, type SubagentMeta } from "@troupe/protocol";
import type { SessionContext } from "../agent/session-context.ts";
import type { Tidied } from "../jobs/job.ts";
import type { Workspace } from "../workspace.ts";
import type { Note } from "./run-facts.ts";

/**
 * Ends the work of an agent in a place of its own, and says what is left of it. Where its end is
 * told later, the place is given back only when that was dealt with.
 */
export async function leavePlace(workspace: Workspace, note: Note, isToldLater: boolean): Promise<Tidied> {
  const { path: worktreePath, branch, madeByHook } = workspace;
  const release = async () => {
    const { isKept } = await workspace.release();
    note({ worktreeCleanlyRemoved: !isKept });
    return isKept;
  };
  const isLeft = isToldLater ? (await workspace.leave()).isChanged : await release();
  return {
    ...(isLeft && {
      worktree: { worktreePath, ...(branch !== undefined && { worktreeBranch: branch }) },
      note: madeByHook
        ? "Its worktree stays: a hook made it, and a WorktreeRemove hook alone can remove it."
        : "Its worktree stays: it holds changes, or may hold some. Look with git status there; take over what is good, then remove it.",
    }),
    ...(isToldLater && { afterwards: async () => void (await release()) }),
  };
}

/**
 * The end of the work of an agent of an earlier process in its place, which is opened again where
 * it is there; one that a hook made is only named, since the hook would make another.
 */
export async function leftPlace(
  id: string,
  meta: SubagentMeta,
  note: Note,
  { workspaces, show }: Pick<SessionContext, "workspaces" | "show">,
  signal: AbortSignal,
): Promise<Tidied> {
  const { worktreePath, worktreeBranch, worktreeCleanlyRemoved } = meta;
  if (worktreePath === undefined || worktreeCleanlyRemoved) return {};
  const isThere = worktreeBranch !== undefined && existsSync(worktreePath);
  const workspace = isThere ? await workspaces?.open(`agent-${id}`, signal).catch(unopened) : undefined;
  if (workspace) return leavePlace(workspace, note, true);
  return { worktree: { worktreePath, ...(worktreeBranch !== undefined && { worktreeBranch }) } };

  function unopened(error: unknown): undefined {
    show(`The worktree of the agent ${id} at ${worktreePath} could not be opened and stays: ${messageOf(error)}`);
  }
}

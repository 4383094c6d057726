import { worktree as pathOf, worktreeSlug } from "@troupe/protocol";
import type { Workspace, Workspaces } from "@troupe/runtime";
import { inWorktree, printed, type Worktree } from "./commands.ts";
import { createGit } from "./git.ts";
import { giveBack } from "./giving-back.ts";
import { ignore, linkInto } from "./links.ts";
import { fill, lock, make } from "./making.ts";
import { findAt } from "./place.ts";
import { findRepository, headOf } from "./repository.ts";
import { createTurns } from "./turns.ts";

export interface WorktreesDeps {
  /** The repository, or any directory in it. */
  readonly cwd: string;
  /** Variables for git, besides those that keep it from prompting. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Directories of the repository that worktrees share with it. */
  readonly linked?: readonly string[];
  /** Told what went wrong without keeping a worktree from being used. */
  readonly warn: (message: string) => void;
  /** The longest that one command of git may take. */
  readonly timeoutMs?: number;
}

/**
 * Worktrees of a repository: `.claude/worktrees/<name>` below its root, each on a branch of its
 * own, locked while it is in use.
 */
export function createWorktrees(deps: WorktreesDeps): Workspaces {
  const { cwd, environment, linked = ["node_modules"], warn, timeoutMs = 300_000 } = deps;
  const git = createGit({ environment, timeoutMs });
  const inTurn = createTurns();
  return {
    async open(name, signal) {
      const slug = worktreeSlug(name);
      return inTurn(slug, async () => {
        try {
          return workspaceAt(await opened(name, slug, signal), slug);
        } catch (error) {
          if (signal.aborted) throw new Error(`opening the worktree ${name} was cancelled`, { cause: error });
          throw error;
        }
      });
    },
  };

  async function opened(name: string, slug: string, signal: AbortSignal): Promise<Worktree> {
    const repository = await findRepository(git, cwd, signal);
    const place = { repository, path: pathOf(repository.root, name), branch: `worktree-${slug}` };
    const found = await findAt(place.path, repository);
    if (found.is === "free") ignore(repository.common, "/.claude/worktrees/");
    const worktree = found.is === "free" ? await make(git, place, signal) : { ...place, directory: found.directory };
    if (found.is === "unfilled") await fill(git, worktree, await headOf(git, repository, signal), signal);
    if (found.is === "worktree") {
      printed(await inWorktree(git, worktree)(["rev-parse", "--verify", "HEAD^{commit}"], signal), place);
      await lock(git, worktree);
    }
    linkInto(worktree.path, repository, linked, warn);
    return worktree;
  }

  function workspaceAt(worktree: Worktree, slug: string): Workspace {
    let given: ReturnType<Workspace["release"]> | undefined;
    return {
      path: worktree.path,
      branch: worktree.branch,
      release() {
        given ??= inTurn(slug, () => giveBack(git, worktree));
        return given;
      },
    };
  }
}

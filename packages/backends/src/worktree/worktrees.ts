import { worktree as pathOf, worktreeSlug } from "@troupe/protocol";
import type { Workspace, WorkspaceChoice, Workspaces } from "@troupe/runtime";
import { inWorktree, printed, type Worktree } from "./commands.ts";
import { createGit } from "./git.ts";
import { giveBack, leave } from "./giving-back.ts";
import { ignore, linkInto } from "./links.ts";
import { listed, type WorktreeState } from "./listing.ts";
import { baseOf, fill, lock, make } from "./making.ts";
import { findAt } from "./place.ts";
import { findRepository, freshOf, headOf, type Repository } from "./repository.ts";
import { removeByForce, swept } from "./sweeping.ts";
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
  readonly now?: () => Date;
}

export interface Worktrees extends Workspaces {
  /** The worktrees of agents in this repository, and what was done in each. */
  list(signal: AbortSignal): Promise<readonly WorktreeState[]>;
  /** Removes those in which nothing is that is not elsewhere, and that nobody works in. */
  sweep(signal: AbortSignal): Promise<readonly WorktreeState[]>;
  /**
   * Removes one whatever is in it; all of that stays in a reference, whose name is returned. Throws
   * where somebody works in it or not all of it can be kept.
   */
  remove(name: string, signal: AbortSignal): Promise<{ readonly salvage: string }>;
}

/**
 * Worktrees of a repository: `.claude/worktrees/<name>` below its root, each on a branch of its
 * own, locked while it is in use.
 */
export function createWorktrees(deps: WorktreesDeps): Worktrees {
  const { cwd, environment, linked = ["node_modules"], warn, timeoutMs = 300_000, now = () => new Date() } = deps;
  const git = createGit({ environment, timeoutMs });
  const inTurn = createTurns();
  /** The newest to open each: who had it before no longer gives it back. */
  const holders = new Map<string, object>();
  return {
    async open(name, signal, choice = {}) {
      const slug = worktreeSlug(name);
      return inTurn(slug, async () => {
        try {
          return await workspaceAt(await opened(name, slug, choice, signal), slug);
        } catch (error) {
          if (signal.aborted) throw new Error(`opening the worktree ${name} was cancelled`, { cause: error });
          throw error;
        }
      });
    },
    list: async (signal) => listed(git, await findRepository(git, cwd, signal), signal),
    sweep: async (signal) => swept(git, await findRepository(git, cwd, signal), signal),
    remove: async (name, signal) => removeByForce(git, await findRepository(git, cwd, signal), name, signal),
  };

  async function opened(name: string, slug: string, choice: WorkspaceChoice, signal: AbortSignal): Promise<Opened> {
    const repository = await findRepository(git, cwd, signal);
    const place = { repository, path: pathOf(repository.root, name), branch: `worktree-${slug}` };
    const found = await findAt(place.path, repository);
    const worktree = await made();
    linkInto(worktree.path, repository, choice.symlinkDirectories ?? linked, warn);
    return { ...worktree, existed: found.is === "worktree" };

    async function made(): Promise<Worktree> {
      if (found.is !== "worktree") {
        const start = await startOf(repository, choice, signal);
        if (found.is === "free") {
          ignore(repository.common, "/.claude/worktrees/");
          return make(git, place, start, signal);
        }
        const unfilled = { ...place, directory: found.directory };
        await fill(git, unfilled, start, signal);
        return unfilled;
      }
      const existing = { ...place, directory: found.directory };
      printed(await inWorktree(git, existing)(["rev-parse", "--verify", "HEAD^{commit}"], signal), place);
      await lock(git, existing);
      return existing;
    }
  }

  async function startOf(
    repository: Repository,
    { baseRef, commit }: WorkspaceChoice,
    signal: AbortSignal,
  ): Promise<string> {
    if (commit !== undefined) return commit;
    const fresh = baseRef === "fresh" ? await freshOf(git, repository, now(), signal) : undefined;
    return fresh ?? headOf(git, repository, signal);
  }

  function workspaceAt(worktree: Opened, slug: string): Workspace {
    const { path, branch, directory, existed } = worktree;
    const commit = baseOf(directory);
    const holder = {};
    holders.set(slug, holder);
    const isHolder = () => holders.get(slug) === holder;
    let given: ReturnType<Workspace["release"]> | undefined;
    return {
      path,
      branch,
      existed,
      ...(commit !== undefined && { base: commit }),
      leave: () => inTurn(slug, async () => (isHolder() ? leave(git, worktree) : { isChanged: true })),
      release() {
        given ??= inTurn(slug, async () => (isHolder() ? giveBack(git, worktree) : { isKept: true }));
        return given;
      },
    };
  }
}

interface Opened extends Worktree {
  readonly existed: boolean;
}

import { TroupeError } from "@troupe/protocol";
import type { Git } from "../worktree/git.ts";
import type { Code } from "./asked.ts";
import { repositoryName } from "./repository-name.ts";

/**
 * The commit that is checked out here, for teammates elsewhere to begin with; undefined outside of
 * a repository. Throws `arguments_invalid` where others cannot reach it.
 */
export async function codeHere(
  git: Git,
  cwd: string,
  warn: (message: string) => void,
  signal: AbortSignal,
): Promise<Code | undefined> {
  const inside = await git(cwd, ["rev-parse", "--is-inside-work-tree"], signal);
  if (!inside.isFine) return undefined;
  const remote = await git(cwd, ["remote", "get-url", "origin"], signal);
  if (!remote.isFine)
    throw refused(cwd, `the repository of ${cwd} has no remote that hosts reach: git remote add origin URL, and push`);
  const head = await git(cwd, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], signal);
  if (!head.isFine) throw refused(cwd, `${cwd} has no commit for a teammate to begin with: commit and push`);
  const changed = await git(cwd, ["status", "--porcelain", "--ignore-submodules=dirty"], signal);
  if (changed.stdout !== "")
    warn(`what is not committed in ${cwd} stays here: hosts begin with ${head.stdout.trim().slice(0, 12)}`);
  return { repository: repositoryName(remote.stdout.trim()), commit: head.stdout.trim() };
}

const refused = (cwd: string, message: string): TroupeError => new TroupeError("arguments_invalid", message, { cwd });

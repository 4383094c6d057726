import { createHash } from "node:crypto";
import { mkdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { TroupeError } from "@troupe/protocol";
import { inTurn } from "@troupe/store";
import { inWorktree, printed, type Worktree } from "../worktree/commands.ts";
import { createGit, type Git, patiently } from "../worktree/git.ts";
import { findRepository, gitDirectoryOf } from "../worktree/repository.ts";
import { createWorktrees } from "../worktree/worktrees.ts";
import { type Asked, type Code, specOf, type Work, workOf } from "./asked.ts";

export interface CheckoutsDeps {
  /** Where clones and worktrees of this host lie. */
  readonly directory: string;
  /** What it works on: the names that leads know, and the addresses that this machine reaches. */
  readonly repositories: ReadonlyMap<string, string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly warn: (message: string) => void;
}

/** Where one start of a teammate works. */
export interface Checkout {
  readonly cwd: string;
  /** The branch to which its commits are pushed; undefined where it has no repository. */
  readonly branch?: string | undefined;
  /** Pushes what it has committed; undefined where that is nothing new. */
  push(signal: AbortSignal): Promise<Work | undefined>;
  /**
   * When nothing of it runs: commits and pushes all there is, and gives the place back, which stays
   * where that is not pushed before the signal fires.
   */
  end(signal: AbortSignal): Promise<Work | undefined>;
}

export type Checkouts = (asked: Asked, signal: AbortSignal) => Promise<Checkout>;

const timeoutMs = 600_000;
const notCommitted = "What was not committed when its agent ended";

/** Clones of repositories, with a worktree for each start; what is in them leaves by a push. */
export function openCheckouts({ directory, repositories, environment, warn }: CheckoutsDeps): Checkouts {
  const git = createGit({ environment, timeoutMs });
  const turns = new Map([...repositories.keys()].map((name) => [name, inTurn()]));

  /** Each step can be done again after it was cut short, which git clone cannot. */
  async function cloned(address: string, { commit, repository }: Code, begin: string, signal: AbortSignal) {
    const path = placeOf(directory, repository);
    const place = { path, branch: "", repository: { root: path, top: path, common: join(path, ".git") } };
    mkdirSync(path, { recursive: true });
    const tried = (...args: readonly string[]) => patiently(() => git(path, args, signal), signal);
    const run = async (...args: readonly string[]) => printed(await tried(...args), place);
    await run("init", "--quiet");
    await run("config", "remote.origin.url", address);
    await run("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*");
    await run("fetch", "--quiet", "--no-recurse-submodules", "origin");
    const has = async (one: string) => (await git(path, ["cat-file", "-e", `${one}^{commit}`], signal)).isFine;
    if (await has(begin)) return { path, begin };
    if (!(await has(commit))) await tried("fetch", "--quiet", "origin", commit);
    if (await has(commit)) return { path, begin: commit };
    const message = `${repository} has no commit ${commit}: push it from where the team is led, and try again`;
    throw new TroupeError("arguments_invalid", message, { repository, commit });
  }

  async function inClone(asked: Asked, code: Code, signal: AbortSignal): Promise<Checkout> {
    const address = repositories.get(code.repository);
    const turn = turns.get(code.repository);
    if (address === undefined || !turn) {
      const message = `this host does not work on ${code.repository}: start it with --repo and its address`;
      throw new TroupeError("arguments_invalid", message, { repository: code.repository });
    }
    // What an earlier start has pushed is gone on with.
    const start = workOf(asked)?.commit ?? code.commit;
    const { path, begin } = await turn(() => cloned(address, code, start, signal));
    const worktrees = createWorktrees({ cwd: path, environment, linked: [], warn });
    const workspace = await worktrees.open(nameOf(asked), signal, { commit: begin });
    const repository = await findRepository(git, path, signal);
    const gitDirectory = gitDirectoryOf(workspace.path, repository.common);
    if (!gitDirectory)
      throw new TroupeError("document_unwritable", `${workspace.path} is no worktree any more`, { path });
    const worktree = { repository, path: workspace.path, branch: workspace.branch ?? "", directory: gitDirectory };
    const branch = `troupe/${plain(asked.team)}/${nameOf(asked)}`;
    const oneByOne = inTurn();
    let pushed = begin;
    let looked: number | undefined;

    async function pushHead(signal: AbortSignal): Promise<Work | undefined> {
      const head = printed(await inWorktree(git, worktree)(["rev-parse", "HEAD"]), worktree);
      if (head === pushed) return undefined;
      const refspec = `${head}:refs/heads/${branch}`;
      const asked = ["push", "--quiet", "--force", "--no-verify", "origin", refspec];
      printed(await git(path, asked, signal), worktree);
      pushed = head;
      return { repository: code.repository, branch, commit: head };
    }

    return {
      cwd: workspace.path,
      branch,
      push: (signal) =>
        oneByOne(async () => {
          // It grows with each commit; to ask git each time would be a process every two seconds.
          const size = statSync(join(gitDirectory, "logs/HEAD"), { throwIfNoEntry: false })?.size;
          if (size !== undefined && size === looked) return undefined;
          const work = await pushHead(signal);
          looked = size;
          return work;
        }),
      end: (signal) =>
        oneByOne(async () => {
          await commitRest(git, worktree, asked);
          const work = await pushHead(signal);
          await workspace.release();
          await worktrees.sweep(AbortSignal.timeout(timeoutMs));
          return work;
        }),
    };
  }

  return async (asked, signal) => {
    const { code } = specOf(asked);
    if (code) return inClone(asked, code, signal);
    const cwd = join(directory, "without-code", nameOf(asked));
    mkdirSync(cwd, { recursive: true });
    const nothing = async () => undefined;
    return { cwd, push: nothing, end: nothing };
  };
}

async function commitRest(git: Git, worktree: Worktree, { team, member }: Asked): Promise<void> {
  const run = async (...args: readonly string[]) => printed(await inWorktree(git, worktree)(args), worktree);
  await run("add", "--all");
  if ((await run("status", "--porcelain", "--untracked-files=no")) === "") return;
  const [name, email] = [`${member} of ${team}`, `${plain(member)}@${plain(team)}`];
  // A host may have no identity of its own, and one in its environment goes before a setting.
  const known = ["-c", `user.name=${name}`, "-c", `user.email=${email}`];
  const how = ["--quiet", "--no-verify", "--no-gpg-sign", `--author=${name} <${email}>`, "-m", notCommitted];
  await run(...known, "commit", ...how);
}

/** Each start has a place and a branch of its own, so that a late push reaches nobody else's. */
const nameOf = ({ member, epoch }: Asked): string => `${plain(member)}-${epoch}`;
const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, "-");

/** Two repositories of the same last name are two places. */
const placeOf = (directory: string, repository: string): string => {
  const hash = createHash("sha256").update(repository).digest("hex").slice(0, 8);
  return join(directory, "repositories", `${plain(basename(repository))}-${hash}`);
};

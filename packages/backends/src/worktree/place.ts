import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { TroupeError } from "@troupe/protocol";
import { gitDirectoryOf, lockOf, pointerIn, type Repository } from "./repository.ts";

/** What exists at the path of a worktree: a worktree, an unfilled one, or nothing. */
export type Found =
  | { readonly is: "free" }
  | {
      /** `unfilled`: its creator ended before the checkout, so no agent has seen it. */
      readonly is: "worktree" | "unfilled";
      /** The directory in which git keeps its data about the worktree. */
      readonly directory: string;
    };

const lookMs = 100;
const maxLooks = 10;

/**
 * Creates the directories above a path and looks at what is there; a link on the way is refused,
 * since it could lead anywhere.
 */
export async function findAt(path: string, repository: Repository): Promise<Found> {
  makeDirectories(repository.root, dirname(path));
  for (let looks = 1; isHalfMade(path, repository); looks += 1) {
    // Its creator needs milliseconds; after a second it is gone, and only a pointer to nothing is
    // removed.
    if (looks === maxLooks) rmSync(join(path, ".git"));
    else await delay(lookMs);
  }
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry) return { is: "free" };
  if (!entry.isDirectory()) throw notADirectory(path);
  if (readdirSync(path).length === 0) return { is: "free" };
  const directory = gitDirectoryOf(path, repository.common);
  if (directory) return { is: existsSync(join(directory, "index")) ? "worktree" : "unfilled", directory };
  throw new TroupeError(
    "name_taken",
    `${path} exists and is not a worktree of ${repository.root}: move it away, or run "git worktree repair" if the repository was moved`,
    { path },
  );
}

function makeDirectories(root: string, path: string): void {
  let at = root;
  for (const part of relative(root, path).split(sep)) {
    at = join(at, part);
    if (!lstatSync(at, { throwIfNoEntry: false })) mkdirSync(at, { recursive: true });
    if (!lstatSync(at).isDirectory()) throw notADirectory(at);
  }
}

const notADirectory = (path: string): TroupeError =>
  new TroupeError("path_escaping", `${path} is a link or a file: worktrees need a real directory there; move it away`, {
    path,
  });

/** Is there nothing but a pointer, to a place of this repository where git had not finished? */
function isHalfMade(path: string, { common }: Repository): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory() || `${readdirSync(path)}` !== ".git") return false;
  const pointer = pointerIn(path);
  if (!pointer) return pointer === "";
  if (dirname(pointer) !== join(common, "worktrees")) return false;
  return gitDirectoryOf(path, common) === undefined || lockOf(pointer) === "initializing";
}

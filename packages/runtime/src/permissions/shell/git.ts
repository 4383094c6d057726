import { resolve } from "node:path";
import { follow, isDirectory, isThere } from "../place.ts";
import type { Argument } from "./argument.ts";
import { subcommands } from "./git-commands.ts";
import { cutOptions } from "./options.ts";
import type { CommandPlace, Read } from "./reading.ts";
import { isSameRepository, repositoryOf } from "./repository.ts";

/** Files that a `git` reads which only looks into the repository of the project. */
export function readsOfGit(given: readonly Argument[], { cwd, project }: CommandPlace): readonly Read[] | undefined {
  const rest = /^(?:--no-pager|-P)$/.test(given[0]?.text ?? "") ? given.slice(1) : given;
  if (rest[0]?.text === "-C") return readsElsewhere(rest.slice(1), { cwd, project });
  const [name, ...more] = rest;
  const subcommand = name && Object.hasOwn(subcommands, name.text) ? subcommands[name.text] : undefined;
  if (!name || !subcommand || cwd === undefined || !isSameRepository(cwd, project)) return undefined;
  const cut = cutOptions(more, { ...subcommand, isLoose: true });
  const strict = cutOptions(more, subcommand);
  if (!cut || !strict || cut.operands.some(({ isBelow }) => isBelow)) return undefined;
  const operands = cut.operands.map(({ text }) => text);
  // A format can ask for a signature, which another program judges.
  if (cut.found.some(({ value = "" }) => /%[-+ ]?G|signature/i.test(value))) return undefined;
  const { words: only, shows } = subcommand;
  if (only && !(operands.every((text) => only.test(text)) && isLook(name.text, operands, cut.found))) return undefined;
  const isContent = shows !== undefined && isShown(shows, cut.found);
  const words = strict.operands.map(({ text }) => text);
  const told = only
    ? undefined
    : toldPaths(name.text, words.slice(0, strict.end), words.slice(strict.end ?? words.length), cwd);
  const isTrackedOnly = !cut.found.some((option) => option.name === "untracked");
  const all = { path: ".", walks: isContent && !told, isTrackedOnly, isRepository: name.text !== "grep" };
  if (only) return [all];
  const paths = (told ?? []).map((path) => ({
    path,
    walks: isContent && isDirectory(resolve(cwd, path)),
    isTrackedOnly,
  }));
  const lines = cut.found.flatMap((option) =>
    option.name === "L" ? (/:([^:]*)$/.exec(option.value ?? "")?.[1] ?? []) : [],
  );
  const named = [...operands, ...lines].flatMap((text) => [blobPath(text, cwd) ?? text, ...lastPart(text, cwd)]);
  return [all, ...paths, ...named.map((path) => ({ path }))];
}

/** With `-C` it stands somewhere else, where the kernel leads it. */
function readsElsewhere(
  [to, ...words]: readonly Argument[],
  { cwd, project }: CommandPlace,
): readonly Read[] | undefined {
  if (cwd === undefined || !to || to.glob !== undefined || to.isBelow || to.text === "") return undefined;
  const directory = to.text.startsWith("/") ? to.text : `${cwd}/${to.text}`;
  const there = [resolve(directory), follow(directory)].map((at) => readsOfGit(words, { cwd: at, project }));
  if (there.includes(undefined)) return undefined;
  const found = there.flatMap((reads) => reads ?? []);
  const moved = found.map((read) =>
    read.path.startsWith("/") ? read : { ...read, path: `${directory}/${read.path}` },
  );
  return [{ path: directory }, ...moved];
}

type Found = readonly { readonly name: string }[];

/** Does it show what files hold, and not only how they are called? */
function isShown(shows: "always" | "told", found: Found): boolean {
  const isPatch = found.some(({ name }) => /^(?:p|u|v|L|U|G|S|patch|unified|word-diff|color-words|check)$/.test(name));
  const isBrief = found.some(({ name }) =>
    /^(?:s|stat|name-only|name-status|numstat|shortstat|no-patch|quiet)$/.test(name),
  );
  return isPatch || (shows === "always" && !isBrief);
}

/**
 * The paths it is told, so that it shows nothing that lies elsewhere; undefined where it may show
 * anything.
 */
function toldPaths(
  name: string,
  others: readonly string[],
  limits: readonly string[],
  cwd: string,
): readonly string[] | undefined {
  if (/^(?:blame|cat-file)$/.test(name)) return [];
  const blobs = others.flatMap((text) => blobPath(text, cwd) ?? []);
  if (limits.length > 0) return limits.some((text) => isPattern.test(text)) ? undefined : [...limits, ...blobs];
  // The first operand of `grep` is no path, even where there is one of that name.
  if (name === "grep" || others.length === 0) return undefined;
  const paths = others.flatMap((text) => (isThere(resolve(cwd, text)) && !isPattern.test(text) ? text : []));
  return paths.length + blobs.length === others.length ? [...paths, ...blobs] : undefined;
}

/** A path that fits others than itself, to git. */
const isPattern = /^:|[*?[\\]/;

/**
 * The path behind the last colon, whatever stands before it: from here, and from the top of the
 * repository.
 */
const lastPart = (text: string, cwd: string): readonly string[] => {
  const path = /:([^:]+)$/.exec(text)?.[1];
  return path === undefined ? [] : [path, resolve(repositoryOf(cwd) || cwd, path)];
};

/**
 * The path in `revision:path`, as a path on the disk: from the top of the repository, but for one
 * that begins with a dot.
 */
function blobPath(text: string, cwd: string): string | undefined {
  const path = /^(?::[0-3]:|[\w./@~^-]*:)(?![/!^(:])(.*)$/s.exec(text)?.[1];
  return path === undefined || /^\.{1,2}(?:\/|$)/.test(path) ? path : resolve(repositoryOf(cwd) || cwd, path);
}

/** With these `git branch` and `git tag` take names for patterns; `-l` made a branch once. */
const lists = new Set(["list", "contains", "no-contains", "merged", "no-merged", "points-at"]);

/** Of the subcommands that also change things, the calls that do not. */
function isLook(name: string, operands: readonly string[], found: Found): boolean {
  const [first, second, ...more] = operands;
  if (name === "remote")
    return first === undefined || (first === "get-url" && second !== undefined && more.length === 0);
  if (name === "stash") return first === "list" || (first === "show" && more.length === 0);
  if (name === "worktree") return operands.length === 1;
  if (name === "branch" || name === "tag")
    return (
      first === undefined || found.some(({ name: option }) => lists.has(option) || (name === "tag" && option === "l"))
    );
  if (name !== "config") return true;
  const isList = found.some(({ name: option }) => /^(?:l|list)$/.test(option));
  return isList ? operands.length === 0 : operands.length === 1 && operands[0]?.includes(".") === true;
}

import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathPattern } from "../path-pattern.ts";
import { bareRepository, isSensitive } from "./sensitive.ts";

const mostLinks = 40;

/**
 * Where the kernel ends up, whether or not the file exists; undefined for a path that goes in
 * circles or is none.
 */
export function follow(path: string): string | undefined {
  const names = namesOf(path).reverse();
  let at = "/";
  let links = 0;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (name === "..") at = dirname(at);
    else {
      const target = linkOf(join(at, name));
      if (target === "" || name.includes("\0")) return undefined;
      if (target === undefined) at = join(at, name);
      else {
        links += 1;
        if (links > mostLinks) return undefined;
        if (target.startsWith("/")) at = "/";
        names.push(...namesOf(target).reverse());
      }
    }
  }
  return at;
}

const namesOf = (path: string): string[] => path.split("/").filter((name) => name !== "" && name !== ".");

function linkOf(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Every place a path can mean: a program that shortens `link/..` as text gets elsewhere than the
 * kernel. Undefined when one of them cannot be told; what lies in /proc and /dev is different for
 * every process.
 */
export function placesOf(path: string): readonly string[] | undefined {
  const found = [follow(path), follow(resolve(path))];
  if (found.some((place) => place === undefined) || /^\/(?:proc|dev)(?:\/|$)/.test(resolve(path))) return undefined;
  return [...new Set(found as string[])];
}

/**
 * Every place that a rule which forbids is held against: as the path is written, and where it leads
 * this process, through /proc and /dev as well.
 */
export const placesToForbid = (path: string): readonly string[] => [
  ...new Set([resolve(path), ...[path, resolve(path)].flatMap((one) => follow(one) ?? [])]),
];

/** A file of an agent's worktree, and the file of the repository that it is a copy of. */
export function withOriginal(place: string): readonly string[] {
  const original = place.replaceAll(/\/\.claude\/worktrees\/[^/]+(?=\/|$)/g, "");
  return original === place ? [place] : [place, original];
}

export const isBelow = (place: string, directory: string): boolean =>
  place === directory || place.startsWith(directory === "/" ? "/" : `${directory}/`);

/** The directories an agent may work in, as they are written and where they lead. */
export const rootsOf = (directories: readonly string[]): readonly string[] => [
  ...new Set(directories.flatMap((directory) => follow(directory) ?? [])),
];

export const isInside = (places: readonly string[], roots: readonly string[]): boolean =>
  places.every((place) => roots.some((root) => isBelow(place, root)));

/**
 * The names on this path that make other programs run or trust something; writing there is asked
 * about even where edits are accepted.
 */
export function sensitiveNames(place: string): readonly string[] {
  // Agents have their worktrees below .claude: what counts is the part inside the worktree, and
  // what the worktree lies in.
  const [, outer = "", inner = place] = /^(.*)\/\.claude\/worktrees\/[^/]+(|\/.*)$/s.exec(place) ?? [];
  const names = inner.split("/").filter(isSensitive);
  return [...(outer === "" ? [] : sensitiveNames(outer)), ...names, ...bareRepositories(place)];
}

/**
 * The directories on the way that are repositories without being called .git, or are made one by
 * writing this.
 */
function bareRepositories(place: string): readonly string[] {
  const names = place.split("/");
  return names.filter((_, at) => {
    const part = names[at + 1];
    const directory = names.slice(0, at + 1).join("/");
    if (part === undefined || directory === "") return false;
    return bareRepository.some((made) => made.every((one) => one === part || isThere(`${directory}/${one}`)));
  });
}

/** Something lies there, a link that leads nowhere too. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}

/** A directory, or a link to one. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const mostMatches = 500;

/**
 * The files a glob stands for, at least; undefined for too many, for names that are not text, and
 * for what is not expanded here.
 */
export function expandGlob(path: string): readonly string[] | undefined {
  if (/[{}\\]/.test(path)) return undefined;
  let found = ["/"];
  for (const part of path.split("/").filter((name) => name !== "")) {
    // The members of a set depend on the language of the user: with all that follows, it fits
    // everything.
    const fits = pathPattern(part.replace(/\[.*$/, "*").replace(/\*+/g, "*"));
    const isHidden = part.startsWith(".") || part.startsWith("[");
    found = found.flatMap((directory) => {
      if (!/[*?[]/.test(part)) return [directory === "/" ? `/${part}` : `${directory}/${part}`];
      // Older shells find the two names of directories as well.
      const names = isHidden ? [".", "..", ...entriesOf(directory)] : entriesOf(directory);
      return names.flatMap((name) =>
        fits([name]) && (isHidden || !name.startsWith(".")) ? [`${directory === "/" ? "" : directory}/${name}`] : [],
      );
    });
    if (found.length > mostMatches || found.some((name) => name.includes("\ufffd"))) return undefined;
  }
  return found;
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathPattern } from "../path-pattern.ts";

const mostLinks = 40;

/** Where the kernel ends up, whether or not the file exists; undefined for a path that goes in circles or is none. */
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
 * Every place a path can mean: a program that shortens `link/..` as text gets elsewhere than the kernel. Undefined when one of them cannot
 * be told; what lies in /proc and /dev is different for every process.
 */
export function placesOf(path: string): readonly string[] | undefined {
  const found = [follow(path), follow(resolve(path))];
  if (found.some((place) => place === undefined) || /^\/(?:proc|dev)(?:\/|$)/.test(resolve(path))) return undefined;
  return [...new Set(found as string[])];
}

export const isBelow = (place: string, directory: string): boolean =>
  place === directory || place.startsWith(directory === "/" ? "/" : `${directory}/`);

/** The directories an agent may work in, as they are written and where they lead. */
export const rootsOf = (directories: readonly string[]): readonly string[] => [
  ...new Set(directories.flatMap((directory) => follow(directory) ?? [])),
];

export const isInside = (places: readonly string[], roots: readonly string[]): boolean =>
  places.every((place) => roots.some((root) => isBelow(place, root)));

const sensitiveDirectories =
  /^(?:\.git|\.claude|\.husky|\.vscode|\.idea|\.devcontainer|\.cargo|\.config|\.ssh|\.gnupg)$/;
const sensitiveFiles =
  /^\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|inputrc|envrc|gitconfig|gitmodules|gitattributes|ripgreprc|npmrc|yarnrc|yarnrc\.yml|pnpmfile\.cjs|pythonrc|mcp\.json|claude\.json)$/;

/** The names on this path that make other programs run or trust something; writing there is asked about even where edits are accepted. */
export function sensitiveNames(place: string): readonly string[] {
  // Agents have their worktrees below .claude: what counts is the part inside the worktree.
  const inner = place.replace(/^.*\/\.claude\/worktrees\/[^/]+(?=\/|$)/, "");
  return inner.split("/").filter((name) => {
    const folded = name.normalize("NFKC").toLowerCase();
    return sensitiveDirectories.test(folded) || sensitiveFiles.test(folded);
  });
}

const mostMatches = 500;

/** The files a glob stands for, at least; undefined for too many and for what is not expanded here. */
export function expandGlob(path: string): readonly string[] | undefined {
  if (/[[\]{}\\]/.test(path)) return undefined;
  let found = ["/"];
  for (const part of path.split("/").filter((name) => name !== "")) {
    const fits = pathPattern(part.replace(/\*+/g, "*"));
    found = found.flatMap((directory) => {
      if (!/[*?]/.test(part)) return [directory === "/" ? `/${part}` : `${directory}/${part}`];
      return entriesOf(directory).flatMap((name) => (fits([name]) ? [`${directory}/${name}`] : []));
    });
    if (found.length > mostMatches) return undefined;
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

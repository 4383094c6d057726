import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

const absent = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

/**
 * Where a path really leads, past all links; undefined where there is nothing or nothing could be.
 * Throws for what may not be looked at.
 */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (absent.has(String((error as { code?: unknown }).code))) return undefined;
    throw error;
  }
}

/** The same, or the path itself where it leads nowhere that can be looked at. */
export function realOrGiven(path: string): string {
  try {
    return realOf(path) ?? path;
  } catch {
    return path;
  }
}

/**
 * The path of a file in its directory as that really lies, which is made where it is not there: the
 * store writes through no link.
 */
export function inRealDirectory(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  return join(realOrGiven(dirname(file)), basename(file));
}

/** Whether a path is a directory or lies below it; both as they really lie. */
export const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);

/**
 * This directory and those above it, up to the one of its repository; this one alone outside of
 * any.
 */
export function upToRepository(cwd: string): readonly string[] {
  const directories: string[] = [];
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    directories.push(directory);
    if (existsSync(resolve(directory, ".git"))) return directories;
    if (directory === dirname(directory)) return [resolve(cwd)];
  }
}

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { readJson, type TeamConfig, type TeamLayout } from "@troupe/protocol";
import { assertOwn, attempt, makeDirectory } from "./directory.ts";
import { readBytes } from "./document.ts";
import type { Held } from "./lock.ts";
import { publish } from "./publication.ts";

// Data that no other program reads is kept in Troupe's own directory below the root, never in a
// document of the protocol.

/** A directory of Troupe's own, and the root that it stands below. */
export interface Own {
  readonly root: string;
  readonly directory: string;
}

const own = (root: string, ...below: readonly string[]): Own => ({ root, directory: join(root, "troupe", ...below) });

/** The directory of one creation of a team: a later team of the same name has another. */
export const ownOfTeam = (layout: TeamLayout, name: string, { createdAt = 0 }: Pick<TeamConfig, "createdAt">): Own =>
  own(dirname(dirname(layout.directory)), "teams", name, String(createdAt));

/** The directory of a task list that belongs to a session. */
export const ownOfSession = (root: string, sessionId: string): Own => own(root, "sessions", sessionId);

/** The directory of the root itself. */
export const ownOfRoot = (root: string): Own => own(root);

/**
 * The directory and those above it, up to the root; throws `path_escaping` for one that is a link.
 */
function chainOf({ root, directory }: Own): readonly string[] {
  if (directory.length <= root.length) return [];
  assertOwn(directory);
  return [...chainOf({ root, directory: dirname(directory) }), directory];
}

/** Throws `path_escaping` where a link leads out. */
export const assertOwnChain = (place: Own): void => void chainOf(place);

/** Creates the missing parts of the directory. */
export function makeOwn(place: Own): void {
  for (const directory of chainOf(place)) makeDirectory(directory);
}

/** The directory above those of all teams that ever had this name. */
export const ownOfName = (root: string, name: string): Own => own(root, "teams", name);

/** The directory above those of all teams. */
export const ownOfTeams = (root: string): Own => own(root, "teams");

/** The outcome of a call under a key of the caller's. */
export interface Kept<T> {
  /** False where it was begun and may have been cut short. */
  readonly isDone: boolean;
  readonly result: T;
}

/**
 * Remembers what came of a call, so that its repetition finds it. All of it happens under the lock
 * of what the call changes.
 */
export function keptUnder<T extends object>({ root, directory }: Own, key: string) {
  const place = { root, directory: join(directory, "once") };
  const path = join(place.directory, `${createHash("sha256").update(key).digest("hex")}.json`);
  return {
    read(): Kept<T> | undefined {
      assertOwnChain(place);
      // A torn record was never reported to a caller.
      const { value } = readJson(attempt(() => readBytes(path)) ?? "");
      return typeof value === "object" && value !== null && "result" in value
        ? (value as unknown as Kept<T>)
        : undefined;
    },
    keep(held: Held, isDone: boolean, result: T, isDurable?: boolean): void {
      makeOwn(place);
      publish(held, path, JSON.stringify({ isDone, result } satisfies Kept<T>), isDurable);
    },
  };
}

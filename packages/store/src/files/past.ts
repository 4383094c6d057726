import { rmdirSync } from "node:fs";
import { join } from "node:path";
import { attempt, isPresent, lookAt, namesIn } from "./directory.ts";
import { pieceOf } from "./events.ts";
import { assertOwnChain, type Own, ownOfName, ownOfTeams } from "./own-directory.ts";
import { moveDirectory, removeDirectory } from "./publication.ts";

/** The events of a team that has ended are kept for so long. */
const keptMs = 7 * 24 * 60 * 60 * 1_000;

/** When a team ended, and which creation of its name it was. */
interface Ended {
  readonly at: number;
  readonly createdAt: string;
}

const endedOf = (directory: string): Ended | undefined => {
  const [, at, createdAt] = /^ended-(\d{1,15})-(.+)$/.exec(directory) ?? [];
  return at === undefined || createdAt === undefined ? undefined : { at: Number(at), createdAt };
};

/**
 * Puts what stands of a team of this name aside that has ended: its events are kept for some days,
 * the rest goes. So does what stands of other teams that are not there any more, and what was kept
 * for long enough. Under the lock of all teams.
 */
export function endPast(root: string, name: string, nowMs: number, isThere: (name: string) => boolean): void {
  const place = ownOfTeams(root);
  assertOwnChain(place);
  for (const one of namesIn(place.directory)) {
    const { directory } = ownOfName(root, one);
    if (one === name || !isThere(one)) putAside(directory, nowMs);
    for (const kept of namesIn(directory)) {
      if (nowMs - (endedOf(kept)?.at ?? nowMs) > keptMs) removeDirectory(join(directory, kept));
    }
    attempt(() => rmdirSync(directory));
  }
}

/**
 * Tells the past of a team that is about to be made from that of one that was made at the very same
 * time, which stays readable until the new team has ended. Under the lock of all teams.
 */
export function partPast(root: string, name: string, createdAt: number): void {
  const { directory } = ownOfName(root, name);
  const same = namesIn(directory).filter((one) => endedOf(one)?.createdAt === String(createdAt));
  const last = Math.max(...same.map((one) => endedOf(one)?.at ?? 0));
  for (const one of same) moveDirectory(join(directory, one), join(directory, `${one}.${last}`));
}

function putAside(place: string, nowMs: number): void {
  for (const createdAt of namesIn(place).filter((one) => !endedOf(one))) {
    const directory = join(place, createdAt);
    const isDirectory = lookAt(directory)?.isDirectory() === true;
    if (!isDirectory || !namesIn(directory).some((file) => pieceOf(file) !== undefined)) {
      removeDirectory(directory);
      continue;
    }
    let at = nowMs;
    while (isPresent(join(place, `ended-${at}-${createdAt}`))) at += 1;
    const aside = join(place, `ended-${at}-${createdAt}`);
    moveDirectory(directory, aside);
    for (const file of namesIn(aside)) if (pieceOf(file) === undefined) removeDirectory(join(aside, file));
  }
}

/**
 * Where the events stand of the last team of this name that has ended: in several places where
 * members recorded something after its end. Of a team that is there nothing is past.
 */
export function lastEnded(root: string, name: string, present: Own | undefined): readonly Own[] {
  const place = ownOfName(root, name);
  assertOwnChain(place);
  const found = namesIn(place.directory).flatMap((one) => {
    const directory = join(place.directory, one);
    const ended = endedOf(one) ?? { at: Number.POSITIVE_INFINITY, createdAt: one };
    return directory === present?.directory ? [] : [{ ...ended, own: { root, directory } }];
  });
  found.sort((a, b) => (a.at === b.at ? 0 : a.at - b.at));
  return found.filter(({ createdAt }) => createdAt === found.at(-1)?.createdAt).map(({ own }) => own);
}

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { lockOf, type Problem, type ReadJson, readJson, TroupeError } from "@troupe/protocol";
import { assertGiven, isUnparsed, leftoverOf, maxBytes } from "@troupe/protocol/rules";
import { assertOwn, attempt, lookAt, namesIn } from "./directory.ts";
import { bytesOf, isWrittenInPlace, type Look, readOnly, settled, settleMs, tickOf, withFile } from "./document.ts";

/** The bytes of a document, and what they say. */
interface Whole {
  readonly bytes: Uint8Array;
  readonly json: ReadJson;
}

/** A document as it stands for a reader that takes no lock. */
export interface Looked {
  /**
   * What it was when it was last seen whole, where it is not; undefined where that is not known.
   * The very same while its bytes are equal.
   */
  readonly whole: Whole | undefined;
  /** Milliseconds since the epoch; 0 where it is gone for a moment. */
  readonly changedAt: number;
  /** The problems that keep the file from being read as it stands now. */
  readonly problems: readonly Problem[];
}

export interface Glance<T> {
  readonly found: T;
  /** The files looked at that were being written. */
  readonly unsettled: readonly string[];
}

/**
 * Looks at documents that others write, also in place: what is torn or gone for a moment stays what
 * it was.
 */
export interface Onlooker {
  /**
   * The names in a directory, in order, with those that are gone for a moment; none where there is
   * none, throws where it cannot be read.
   */
  names(directory: string): readonly string[];
  /**
   * Undefined where there is no such file, and none for a second. A text that is not sound and was
   * written over in place counts as torn for as long.
   */
  look(path: string, isSound?: (json: ReadJson) => boolean): Looked | undefined;
  /** Does the work once. */
  glance<T>(work: () => T): Glance<T>;
  /**
   * Does the work, and again while something it looks at is being written, for a second at the
   * most; then with what is there.
   */
  settle<T>(work: () => T): Promise<Glance<T>>;
}

/** More than nearly every task has. */
const pieceBytes = 8 * 1024;

/** A file missing at so many looks, over so long, is gone and not just being made anew. */
const missesOfGone = 5;
const missingMs = 40;

/** The memory of a file: its last whole state, and since when it is not whole. */
interface Known {
  readonly whole?: Whole | undefined;
  /** What parsed since, though it was too young to be sure of. */
  readonly parsed?: Whole | undefined;
  /** The same as long as the file has not changed; undefined while that cannot be told. */
  readonly stamp?: Look | undefined;
  readonly goneSince?: number;
  readonly misses?: number;
  readonly youngSince?: number;
  readonly emptySince?: number | undefined;
}

/** What was read of a file, from when on, and whether it changed meanwhile. */
interface Read {
  readonly at: number;
  readonly bytes: Uint8Array;
  readonly after: Look;
  readonly isStill: boolean;
}

/** Remembers what it saw, so that only what has changed is read again. */
export function openOnlooker(now: () => number = Date.now): Onlooker {
  assertGiven("openOnlooker", { now }, { now: "function" });
  const known = new Map<string, Known>();
  const listings = new Map<string, { readonly since: number; readonly looks: number }>();
  let unsettled = new Set<string>();
  let isLast = false;
  const piece = Buffer.allocUnsafe(pieceBytes);

  const isYoung = (path: string) => now() - (lookAt(path)?.mtimeMs ?? 0) <= settleMs;

  function names(directory: string): readonly string[] {
    assertGiven("names", { directory }, { directory: "path" });
    assertOwn(directory);
    const place = lookAt(directory);
    if (place && !place.isDirectory()) {
      const message = `${directory} is no directory: put a directory in its place`;
      throw new TroupeError("document_unreadable", message, { directory });
    }
    const found = namesIn(directory);
    // A file that another client removes and recreates is there at one of a few looks.
    const { since, looks } = listings.get(directory) ?? { since: now(), looks: 0 };
    listings.set(directory, { since, looks: looks + 1 });
    const mayMislead = now() - since < missingMs || looks < missesOfGone;
    if (place && mayMislead && isYoung(directory)) unsettled.add(directory);
    // A lock without its document: its holder may be about to write it.
    const locked = found.flatMap((name) => {
      const { kind, document = "" } = leftoverOf(name) ?? {};
      const isAlone = kind === "lock" && lockOf(document) === name && !found.includes(document);
      return isAlone && isYoung(join(directory, name)) ? document : [];
    });
    const remembered = [...known.keys()].filter((path) => dirname(path) === directory);
    if (!place) for (const path of remembered) known.delete(path);
    return [...new Set([...found, ...locked, ...(place ? remembered.map((path) => basename(path)) : [])])].sort();
  }

  function look(path: string, isSound: (json: ReadJson) => boolean = () => true): Looked | undefined {
    assertGiven("look", { path, isSound }, { path: "path", isSound: "function" });
    const before = known.get(path);
    // A process may be stopped behind its look, which tells nothing of the file.
    const at = now();
    const seen = before?.stamp && lookAt(path);
    if (before && seen && isSame(before.stamp, seen))
      return { whole: before.whole, changedAt: seen.mtimeMs, problems: [] };
    try {
      const current = readStill(path, at) ?? read(path, at);
      return current ? present(path, current, before ?? {}, isSound) : absent(path, before ?? {});
    } catch (error) {
      const found = lookAt(path);
      const hindrance = found && hindranceTo(found);
      const problem = hindrance ?? about((error as Error).message, "make the file readable");
      return { whole: before?.whole, changedAt: found?.mtimeMs ?? 0, problems: [problem] };
    }
  }

  /** As `read`, with a call less of the system, for a small file that was as it is before `at`. */
  function readStill(path: string, at: number): Read | undefined {
    return attempt(() => {
      const file = openSync(path, readOnly);
      try {
        // At a position no pipe is read, nor what is no file for another reason.
        const count = readSync(file, piece, 0, piece.length, 0);
        const after = fstatSync(file);
        const isStill = after.isFile() && after.size === count && at - after.mtimeMs > tickOf(after.mtimeMs);
        return isStill ? { at, bytes: Buffer.from(piece.subarray(0, count)), after, isStill } : undefined;
      } finally {
        closeSync(file);
      }
    });
  }

  const read = (path: string, at: number): Read | undefined =>
    withFile(path, (file, opened) => {
      const bytes = bytesOf(path, file, opened.size);
      const after = fstatSync(file);
      return { at, bytes, after, isStill: isSame(opened, after) && bytes.length === after.size };
    });

  /**
   * A text that parses can still be half of two versions, until it has stood for longer than a tick
   * of the clock that stamps it.
   */
  function present(
    path: string,
    { at, bytes, after, isStill }: Read,
    { youngSince = at, ...before }: Known,
    isSound: (json: ReadJson) => boolean,
  ): Looked {
    const changedAt = after.mtimeMs;
    const ageMs = at - changedAt;
    const isKnown = before.whole !== undefined && Buffer.compare(before.whole.bytes, bytes) === 0;
    const whole = (isKnown && before.whole) || { bytes, json: readJson(bytes) };
    const { value, problems } = whole.json;
    const isTorn = isUnparsed({ problems }) || (!isSound(whole.json) && isWrittenInPlace(path));
    const isTooYoung = ageMs <= tickOf(after.mtimeMs) && at - youngSince <= settleMs;
    // What is cut to nothing has its old time until it is stamped: only looking on tells its age.
    const emptySince = bytes.length === 0 ? (before.emptySince ?? at) : undefined;
    const tornMs = Math.min(ageMs, at - (emptySince ?? changedAt));
    if (!isStill || isTooYoung || (isTorn && tornMs <= settleMs)) {
      const parsed = isTorn ? before.parsed : whole;
      known.set(path, { whole: before.whole, parsed, youngSince, emptySince });
      return wait(path, before.whole ?? (isLast ? (parsed ?? whole) : undefined), changedAt);
    }
    if (before.whole && value === undefined) return { whole: before.whole, changedAt, problems };
    known.set(path, { whole, stamp: ageMs > tickOf(changedAt) ? lookOf(after) : undefined });
    return { whole, changedAt, problems: [] };
  }

  /** One that was listed a moment ago, or is locked, may come back. */
  function absent(path: string, { whole, parsed, goneSince = now(), misses = 1 }: Known): Looked | undefined {
    if (now() - goneSince > settleMs && misses >= missesOfGone) {
      known.delete(path);
      return undefined;
    }
    if (whole ?? parsed) known.set(path, { whole, parsed, goneSince, misses: misses + 1 });
    else known.delete(path);
    const looked = wait(path, whole ?? (isLast ? parsed : undefined), 0);
    return looked.whole && looked;
  }

  function wait(path: string, whole: Whole | undefined, changedAt: number): Looked {
    unsettled.add(path);
    return { whole, changedAt, problems: [] };
  }

  function glance<T>(work: () => T): Glance<T> {
    assertGiven("glance", { work }, { work: "function" });
    unsettled = new Set();
    const found = work();
    return { found, unsettled: [...unsettled] };
  }

  async function settle<T>(work: () => T): Promise<Glance<T>> {
    const glanced = await settled(
      () => glance(work),
      ({ unsettled: open }) => open.length > 0,
    );
    isLast = true;
    try {
      return glanced.unsettled.length === 0 ? glanced : glance(work);
    } finally {
      isLast = false;
    }
  }

  return { names, look, glance, settle };
}

const lookOf = ({ ino, size, mtimeMs }: Look): Look => ({ ino, size, mtimeMs });

const isSame = (one: Look | undefined, other: Look): boolean =>
  one?.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;

const about = (message: string, fix: string): Problem => ({ path: "", code: "document_malformed", message, fix });

/** The reason why an entry in the place of a document was not read. */
function hindranceTo(seen: NonNullable<ReturnType<typeof lookAt>>): Problem | undefined {
  if (seen.isSymbolicLink()) return about("this is a link", "put a file in its place");
  if (!seen.isFile()) return about("this is no regular file", "put a file in its place");
  if (seen.size > maxBytes) return about(`it has ${seen.size} bytes, more than ${maxBytes}`, "move it aside");
  return undefined;
}

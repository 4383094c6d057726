import { type FSWatcher, lstatSync, type Stats, statSync, watch } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { assertGiven } from "@troupe/protocol/rules";
import { attempt, namesIn } from "./directory.ts";

/** A directory to watch, and what in it matters. */
export interface WatchedDirectory<T = string> {
  /** Need not be there yet, and may go and come back. A link in its place is not followed. */
  readonly directory: string;
  /**
   * The subject of a file; undefined for locks, temporary files and all other files that no watcher
   * waits for.
   */
  readonly subjectOf: (fileName: string) => T | undefined;
}

/** The interval of additional looks at the disk: events get lost, and some disks have none. */
const pollMs = 1_500;

/** The watches of this process: one per directory, however many listeners it has. */
const watches = new Map<string, ReturnType<typeof openWatch>>();

/**
 * Gives the subject of every file that is made, replaced, written or removed after this returned:
 * watch first, read once, then wait. What changes several times before it is fetched is given once;
 * now and then something is given that did not change. A watch keeps the process alive until it is
 * aborted or returned from; both end it quietly.
 */
export function watchDirectories<T>(
  places: readonly WatchedDirectory<T>[],
  signal?: AbortSignal,
): AsyncIterableIterator<T, undefined> {
  assertGiven("watchDirectories", { places, signal }, { places: "array", signal: "signal?" });
  for (const place of places) assertGiven("a place", place, { directory: "path", subjectOf: "function" });
  const changed = new Map<string, T>();
  let wake = () => {};
  const tell = (subject: T) => {
    changed.set(JSON.stringify(subject), subject);
    wake();
  };
  let leaving = signal?.aborted ? undefined : places.map((place) => listen(place, tell));
  signal?.addEventListener("abort", end);

  async function end() {
    signal?.removeEventListener("abort", end);
    for (const leave of leaving ?? []) leave();
    leaving = undefined;
    wake();
    return { value: undefined, done: true } as const;
  }

  async function* subjects(): AsyncGenerator<T, undefined> {
    while (leaving) {
      const [first] = changed;
      const more = new Promise<void>((resume) => {
        wake = resume;
      });
      if (!first) await more;
      else if (changed.delete(first[0])) yield first[1];
    }
  }
  // A generator's own way to return would wait for the next change.
  return Object.assign(subjects(), { return: end });
}

/** Gives a watcher the changes that concern it, until it leaves. */
function listen<T>({ directory, subjectOf }: WatchedDirectory<T>, tell: (subject: T) => void): () => void {
  const path = resolve(directory);
  const watched = watches.get(path) ?? openWatch(path);
  watches.set(path, watched);
  const note = (fileName: string) => {
    const subject = subjectOf(fileName);
    if (subject !== undefined) tell(subject);
    return subject !== undefined;
  };
  watched.listeners.add(note);
  return () => {
    watched.listeners.delete(note);
    if (watched.listeners.size === 0) watched.close();
  };
}

function openWatch(directory: string) {
  const listeners = new Set<(fileName: string) => boolean>();
  let seen = new Map<string, string | undefined>();
  let place = nowhere;
  let watcher: FSWatcher | undefined;

  const tell = (name: string) => Array.from(listeners, (note) => note(name)).includes(true);
  const stampOf = (name: string) => attempt(() => stamp(lstatSync(join(directory, name))));

  function hear(_event: string, name: string | null): void {
    if (name === null || name === basename(place.path)) place = nowhere;
    if (name === null || place.path !== directory) look();
    // A look waits for a rename in the directory, so it is made only for changes that concern a
    // watcher.
    else if (tell(name)) seen.set(name, stampOf(name));
  }

  /**
   * Compares every file with what was seen. While the directory is not there, the nearest one above
   * it tells when to look again.
   */
  function look(): void {
    if (!watcher) place = nowhere;
    for (let now = nearest(directory); now.mark !== place.mark; now = nearest(directory)) {
      watcher?.close();
      watcher = attempt(() => watch(now.path, hear).on("error", () => {}));
      place = now;
    }
    const before = seen;
    const names = attempt(() => namesIn(directory)) ?? [];
    seen = new Map(names.map((name) => [name, stampOf(name)]));
    for (const name of new Set([...before.keys(), ...names])) if (before.get(name) !== seen.get(name)) tell(name);
  }

  look();
  const timer = setInterval(look, pollMs);
  const close = () => {
    watcher?.close();
    clearInterval(timer);
    watches.delete(directory);
  };
  return { listeners, close };
}

const nowhere = { path: "", mark: "" };

/**
 * The directory or the first one above it that is there; the mark tells it from others of that
 * name.
 */
function nearest(directory: string): typeof nowhere {
  for (let path = directory; ; path = dirname(path)) {
    const stats = attempt(() => (path === directory ? lstatSync(path) : statSync(path)));
    if (stats?.isDirectory() || path === "/") return { path, mark: `${path} ${stats?.ino}` };
  }
}

const stamp = ({ ino, size, mtimeMs }: Stats): string => `${ino} ${size} ${mtimeMs}`;

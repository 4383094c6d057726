import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, type Problem, readTranscript, TroupeError } from "@troupe/protocol";
import type { Entry, ForkPoint, Stored } from "./entry.ts";
import { forked } from "./fork.ts";
import type { SessionLease } from "./lease.ts";
import { entriesOf, type Identity, lineOf } from "./lines.ts";
import { emptyState, reduce, type State } from "./state.ts";

/** The history of one conversation, on disk and folded. */
export interface Journal {
  state(): State;
  /** On disk when it returns: a process that is killed afterwards has lost nothing. */
  append(entry: Entry, id?: string): Stored;
  /** Lines that could not be read when it was opened. */
  readonly problems: readonly Problem[];
  close(): void;
}

export interface JournalDeps {
  /** The session's transcript, or the one of a subagent. */
  readonly path: string;
  readonly identity: Identity;
  readonly now: () => Date;
  readonly newId: () => string;
  /** For a new transcript: the conversation it goes on from. */
  readonly fork?: ForkPoint;
  /** Asked before each append: the right to write. */
  readonly lease?: Pick<SessionLease, "assertHeld">;
}

/**
 * Opens a transcript, or begins one. The file is the truth: it is folded, and a killed agent
 * resumes from it.
 */
export function openJournal({ path, identity, now, newId, fork, lease }: JournalDeps): Journal {
  const file = openFile(path);
  const found = load(path);
  let { state } = found;
  let isClosed = false;
  let isTorn = found.isTorn;

  function append(entry: Entry, id = newId()): Stored {
    // The number of a closed file may be another file's by now.
    if (isClosed) throw new TroupeError("document_unwritable", `${path} is closed`, { path });
    lease?.assertHeld();
    const stored: Stored = { ...entry, id, at: now().toISOString() };
    const line = Buffer.from(`${isTorn ? "\n" : ""}${lineOf(stored, state.lastLine, identity)}`);
    isTorn = true;
    write(line);
    isTorn = false;
    state = reduce(state, stored);
    return stored;
  }

  function write(line: Buffer): void {
    const message = `${path} could not be written completely; is the disk full?`;
    try {
      if (writeSync(file, line) === line.length) return;
    } catch (cause) {
      throw new TroupeError("document_unwritable", message, { path }, cause);
    }
    throw new TroupeError("document_unwritable", message, { path });
  }

  try {
    if (found.isNew) {
      append({ kind: "opened", format: 1, ...(fork ? { fork } : {}) });
      if (fork) state = pastOf(fork);
    }
  } catch (error) {
    close();
    throw error;
  }
  function close(): void {
    if (!isClosed) closeSync(file);
    isClosed = true;
  }
  return { state: () => state, append, problems: found.problems, close };
}

function openFile(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, "a+", 0o600);
  } catch (cause) {
    const message = `${path} cannot be opened to write the conversation: ${messageOf(cause)}`;
    throw new TroupeError("document_unwritable", message, { path }, cause);
  }
}

interface Loaded {
  readonly state: State;
  readonly problems: readonly Problem[];
  readonly isNew: boolean;
  /** The last line breaks off; the next one must not be glued to it. */
  readonly isTorn: boolean;
}

/**
 * Folds a transcript; a parent's, up to the line where the fork left it. Among the lines of a
 * session, those of its sidechains are another's.
 */
function load(path: string, last?: string): Loaded {
  const text = readText(path);
  const problems: Problem[] = [];
  let state: State | undefined;
  let newest: string | undefined;
  for (const entry of entriesIn(text, (found) => problems.push(...found))) {
    if (last !== undefined && newest === last && entry.id !== last) break;
    state = reduce(state ?? startOf(entry, path, last !== undefined), entry);
    newest = entry.id;
  }
  if (last !== undefined && newest !== last)
    throw new TroupeError("document_invalid", `${path} has no line ${last}, at which a fork branched off`, {
      path,
      line: last,
    });
  const isTorn = text !== "" && !text.endsWith("\n");
  return { state: state ?? emptyState, problems, isNew: state === undefined, isTorn };
}

function* entriesIn(text: string, onProblems: (found: readonly Problem[]) => void): Generator<Stored> {
  let isSidechain: boolean | undefined;
  for (const { line, problems = [] } of readTranscript(text)) {
    onProblems(problems);
    if (line?.type === "user" || line?.type === "assistant") isSidechain ??= line["isSidechain"] === true;
    if (isSidechain === false && line?.["isSidechain"] === true) continue;
    if (line) yield* entriesOf(line);
  }
}

/** What stands in a transcript itself; nothing where there is none. */
export function entriesAt(path: string): readonly Stored[] {
  return existsSync(path) ? [...entriesIn(readText(path), () => {})] : [];
}

/** The state that the first entry continues. */
function startOf(entry: Stored, path: string, isParent: boolean): State {
  if (entry.kind !== "opened" || !entry.fork) return emptyState;
  if (!isParent) return pastOf(entry.fork);
  throw new TroupeError("document_invalid", `${path} is a fork, and a fork cannot be forked`, { path });
}

/**
 * A fork keeps no copy of its parent's conversation: it reads the parent's transcript as far as it
 * is shared.
 */
function pastOf({ transcript, line }: ForkPoint): State {
  return forked(load(transcript, line).state);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new TroupeError("document_unreadable", `${path} cannot be read`, { path }, cause);
  }
}

import { TroupeError } from "../errors.ts";
import { isTaskId } from "../names.ts";
import type { Problem } from "../problems.ts";
import type { InboxRead, Read } from "../revisions/read.ts";
import type { Task } from "../task.ts";
import { isThere, type TaskFile } from "./task-file.ts";

/** The part common to all readers: the problems of what was read. */
export interface Found {
  readonly problems: readonly Problem[];
}

/** The state of a document in one line. */
export interface Verdict {
  readonly kind: "document_corrupt" | "document_faulty" | "reference_dangling";
  readonly message: string;
  readonly fix: string;
}

/** A reader that came while the document was written in place: it ends in the middle. */
export const isTorn = ({ problems }: Found): boolean => problems.some(({ code }) => code === "document_torn");

/**
 * A reader that came while the document was written in place can also have read the half of one and
 * the half of the next: that does not parse, or has a key twice where they meet.
 */
export const isUnparsed = (found: Found): boolean =>
  isTorn(found) ||
  found.problems.some(({ code, path }) => code === "key_duplicated" || (code === "document_malformed" && path === ""));

/**
 * Classifies the problems of a document: corrupt, dangling or faulty; undefined if there are none.
 */
export function verdictOn(found: Read<unknown> | InboxRead): Verdict | undefined {
  const [first, ...more] = found.problems;
  if (!first) return undefined;
  const isCorrupt = isTorn(found) || !found.isWritable || ("value" in found && found.value === undefined);
  const isDangling = found.problems.every(({ path }) => path === "/leadAgentId");
  const message = more.length > 0 ? `${first.message}, and ${more.length} things more` : first.message;
  return {
    kind: isCorrupt ? "document_corrupt" : isDangling ? "reference_dangling" : "document_faulty",
    message,
    fix: first.fix,
  };
}

/**
 * The error for a file that must not be rewritten, since data that is still usable would be lost.
 */
export function unusable(path: string, { problems }: Found, what: "unreadable" | "unwritable"): TroupeError {
  const verb = what === "unreadable" ? "read" : "rewritten";
  const message = `${path} cannot be ${verb} and is left as it is: ${problems[0]?.message ?? "it is something else"}`;
  return new TroupeError(`document_${what}`, message, { path, problems });
}

/**
 * The task in the file of that id; throws `task_unknown`, or `document_unreadable` for a file that
 * must be left alone.
 */
export function taskIn(file: TaskFile | undefined, id: string, pathOf: (id: string) => string): Task {
  if (!isThere(file)) {
    const message = `there is no task ${isTaskId(id) ? id : JSON.stringify(id)}: list the tasks for their ids`;
    throw new TroupeError("task_unknown", message, { id });
  }
  if (file.read.value) return file.read.value;
  throw unusable(pathOf(id), file.read, "unreadable");
}

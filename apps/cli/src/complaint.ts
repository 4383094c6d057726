import { type Exit, exits } from "./command.ts";

/** An error as it is shown to a person or a program. */
export interface Complaint {
  readonly message: string;
  readonly exit: Exit;
  /** An error code of Troupe or of the operating system. */
  readonly code: string;
  readonly details?: object;
  readonly stack?: string;
}

/** Turns an error into a message and an exit code; nothing else does. */
export function complaintOf(error: unknown): Complaint {
  if (!(error instanceof Error)) return { message: String(error), exit: exits.faulty, code: "unknown" };
  const { code, path, details, stack = "" } = error as Error & { code?: unknown; path?: string; details?: object };
  if (typeof code !== "string") {
    return {
      message: `${error.message} (a bug in troupe: --debug shows where)`,
      exit: exits.faulty,
      code: error.name,
      stack,
    };
  }
  if (error.name === "TroupeError") {
    return { message: error.message, exit: exitOf.get(code) ?? exits.failed, code, stack, ...(details && { details }) };
  }
  const words = systemWords.get(code) ?? error.message;
  const message = path === undefined || words.includes(path) ? words : `${path}: ${words}`;
  return { message, exit: code === "ENOENT" ? exits.absent : exits.failed, code, stack };
}

const exitOf: ReadonlyMap<string, Exit> = new Map([
  ...["arguments_invalid", "document_invalid", "name_invalid", "id_invalid"].map(
    (code) => [code, exits.wrong] as const,
  ),
  ...["team_unknown", "task_unknown", "member_unknown", "recipient_unknown"].map(
    (code) => [code, exits.absent] as const,
  ),
  ...["lease_lost", "lock_unavailable", "lock_lost", "store_unavailable"].map((code) => [code, exits.locked] as const),
  ...["document_unreadable", "document_unwritable", "path_escaping"].map((code) => [code, exits.damaged] as const),
]);

const systemWords: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file or directory; check the path"],
  ["EACCES", "you may not read or write this; ask its owner"],
  ["EPERM", "you may not do this here; ask its owner"],
  ["ENOTDIR", "a part of this path is not a directory; check the path"],
  ["EEXIST", "something else is at this path; check the path"],
  ["EISDIR", "this is a directory; name a file in it"],
  ["ENOSPC", "the disk is full; free some space and try again"],
  ["EROFS", "this disk is read-only; choose another with --root"],
  ["ENAMETOOLONG", "this path is too long; shorten it"],
  ["ELOOP", "these links lead in a circle; remove one"],
]);

import { type Exit, exits } from "./command.ts";

/** An error as a person or a program is told it. */
export interface Complaint {
  readonly message: string;
  readonly exit: Exit;
  /** A code of Troupe or of the operating system. */
  readonly code: string;
  readonly details?: object;
  readonly stack?: string;
}

/** The one place that turns errors into words and exit codes. */
export function complaintOf(error: unknown): Complaint {
  if (!(error instanceof Error)) return { message: String(error), exit: exits.faulty, code: "unknown" };
  const { code, path, details, stack = "" } = error as Error & { code?: unknown; path?: string; details?: object };
  if (typeof code !== "string") {
    return {
      message: `${error.message} (a fault of troupe: --debug shows where)`,
      exit: exits.faulty,
      code: error.name,
      stack,
    };
  }
  if (error.name === "TroupeError") {
    return { message: error.message, exit: exitOf.get(code) ?? exits.failed, code, stack, ...(details && { details }) };
  }
  const words = systemWords.get(code);
  const message = words ? [path, words].filter((part) => part !== undefined).join(": ") : error.message;
  return { message, exit: code === "ENOENT" ? exits.absent : exits.failed, code, stack };
}

const exitOf: ReadonlyMap<string, Exit> = new Map([
  ...["arguments_invalid", "document_invalid", "name_invalid", "id_invalid"].map(
    (code) => [code, exits.wrong] as const,
  ),
  ...["team_unknown", "task_unknown", "member_unknown", "recipient_unknown"].map(
    (code) => [code, exits.absent] as const,
  ),
  ...["lock_unavailable", "lock_lost"].map((code) => [code, exits.locked] as const),
  ...["document_unreadable", "document_unwritable", "path_escaping"].map((code) => [code, exits.damaged] as const),
]);

const systemWords: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file or directory; check the path"],
  ["EACCES", "you may not read or write this; ask its owner"],
  ["EPERM", "you may not do this here; ask its owner"],
  ["ENOTDIR", "a part of this path is no directory; check the path"],
  ["EEXIST", "something else is in this place; check the path"],
  ["EISDIR", "this is a directory; name a file in it"],
  ["ENOSPC", "the disk is full; make room and try again"],
  ["EROFS", "this disk can only be read; choose another with --root"],
  ["ENAMETOOLONG", "this path is too long; check it"],
  ["ELOOP", "these links lead in a circle; remove one"],
]);

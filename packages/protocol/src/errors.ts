/** Stable across versions: callers branch on the code, people read the message. */
export type ErrorCode =
  | "arguments_invalid"
  | "document_invalid"
  | "document_unreadable"
  | "document_unwritable"
  | "id_invalid"
  | "inbox_full"
  | "lead_fixed"
  | "lease_lost"
  | "lock_impossible"
  | "lock_lost"
  | "lock_unavailable"
  | "member_unknown"
  | "message_too_large"
  | "name_invalid"
  | "name_taken"
  | "path_escaping"
  | "recipient_unknown"
  | "revision_read_only"
  | "session_leading"
  | "session_open"
  | "store_closed"
  | "store_refused"
  | "store_unavailable"
  | "task_blocked"
  | "task_cyclic"
  | "task_unknown"
  | "team_active"
  | "team_exists"
  | "team_unknown"
  | "teammate_failed";

/** The one error class of Troupe. */
export class TroupeError extends Error {
  override readonly name = "TroupeError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** What an error says, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Works across duplicate installs, where `instanceof` does not. */
export const isTroupeError = (error: unknown): error is TroupeError =>
  error instanceof Error && error.name === "TroupeError" && "code" in error;

import { TroupeError } from "../errors.ts";
import type { InboxEntry } from "../inbox.ts";

/** Bigger documents are not read: no team, task or inbox is. */
export const maxBytes = 64 * 1024 * 1024;

/** The largest message. */
export const maxMessageBytes = 1024 * 1024;

/** Throws `message_too_large`. */
export function assertMessageFits(entry: InboxEntry): void {
  const bytes = new TextEncoder().encode(JSON.stringify(entry)).length;
  if (bytes <= maxMessageBytes) return;
  const message = `the message has ${bytes} bytes, more than ${maxMessageBytes}: send a file's path instead`;
  throw new TroupeError("message_too_large", message, { bytes });
}

/** Throws `inbox_full` for an inbox that would grow beyond what is read. */
export function assertInboxFits(path: string, size: number, added: number): void {
  if (size + added <= maxBytes) return;
  const message = `${path} has ${size} bytes and takes no more: let its owner read it, then remove read messages with troupe team compact`;
  throw new TroupeError("inbox_full", message, { path, size });
}

import { TroupeError } from "../errors.ts";
import type { InboxEntry } from "../inbox.ts";
import type { TeamConfig } from "../team.ts";

/** Bigger documents are not read: no team, task or inbox is. */
export const maxBytes = 64 * 1024 * 1024;

/** The largest message. */
export const maxMessageBytes = 1024 * 1024;

/** Teams are small; a larger one is a mistake or an attack. */
export const maxMembers = 64;

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

/** Throws `team_full` if the team has no room for another member. */
export function assertRoom({ name, members }: Pick<TeamConfig, "name" | "members">): void {
  if (members.length < maxMembers) return;
  const message = `the team ${name} has ${maxMembers} members and takes no more: let one leave`;
  throw new TroupeError("team_full", message, { name });
}

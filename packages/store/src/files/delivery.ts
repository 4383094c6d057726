import { dirname } from "node:path";
import type { EntryDraft, Member } from "@troupe/protocol";
import { type Message, messagesIn } from "@troupe/protocol/rules";
import type { Mail, Stamp } from "../store.ts";
import { makeDirectory } from "./directory.ts";
import { type InboxDeps, type Kept, openInbox } from "./inbox.ts";
import { beginDocument } from "./publication.ts";

/** Adds a message of a member to the inbox of another. */
export async function deliver(
  deps: InboxDeps,
  from: Member,
  content: EntryDraft["content"],
  { at, id }: Stamp,
  repeated: boolean | Kept,
): Promise<Message> {
  const entry = deps.codec.newEntry({ from, content, timestamp: at, messageId: id });
  makeDirectory(dirname(deps.path));
  if (deps.codec.form === "2026-11") beginDocument(deps.path, deps.codec.write([]));
  const inbox = openInbox(deps);
  if (typeof repeated === "object") return inbox.appendOnce(entry, repeated);
  return repeated ? inbox.appendOnce(entry) : inbox.append(entry);
}

/** An inbox to look at. */
export const mailIn = (deps: InboxDeps): Mail => ({
  async page({ before, limit = Number.POSITIVE_INFINITY } = {}) {
    const found = await openInbox(deps).read();
    const messages = messagesIn(found);
    const end = before === undefined ? messages.length : messages.findIndex(({ key }) => key === before);
    return { value: messages.slice(Math.max(0, end - limit), Math.max(0, end)), problems: found.problems };
  },
});

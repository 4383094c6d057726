import { hash } from "node:crypto";
import { z } from "zod";

/** One message as any reader sees it; it is deliverable if the first three fields are strings. */
export const InboxEntry = z
  .looseObject({
    from: z.string().describe("The sender's bare name. It is not checked against the members."),
    text: z.string().describe("The message: plain text, or a structured body as JSON text."),
    summary: z.string().optional().describe("A short preview; SendMessage text only."),
    timestamp: z.string().describe("When it was sent, ISO 8601 in UTC."),
    color: z.string().optional().describe("The sender's colour; the lead has none."),
    msgV: z.unknown().optional().describe("Version of the entry's form: 1; any value is taken."),
    msg_id: z.string().optional().describe("A UUID. Two entries with the same one are two messages."),
    type: z.unknown().optional().describe("`message`; any value is taken."),
    read: z.boolean().optional().describe("False until the recipient has taken the message; absent means false."),
    lead_sig: z.string().optional().describe("Opaque; kept byte for byte and never taken as proof."),
  })
  .meta({ title: "Inbox entry", description: "One message in an inbox." });
export type InboxEntry = z.infer<typeof InboxEntry>;

/** Has the recipient still to take it? An absent mark means yes. */
export const isUnread = ({ read }: Pick<InboxEntry, "read">): boolean => read !== true;

/**
 * The key of a message within its inbox: a hash of its `msg_id`, sender, time and content, with its
 * ordinal among equals. Two entries with one `msg_id` are two messages, and one keeps its key when
 * the other is pruned.
 */
export function entryKeys(entries: readonly InboxEntry[]): string[] {
  const ordinals = new Map<string, number>();
  return entries.map(({ msg_id, from, timestamp, text }) => {
    const said = JSON.stringify([msg_id, from, timestamp, text]);
    const key = hash("sha256", said);
    const ordinal = ordinals.get(key) ?? 0;
    ordinals.set(key, ordinal + 1);
    return `${key}#${ordinal}`;
  });
}

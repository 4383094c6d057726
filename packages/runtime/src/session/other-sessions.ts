import type { Ask } from "@troupe/team";
import type { SendMessageDeps } from "../tools/send-message.ts";

/** The outcome of a message to another session. */
export type SentAfar = { readonly isSent: true } | { readonly refusal: string };

/** Carries a text to another session, by an address such as `uds:/run/other.sock`. */
export type OtherSessions = (message: { to: string; text: string }, signal: AbortSignal) => Promise<SentAfar>;

/** The person decides about each message that leaves the session. */
export function askedFirst<Agent>(
  send: OtherSessions,
  { ask, newId }: { readonly ask: Ask; readonly newId: () => string },
): NonNullable<SendMessageDeps<Agent>["toSession"]> {
  return async ({ to, text }, { call, signal }) => {
    const input = { to, message: text };
    const reason = `it leaves this session for ${to}`;
    const reply = await ask({ id: newId(), call, tool: "SendMessage", input, reason, suggestions: [] }, signal);
    if (reply.behavior === "deny") return { refusal: `it was not allowed to leave this session: ${reply.message}` };
    return send({ to, text }, signal);
  };
}

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type MessageBody, type Revision, readBody } from "@troupe/protocol";
import { type Message, openFileStore, type Participant } from "@troupe/store";
import { onTestFinished } from "vitest";
import type { Ask } from "../src/permissions/ask.ts";
import type { LateReply } from "../src/permissions/questions.ts";
import { createQueue } from "../src/queue.ts";
import { askLead } from "../src/team/ask-lead.ts";
import { type MailReader, openMailbox } from "../src/team/mailbox.ts";
import { permissionDesk } from "../src/team/permission-desk.ts";
import { scratch } from "./scratch.ts";

/** A team of `team-lead`, `alice` and `bob` on disk; the members ask by message, and what nobody's reader takes is kept. */
export async function permissionMail(revision: Revision) {
  const root = scratch();
  const store = openFileStore({ root });
  const team = await store.createTeam({
    name: "crew",
    createdAt: 1_780_000_000_000,
    leadSessionId: randomUUID(),
    leadModel: "claude-opus-4-6",
    cwd: root,
    revision,
  });
  for (const name of ["alice", "bob"])
    await team.join({ name, agentType: "general-purpose", model: "haiku", prompt: "", joinedAt: 1, cwd: root });
  const lead = await team.as("team-lead");
  const alice = await team.as("alice");
  const bob = await team.as("bob");
  const seen: (Message & { readonly body: MessageBody | undefined })[] = [];
  const left: Message[] = [];
  const late: LateReply[] = [];
  const unsent: unknown[] = [];
  const waiting = new Set<() => void>();

  const tell = () => [...waiting].forEach((look) => void look());

  /** A member's mailbox with one reader; what it looked at is kept. */
  function open(self: Participant, reader: MailReader): void {
    const watched: MailReader = async (message) => {
      const isDealtWith = await reader(message);
      const read = readBody(message.entry.text, revision);
      // One that somebody is asked about is looked at again.
      if (seen.some(({ key, entry }) => key === message.key && entry.from === message.entry.from)) return isDealtWith;
      seen.push({ ...message, body: read.kind === "message" ? read.body : undefined });
      if (!isDealtWith) left.push(message);
      tell();
      return isDealtWith;
    };
    const besides = createQueue({ newId: randomUUID }).inputs();
    const mailbox = openMailbox({ team, self, transcript: join(root, self.name), readers: [watched], besides });
    onTestFinished(() => mailbox.close());
  }

  const badgeOf = async (name: string) => {
    const { value } = await team.config();
    const member = value?.members.find((one) => one.name === name);
    return member && { name, ...(member.color !== undefined && { color: member.color }) };
  };

  return {
    root,
    team,
    lead,
    alice,
    bob,
    /** What was delivered so far. */
    seen,
    /** What no reader took. */
    left,
    late,
    unsent,
    requests: () => seen.flatMap(({ body }) => (body?.type === "permission_request" ? [body] : [])),
    /** Resolves once this is true of what was delivered, or could not be. */
    until: (isSo: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!isSo()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    /** The lead's desk, which reads its inbox from now on. */
    desk: (ask: Ask, signal = new AbortController().signal) => {
      const onUnsent = (error: unknown) => {
        unsent.push(error);
        tell();
      };
      const { reader } = permissionDesk({
        self: lead,
        form: team.form,
        badgeOf,
        ask,
        newId: randomUUID,
        signal,
        onUnsent,
      });
      open(lead, reader);
    },
    /** Reads the lead's inbox and decides nothing. */
    deafLead: () => open(lead, () => false),
    /** A member that asks, and reads its inbox from now on. */
    member: (self = alice) => {
      const { ask, reader } = askLead({
        self,
        lead: lead.name,
        form: team.form,
        now: () => new Date(),
        newId: randomUUID,
        onLate: (one) => void late.push(one),
      });
      open(self, reader);
      return ask;
    },
  };
}

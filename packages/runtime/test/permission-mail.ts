import { randomUUID } from "node:crypto";
import { type MessageBody, type Revision, readBody } from "@troupe/protocol";
import type { Message, Participant } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { type Ask, type LedgerEntry, type Member, type Membership, openMembership, watchLead } from "@troupe/team";
import { memoryLedger } from "@troupe/team/testing";
import { onTestFinished } from "vitest";
import { awaited } from "../../../scripts/awaited.ts";
import { scratch } from "./scratch.ts";

/**
 * A team of `team-lead`, `alice` and `bob` on disk; the members ask by message, and what is offered
 * to their models is kept.
 */
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
  const late: { readonly id: string; readonly result: string; readonly text: string }[] = [];
  const unsent: string[] = [];
  const waiting = new Set<() => void>();

  const tell = () => [...waiting].forEach((look) => void look());
  const isNew = (list: readonly Message[], { key, entry }: Message) =>
    !list.some((one) => one.key === key && one.entry.from === entry.from);

  /** A member of the team that hears nothing; what its mailbox looked at is kept. */
  function open(self: Participant, ask: Member["ask"], signal: AbortSignal, entries: LedgerEntry[] = []): Membership {
    const looked: Message[] = [];
    const receive = async () => {
      const lease = await self.receive();
      const take = async () => {
        const messages = await lease.take();
        looked.push(...messages);
        return messages;
      };
      return { ...lease, take };
    };
    const ledger = memoryLedger(entries);
    const membership = openMembership({
      team,
      self: { ...self, receive },
      lead: lead.name,
      ledger: () => ledger,
      leadWatch: watchLead({ team, self, lead: lead.name }, 5),
      now: () => new Date(),
      newId: randomUUID,
      show: (message) => {
        unsent.push(message);
        tell();
      },
    });
    const member: Member = {
      kind: "session",
      hear(messages) {
        for (const { message, texts, entry } of messages) {
          const { settles } = entry;
          if (settles?.why !== "late") left.push(...[message].filter((one) => isNew(left, one)));
          else if (!late.some(({ id }) => id === settles.id))
            late.push({ id: settles.id, result: settles.result, text: texts.join("\n") });
        }
        for (const message of looked.splice(0)) {
          const read = readBody(message.entry.text, revision);
          const body = read.kind === "message" ? read.body : undefined;
          if (isNew(seen, message)) seen.push({ ...message, body });
        }
        tell();
        return [];
      },
      turnEnded: async () => undefined,
      ask,
      stop: async () => {},
    };
    void membership.attend(member, signal);
    signal.addEventListener("abort", () => void membership.close());
    onTestFinished(() => membership.close());
    return membership;
  }

  const always = new AbortController().signal;
  return {
    root,
    team,
    lead,
    alice,
    bob,
    /** What was delivered so far. */
    seen,
    /** What was offered to a model. */
    left,
    /** What a model was told of answers that came too late. */
    late,
    unsent,
    requests: () => seen.flatMap(({ body }) => (body?.type === "permission_request" ? [body] : [])),
    /** Resolves once this is true of what was delivered, or could not be. */
    until: (isSo: () => boolean) =>
      awaited(
        String(isSo),
        new Promise<void>((resolve) => {
          const look = () => {
            if (!isSo()) return;
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
          look();
        }),
      ),
    /** The lead, whose person answers from now on. */
    desk: (ask: Ask, signal = always) =>
      void open(lead, (question, over) => (question.kind === "permission" ? ask(question, over) : undefined), signal),
    /** A lead that decides nothing. */
    deafLead: () => void open(lead, () => undefined, always),
    /** A member that asks, and reads its inbox from now on. */
    member: (self = alice, entries: LedgerEntry[] = []): Ask => open(self, () => undefined, always, entries).ask,
    /** As a teammate in the lead's process. */
    beside: (bridge: Ask, color?: string): Ask =>
      openMembership({
        team,
        self: alice,
        lead: lead.name,
        ledger: memoryLedger,
        bridge,
        color,
        now: () => new Date(),
        newId: randomUUID,
        show: () => {},
      }).ask,
  };
}

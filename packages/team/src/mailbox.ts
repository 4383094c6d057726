import { isUnread } from "@troupe/protocol";
import { inTurn, type Lease, type Message, type Participant, type Team } from "@troupe/store";
import type { Taken } from "./handshakes/handshake.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Incoming, Member } from "./member.ts";
import { teammateMessage } from "./words.ts";

export interface MailboxDeps {
  readonly team: Pick<Team, "mail" | "watch">;
  readonly self: Pick<Participant, "name" | "receive">;
  readonly ledger: () => Ledger;
  /**
   * Of the handshakes: what becomes of a message; undefined for one that is none of theirs. It is
   * asked again at each look.
   */
  readonly take: (message: Message) => Promise<Taken | undefined>;
  /**
   * The lead that gave the member a key: what is in its name and has no signature is for the model
   * alone, which is told so.
   */
  readonly signer: string | undefined;
  /**
   * Called once, before the first message is looked at: whose ledger this is, and what an earlier
   * process left undone.
   */
  readonly enter: () => Promise<void>;
  readonly hear: Member["hear"];
}

/** One member's inbox. */
export interface Mailbox {
  /** Looks at all that waits, and offers it; says how much the member left. */
  look(): Promise<number>;
  /**
   * Looks after each change until it is closed. A look that fails is made again at the next, and by
   * the caller that needs its outcome.
   */
  heed(): Promise<void>;
  /** What waits is left to the next to open it. */
  close(): Promise<void>;
}

/**
 * Opens an inbox as its one consumer: a handshake takes what is its own at any time, the member
 * hears the rest when it likes.
 */
export function openMailbox({ team, self, ledger, take, signer, enter, hear }: MailboxDeps): Mailbox {
  const { name } = self;
  const closing = new AbortController();
  const changes = team.watch(closing.signal);
  let lease: Lease | undefined;
  /** Keys of messages that are done with, and wait in the file all the same. */
  const finished = new Set<string>();
  /** Keys of messages that are none of the handshakes'. */
  const words = new Set<string>();
  const turn = inTurn();
  let heeding: Promise<void> = Promise.resolve();

  /** One look at a time: what one is about to acknowledge the next does not take. */
  function look(): Promise<number> {
    // A lease taken after the end would never be released.
    if (closing.signal.aborted) return Promise.reject(closing.signal.reason);
    return turn(lookNow);
  }

  async function lookNow(): Promise<number> {
    const consumer = lease ?? (await becomeConsumer());
    if (!consumer) return 0;
    if (finished.size > 0) await consumer.acknowledge(finished);
    finished.clear();
    const offered: Incoming[] = [];
    for (const message of await consumer.take()) {
      const taken = await takenOf(message);
      if (taken === "done") finished.add(message.key);
      else if (taken !== "waits") offered.push(taken);
    }
    const incoming = offered.map(named);
    const owned = new Set(await hear(incoming));
    for (const [at, { message }] of incoming.entries())
      if (owned.has(message.key)) finished.add(offered[at]?.message.key ?? message.key);
    if (finished.size === 0) return offered.length;
    return lookNow();
  }

  /**
   * With the first message, since nobody makes an inbox before. What the ledger has by then was
   * delivered.
   */
  async function becomeConsumer(): Promise<Lease | undefined> {
    const { value = [] } = await team.mail(name).page();
    if (!value.some(({ entry }) => isUnread(entry))) return undefined;
    lease = await self.receive();
    await enter();
    const { delivered } = ledger().state();
    for (const { key } of await lease.take()) if (delivered.has(key)) finished.add(key);
    return lease;
  }

  async function takenOf(message: Message): Promise<Taken> {
    const { key, entry } = message;
    const isUnverified = entry.from === signer && entry.lead_sig === undefined;
    const taken = isUnverified || words.has(key) ? undefined : await take(message);
    if (taken) return taken;
    if (!isUnverified) words.add(key);
    return {
      message,
      texts: [teammateMessage(entry, isUnverified)],
      entry: { kind: "delivered", key, from: entry.from },
    };
  }

  /**
   * Under the key, with a mark where an earlier consumer had a message of that key: that one was
   * removed before this one came.
   */
  function named(incoming: Incoming): Incoming {
    const { delivered } = ledger().state();
    let { key } = incoming.message;
    while (delivered.has(key)) key += "'";
    return { message: { ...incoming.message, key }, texts: incoming.texts, entry: { ...incoming.entry, key } };
  }

  async function heed(): Promise<void> {
    heeding = (async () => {
      await look().catch(() => {});
      for await (const change of changes)
        if (change.kind === "inbox" && change.name === name) await look().catch(() => {});
    })();
    return heeding;
  }

  return {
    look,
    heed,
    async close() {
      closing.abort();
      await changes.return?.();
      await heeding;
      await turn(() => lease?.release());
    },
  };
}

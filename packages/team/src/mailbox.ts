import { isTroupeError, isUnread, messageOf } from "@troupe/protocol";
import { inTurn, type Lease, type Message, type Participant, type Team } from "@troupe/store";
import { type Answers, answerKey, bodyOf, isOwnAnswer, type Taken } from "./handshakes/handshake.ts";
import { type Decision, decisionOf } from "./ledger/fold.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Incoming, Member } from "./member.ts";
import { teammateMessage } from "./words.ts";

export interface AnswersDeps {
  readonly self: Pick<Participant, "send">;
  readonly ledger: () => Ledger;
  readonly now: () => Date;
  readonly newId: () => string;
  /** Shows the user what went wrong. */
  readonly show: (message: string) => void;
}

export interface MailboxDeps extends AnswersDeps {
  readonly team: Pick<Team, "form" | "mail" | "watch">;
  readonly self: Pick<Participant, "name" | "receive" | "send">;
  /**
   * The handshakes: each says what becomes of a message, and undefined of one that is none of its
   * own. They are asked again at each look.
   */
  readonly handshakes: () => readonly { take(message: Message): Promise<Taken | undefined> }[];
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

/** One member's mail: its inbox, and its answers to what came in. */
export interface Mailbox extends Answers {
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
export function openMailbox({ team, handshakes, signer, enter, hear, ...deps }: MailboxDeps): Mailbox {
  const { self, ledger } = deps;
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
   * delivered, so that it is the consumer only once it knows that.
   */
  async function becomeConsumer(): Promise<Lease | undefined> {
    const { value = [] } = await team.mail(name).page();
    if (!value.some(({ entry }) => isUnread(entry))) return undefined;
    const taken = await self.receive();
    try {
      await enter();
      const { delivered } = ledger().state();
      for (const { key } of await taken.take()) if (delivered.has(key)) finished.add(key);
    } catch (error) {
      await taken.release();
      throw error;
    }
    lease = taken;
    return lease;
  }

  async function takenOf(message: Message): Promise<Taken> {
    const { key, entry } = message;
    // A member that took a task itself knows, and goes on: the entry is for others to see.
    if (entry.from === name && bodyOf({ team }, message, "task_assignment")) return "done";
    const isUnverified = entry.from === signer && entry.lead_sig === undefined;
    for (const { take } of isUnverified || words.has(key) ? [] : handshakes()) {
      const taken = await take(message);
      if (taken) return taken;
    }
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
    ...createAnswers(deps, () => void look().catch(() => {})),
    look,
    heed,
    async close() {
      closing.abort();
      await changes.return?.();
      // Who began it was told why it ended.
      await heeding.catch(() => {});
      await turn(() => lease?.release());
    },
  };
}

/** A message that goes right behind an answer. */
export const noteContent = (words: string) => ({ text: `[Note] ${words}`, summary: "a note on the approval" });

/** The answers to what waits in an inbox, which is looked at again after each. */
export function createAnswers({ self, ledger, now, newId, show }: AnswersDeps, look: () => void): Answers {
  const serving = new Set<string>();
  const sending = new Map<string, Promise<void>>();
  /** Stamps of answers that came second. */
  const lost = new Set<string>();

  async function finish(decision: Decision | undefined): Promise<void> {
    if (!decision || decision.isSent) return;
    const { stamp } = decision;
    const before = sending.get(stamp.id) ?? send(decision).finally(() => sending.delete(stamp.id));
    sending.set(stamp.id, before);
    return before;
  }

  async function send(decision: Extract<Decision, { isSent: false }>): Promise<void> {
    const { handshake, id, to, body, stamp, note, isAgain } = decision;
    const done = () => ledger().append({ kind: "answered", handshake, id, to });
    try {
      // Nobody but the member that is asked to end answers that.
      const once = handshake === "shutdown" ? undefined : answerKey(handshake, id, isAgain);
      const isOurs = isOwnAnswer(await self.send(to, { body }, stamp, { once }), stamp, body);
      if (isOurs && note) await self.send(to, noteContent(note.text), note.stamp);
      if (!isOurs) lost.add(stamp.id);
      if (!isOurs) show(`The ${handshake} request of ${to} was answered before, from another terminal: that counts.`);
    } catch (error) {
      // Who has left hears nothing any more, however often it is tried.
      if (isTroupeError(error) && error.code === "recipient_unknown") done();
      throw error;
    }
    done();
  }

  const shown = (to: string, work: Promise<void>) =>
    work.catch((error: unknown) => show(`An answer did not reach ${to}: ${messageOf(error)}`));

  return {
    isServing: (key) => serving.has(key),
    serve(key, to, work, after) {
      serving.add(key);
      void shown(to, work).then(look).then(after);
      return "waits";
    },
    served(key, to, work) {
      serving.add(key);
      return shown(to, work());
    },
    finish,
    async give(about, bodyAt, words = "") {
      const at = now().toISOString();
      const stamp = { at, id: newId() };
      const note = words === "" ? undefined : { text: words, stamp: { at, id: newId() } };
      const isAgain = decisionOf(ledger().state(), about.to, about.id)?.isSent === true;
      const more = { ...(note && { note }), ...(isAgain && { isAgain }) };
      ledger().append({ kind: "decided", ...about, body: bodyAt(at), stamp, ...more });
      await finish(decisionOf(ledger().state(), about.to, about.id));
      return !lost.delete(stamp.id);
    },
  };
}

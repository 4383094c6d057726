import { EventEmitter, once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { parseTranscript } from "@troupe/protocol";
import type { Lease, Message, Participant, Team } from "@troupe/store";
import type { Arrival, Inputs } from "../loop/ports.ts";
import { textBlocks } from "../queue.ts";
import { teammateMessage } from "./teammate-words.ts";

/** True for a message that is dealt with. One that somebody is asked about stays in the inbox until then, so that whoever comes after a crash asks again. */
export type Dealt = boolean | { readonly later: Promise<unknown> };

/** Looks at a message before the model does. It answers soon, since all mail waits for it, and may be asked twice. */
export type MailReader = (message: Message) => Promise<Dealt> | Dealt;

export interface MailboxDeps {
  readonly team: Pick<Team, "watch">;
  readonly self: Pick<Participant, "name" | "inbox">;
  /** The journal of the agent: a message that stands in it was delivered, whatever the inbox says. */
  readonly transcript: string;
  readonly readers?: readonly MailReader[];
  /** The lead that gave the agent a key: the model is told which messages in its name have no signature. */
  readonly signer?: string;
  /** Where the agent's other inputs come from. */
  readonly besides: Inputs;
}

/** One member's inbox, as inputs of its agent. */
export interface Mailbox {
  /** The agent's other inputs, and behind them the mail that was collected. */
  readonly inputs: Inputs;
  /** Makes all mail that waits the agent's next input; says how much it is. Called between turns, it leaves a turn undisturbed. */
  collect(): Promise<number>;
  /** Resolves when mail for the model waits; rejects when the signal fires, when it is closed, or when the inbox cannot be used. */
  arrival(signal: AbortSignal): Promise<void>;
  /** What waits is left to whoever opens it next. */
  close(): Promise<void>;
}

/** Opens an inbox and heeds it until it is closed, as its one consumer. What readers deal with is dealt with at any time. */
export function openMailbox({ team, self, transcript, readers = [], signer, besides }: MailboxDeps): Mailbox {
  const { name, inbox } = self;
  const closing = new AbortController();
  const changes = team.watch(closing.signal);
  const looks = new EventEmitter();
  let lease: Lease | undefined;
  let journalled = new Set<string>();
  /** Keys of messages that were delivered or dealt with, and wait in the file all the same. */
  const settled = new Set<string>();
  const awaited = new WeakSet<Promise<unknown>>();
  let waiting: readonly Message[] = [];
  let collected: readonly Message[] = [];
  let last: Promise<void> = Promise.resolve();

  /** One look at a time: keys change when an equal message is removed before them. */
  function look(delivered: readonly string[] = []): Promise<void> {
    // A lease taken after the end would never be released.
    if (closing.signal.aborted) return Promise.reject(closing.signal.reason);
    const next = last.then(() => {
      for (const key of delivered) settled.add(key);
      return lookNow();
    });
    last = next.catch(() => {});
    return next;
  }

  async function lookNow(): Promise<void> {
    await becomeConsumer();
    await settle();
    const declined = new Set(waiting.map(({ key }) => key));
    const left: Message[] = [];
    for (const message of await inbox.take()) {
      const dealt = !declined.has(message.key) && (await dealtWith(message));
      if (dealt === true) settled.add(message.key);
      else if (dealt === false) left.push(message);
      else if (!awaited.has(dealt.later)) {
        awaited.add(dealt.later);
        void dealt.later.then(() => look()).catch(() => {});
      }
    }
    waiting = left;
    if (settled.size > 0) await lookNow();
  }

  /** With the first message, since nobody makes an inbox before. What the journal has by then was delivered. */
  async function becomeConsumer(): Promise<void> {
    if (lease) return lease.assertHeld();
    if ((await inbox.take()).length === 0) return;
    lease = await inbox.lease();
    journalled = inputsIn(transcript);
    for (const { key } of await inbox.take()) if (journalled.has(key)) settled.add(key);
  }

  async function settle(): Promise<void> {
    if (settled.size > 0) await inbox.acknowledge(settled);
    settled.clear();
  }

  async function dealtWith(message: Message): Promise<Dealt> {
    for (const reader of readers) {
      const dealt = await reader(message);
      if (dealt) return dealt;
    }
    return false;
  }

  /** The key, with the first ordinal that is free: an equal message that comes after one was removed has its key. */
  function identityOf({ key }: Message): string {
    const [hash, ordinal] = key.split("#");
    for (let free = Number(ordinal); ; free += 1) {
      const identity = `${hash}#${free}`;
      if (!journalled.has(identity)) return identity;
    }
  }

  const arrivalOf = (message: Message): Arrival => {
    const { from, lead_sig } = message.entry;
    const id = identityOf(message);
    journalled.add(id);
    const content = textBlocks(teammateMessage(message.entry, from === signer && lead_sig === undefined));
    return { input: { id, priority: "next", origin: { kind: "teammate", name: from }, content } };
  };

  /** The last acknowledges all, since what is before it stands in the journal too. What cannot be marked now is marked at the next look. */
  function take(): readonly Arrival[] {
    const keys = collected.map(({ key }) => key);
    const arrivals = collected.map(arrivalOf);
    collected = [];
    const acknowledge = () => look(keys).catch(() => {});
    return arrivals.map((arrival, at) => (at === arrivals.length - 1 ? { ...arrival, acknowledge } : arrival));
  }

  /** A look that fails is made again by whoever waits or collects, who is told. */
  async function heed(): Promise<void> {
    await look().catch(() => {});
    for await (const change of changes) {
      if (change.kind !== "inbox" || change.name !== name) continue;
      await look().catch(() => {});
      looks.emit("looked");
    }
  }
  const heeding = heed();

  return {
    inputs: { take: () => [...besides.take(), ...take()], whenUrgent: besides.whenUrgent },
    async collect() {
      await look();
      collected = waiting;
      return collected.length;
    },
    async arrival(signal) {
      const either = AbortSignal.any([signal, closing.signal]);
      for (await look(); waiting.length === 0; await look()) await once(looks, "looked", { signal: either });
    },
    async close() {
      closing.abort();
      await heeding;
      await last;
      lease?.release();
    },
  };
}

/** The ids of all inputs that a journal ever accepted. */
function inputsIn(transcript: string): Set<string> {
  if (!existsSync(transcript)) return new Set();
  const { lines } = parseTranscript(readFileSync(transcript, "utf8"));
  const inputs = lines.filter(({ type, kind }) => type === "troupe" && kind === "input").map(({ input }) => input);
  return new Set(inputs.map((input) => String((input as { readonly id?: unknown } | null)?.id)));
}

import { mkdirSync } from "node:fs";
import type { Check, CheckContext } from "../check.ts";
import { checkFailure, untestable } from "../fault.ts";
import type { Proc } from "../target.ts";
import { type Crew, makeCrew, together } from "./crew.ts";
import { entriesAt, foreignEntry, type Places, replace, textsIn } from "./documents.ts";
import { assertExplained } from "./explain.ts";
import type { Operation } from "./linearise.ts";
import { inboxModel } from "./models.ts";

const methods = ["inbox.append"];
const scene = ["team.create", "member.add"] as const;

/** The k-th text of worker n; all texts differ. */
const textOf = (name: string, number: number): string => `${name} says ${number}`;

const send = (context: CheckContext, { team }: Crew, proc: Proc, name: string, number: number) =>
  context.ok("inbox.append", { team, agent: "alice", from: name, text: textOf(name, number) }, proc);

/** Every message is there once, behind those that the same sender had sent before. */
function assertAllThere(found: readonly string[], names: readonly string[], count: number): void {
  const expected = names.flatMap((name) => Array.from({ length: count }, (_, number) => textOf(name, number)));
  const there = new Set(found);
  const missing = expected.filter((text) => !there.has(text));
  if (missing.length > 0 || found.length !== expected.length) {
    throw checkFailure(`${missing.length} of ${expected.length} messages are missing, ${found.length} are there`, {
      expected: expected.length,
      actual: found.length,
      missing,
    });
  }
  for (const name of names) {
    const own = found.filter((text) => text.startsWith(`${name} `));
    const wrong = own.findIndex((text, number) => text !== textOf(name, number));
    if (wrong >= 0) throw checkFailure(`the messages of ${name} are not in the order they were sent`, { actual: own });
  }
}

const isAppend = ({ op }: Operation): boolean => op === "inbox.append";

const appendStorm: Check = {
  id: "INB-RACE/a",
  title: "eight senders at once lose nothing, and each one's messages stay in order",
  requirements: ["ATP-INB-007", "ATP-LCK-002"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods, scene },
  async run(context) {
    const crew = await makeCrew(context, { others: ["alice"] });
    const count = context.isQuick ? 12 : 100;
    await together(crew, async ({ proc, name }) => {
      for (let number = 0; number < count; number += 1) await send(context, crew, proc, name, number);
    });
    const found = textsIn(entriesAt(context, crew.places.inbox("alice")));
    const names = crew.workers.map(({ name }) => name);
    assertAllThere(found, names, count);
    const complaint = "no order of the calls explains the order of the messages in the file";
    assertExplained(context.history.filter(isAppend), inboxModel(found), complaint);
    return { messages: found.length };
  },
};

/**
 * The first worker reads and takes until it has everything, the others send. The texts in the order
 * in which it got them; undefined for a target that gives no keys, where nobody can say what was
 * taken.
 */
async function takeWhileOthersSend(
  context: CheckContext,
  crew: Crew,
  count: number,
): Promise<readonly string[] | undefined> {
  const [reader, ...senders] = crew.workers;
  if (!reader) throw new Error("a crew has workers");
  const order: string[] = [];
  const address = { team: crew.team, agent: "alice" };
  let [isSending, hasKeys] = [true, true];
  const sending = together({ workers: senders }, async ({ proc, name }) => {
    for (let number = 0; number < count; number += 1) await send(context, crew, proc, name, number);
  }).finally(() => {
    isSending = false;
  });
  sending.catch(() => {});
  for (let isLast = false; !isLast; ) {
    isLast = !isSending;
    const { messages } = (await context.ok("inbox.read", address, reader.proc)) as { messages: readonly Waiting[] };
    order.push(...messages.map(({ text }) => text));
    const keys = messages.flatMap(({ key }) => key ?? []);
    hasKeys &&= keys.length === messages.length;
    if (messages.length === 0) continue;
    await context.ok("inbox.markRead", { ...address, ...(hasKeys && { keys }) }, reader.proc);
  }
  await sending;
  return hasKeys ? order : undefined;
}

interface Waiting {
  readonly text: string;
  readonly key?: string;
}

/** The taking of messages as the model knows it: by their texts, in the place of their keys. */
function withTexts(history: readonly Operation[]): readonly Operation[] {
  const texts = new Map<unknown, string>();
  return history.flatMap((operation) => {
    if (isAppend(operation)) return [operation];
    if (operation.op === "inbox.read") {
      const { messages } = operation.reply as { messages: readonly Waiting[] };
      for (const { key, text } of messages) texts.set(key, text);
      return [operation];
    }
    if (operation.op !== "inbox.markRead") return [];
    const keys = operation.args["keys"] as readonly string[];
    return [{ ...operation, op: "take", args: { texts: keys.map((key) => texts.get(key)) } }];
  });
}

const markWhileAppending: Check = {
  id: "INB-RACE/b",
  title: "what arrives while its reader takes what came before is neither lost nor handed out twice",
  requirements: ["ATP-INB-006", "ATP-INB-008", "ATP-INB-103"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: [...methods, "inbox.read", "inbox.markRead"], scene },
  async run(context) {
    const crew = await makeCrew(context, { others: ["alice"] });
    const count = context.isQuick ? 15 : 100;
    const order = await takeWhileOthersSend(context, crew, count);
    const names = crew.workers.slice(1).map(({ name }) => name);
    if (order) assertAllThere(order, names, count);
    else if (context.revision === "2026-11") throw untestable("without keys it is not known what was taken");
    const left = entriesAt(context, crew.places.inbox("alice"));
    if (context.revision === "2026-11") {
      if (left.length > 0) throw checkFailure("messages that were taken are in the file", { actual: left });
    } else {
      assertAllThere(textsIn(left), names, count);
      const unread = left.filter(({ read }) => read !== true);
      if (unread.length > 0) throw checkFailure("marks that were set are gone", { actual: unread });
    }
    const complaint = "no order of the calls explains what the reader was handed";
    if (order) assertExplained(withTexts(context.history), inboxModel(order), complaint);
    return { messages: names.length * count };
  },
};

const longInbox = 10_000;

/** An inbox as another program may have left it. */
export function writeLongInbox({ inboxes, inbox }: Places, agent: string, length: number): void {
  mkdirSync(inboxes, { recursive: true });
  const text = "The grammar has 214 rules, three of them left-recursive. ".repeat(4);
  const entries = Array.from({ length }, (_, number) => foreignEntry(`${number}: ${text}`));
  replace(inbox(agent), entries);
}

const longAppend: Check = {
  id: "INB-LONG/a",
  title: "a message goes into an inbox of 10 000 in less than half a second",
  requirements: ["ATP-INB-024"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods, scene },
  async run(context) {
    const crew = await makeCrew(context, { size: 1, others: ["alice"] });
    const [worker] = crew.workers;
    if (!worker) throw new Error("a crew has workers");
    writeLongInbox(crew.places, "alice", longInbox);
    const count = 5;
    for (let number = 0; number < count; number += 1) await send(context, crew, worker.proc, worker.name, number);
    const found = entriesAt(context, crew.places.inbox("alice"));
    if (found.length !== longInbox + count) {
      throw checkFailure("messages are missing", { expected: longInbox + count, actual: found.length });
    }
    const took = context.history.filter(isAppend).map(({ call, ret = Number.POSITIVE_INFINITY }) => ret - call);
    const fastest = Math.round(Math.min(...took));
    const limit = Math.round(context.scaled(500));
    if (fastest <= limit) return { fastestMs: fastest };
    throw checkFailure(`the fastest of ${count} took ${fastest} ms`, { expected: limit, actual: took });
  },
};

export const inboxRaces: readonly Check[] = [appendStorm, markWhileAppending, longAppend];

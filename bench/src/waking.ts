import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { codecFor, type InboxEntry } from "@troupe/protocol";
import { type Inbox, openInbox, watchDirectories } from "@troupe/store/files";
import { atMost, type Result, roundsOf } from "./measure.ts";
import type { Order, Sent } from "./wake-worker.ts";

const worker = fileURLToPath(new URL("wake-worker.js", import.meta.url));
const codec = codecFor("2026-02");
const fileName = "alice.json";
const subjectOf = (name: string) => (name === fileName ? name : undefined);
const times = 50;

/** Something that can be waited for, again and again. */
interface Waking {
  next(): Promise<unknown>;
  stop(): unknown;
}

/**
 * P4: the time from a message becoming visible until its receiver, which waits, runs, against a
 * bare `fs.watch`. The goal is the budget that docs/protocol/inbox.md declares.
 */
export const wakeLatency = (): Promise<Record<string, Result>> =>
  withSender(async (sender, path) => {
    const across = await roundsOf(async () => {
      const bare = await delayOf(sender, path, bareWatch);
      return (await delayOf(sender, path, ourWatch)) / bare;
    });
    return { "P4.wake": atMost(4, across) };
  });

/** P4: how many messages are missed, and what a wake costs within one process. */
export const waking = (): Promise<Record<string, Result>> =>
  withSender(async (sender, path) => {
    const within = await roundsOf(() => inProcess(join(path, "..")));
    return {
      "P4.missed": atMost(0, [await missedOf(sender, path, 1_000)]),
      "P4.in-process": atMost(1.5, within),
    };
  });

async function withSender<T>(work: (sender: ChildProcess, path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const path = join(folder, fileName);
  const sender = fork(worker, [path], { serialization: "advanced" });
  try {
    return await work(sender, path);
  } finally {
    sender.kill();
    rmSync(folder, { recursive: true });
  }
}

function ourWatch(folder: string): Waking {
  const changes = watchDirectories([{ directory: folder, subjectOf }]);
  return { next: () => changes.next(), stop: () => changes.return?.() };
}

function bareWatch(folder: string): Waking {
  let wake = (): void => undefined;
  const watcher = watch(folder, (_event, name) => name === fileName && wake());
  const next = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return { next, stop: () => watcher.close() };
}

/**
 * Nanoseconds from just before the rename in the other process until the receiver runs here: the
 * median of several.
 */
async function delayOf(sender: ChildProcess, path: string, open: (folder: string) => Waking): Promise<number> {
  rmSync(path, { force: true });
  const waking = open(join(path, ".."));
  const delays: number[] = [];
  for (let done = 0; done < times; done += 1) {
    const woken = waking.next().then(() => process.hrtime.bigint());
    const { renamedAt } = await order(sender, { messages: 1, burst: 1 });
    delays.push(Number((await woken) - renamedAt));
  }
  await waking.stop();
  return median(delays);
}

/**
 * The cost of an append until a waiter in the same process runs, against an append without a
 * waiter: medians of several.
 */
async function inProcess(folder: string): Promise<number> {
  const inboxes = ["watched", "bare"].map((name) => {
    const directory = join(folder, name);
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory);
    return openInbox({ path: join(directory, fileName), codec });
  });
  const [watched, bare] = inboxes as [Inbox, Inbox];
  const waking = ourWatch(join(folder, "watched"));
  const costs: { watched: number[]; bare: number[] } = { watched: [], bare: [] };
  for (let done = 0; done < times; done += 1) {
    const woken = waking.next();
    let start = performance.now();
    await watched.append(entry());
    await woken;
    costs.watched.push(performance.now() - start);
    start = performance.now();
    await bare.append(entry());
    costs.bare.push(performance.now() - start);
  }
  await waking.stop();
  return median(costs.watched) / median(costs.bare);
}

/**
 * The number of messages sent in bursts that a receiver had not got five seconds after the last
 * one.
 */
async function missedOf(sender: ChildProcess, path: string, count: number): Promise<number> {
  rmSync(path, { force: true });
  const inbox = openInbox({ path, codec });
  const patience = new AbortController();
  const changes = watchDirectories([{ directory: join(path, ".."), subjectOf }], patience.signal);
  let taken = 0;
  const receive = async () => {
    const waiting = await inbox.take();
    await inbox.acknowledge(new Set(waiting.map(({ key }) => key)));
    taken += waiting.length;
  };
  const received = (async () => {
    for (await receive(); taken < count && !(await changes.next()).done; ) await receive();
  })();
  await order(sender, { messages: count, burst: 25 });
  const timer = setTimeout(() => patience.abort(), 5_000);
  await received;
  clearTimeout(timer);
  await changes.return?.();
  return count - taken;
}

const entry = (): InboxEntry =>
  codec.newEntry({
    from: { name: "bob" },
    content: { text: "x".repeat(300) },
    timestamp: "2026-02-13T10:45:20.631Z",
    messageId: crypto.randomUUID(),
  });

async function order(sender: ChildProcess, what: Order): Promise<Sent> {
  sender.send(what);
  return (await once(sender, "message"))[0] as Sent;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

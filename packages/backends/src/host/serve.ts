import { isTroupeError, messageOf } from "@troupe/protocol";
import { asleep, isUnavailable, timeLimit } from "@troupe/store";
import type { Asked } from "./asked.ts";
import type { HostDeps } from "./host.ts";
import { type Run, reported, startRun } from "./run.ts";

const renewalMs = 5_000;

/**
 * Runs what leads ask for until the signal fires; then gives it back. Rejects where another process
 * is this host.
 */
export async function serveHost(deps: HostDeps, signal: AbortSignal): Promise<void> {
  const { desk, offer, graceMs, tell } = deps;
  const runs = new Map<string, Run>();
  /** What is read of a start may be older than its end: it begins once. */
  const begun = new Set<string>();
  const failing = new AbortController();
  const over = AbortSignal.any([signal, failing.signal]);
  const done = new AbortController();
  /** Fires when a host that goes waits no longer for a database or a git server that is away. */
  const patience = new AbortController();
  let isEntered = false;
  let isClear = false;
  await enter();
  const keeping = keepLease();
  const hints = desk.listen();
  try {
    while (await hints.next(over)) await look().catch(unlessUnavailable);
  } finally {
    hints.end();
    // Others may take by then what it has not given back.
    timeLimit(offer.leaseMs).addEventListener("abort", () => patience.abort());
    for (const run of runs.values()) run.end(failing.signal.aborted ? "lost" : "leaving", graceMs);
    await Promise.all([...runs.values()].map((run) => run.over));
    done.abort();
    await keeping;
  }
  if (failing.signal.aborted) throw failing.signal.reason;

  async function enter(): Promise<void> {
    await desk.enter(offer);
    isEntered = true;
    tell({ event: "entered" });
  }

  /** What an earlier process of this host began: nothing of it runs any more. */
  async function giveBack(asked: Asked): Promise<void> {
    const { team, member, epoch } = asked;
    const checkout = await deps.checkouts(asked, over).catch(() => undefined);
    const result = await checkout?.end(over).catch(() => undefined);
    if (await reported(desk, epoch ?? "", { state: "wanted", result }, over))
      tell({ event: "given_back", team, member, detail: "its host began anew" });
  }

  /** Goes on while what runs is ended, which takes a while. */
  async function keepLease(): Promise<void> {
    while (!done.signal.aborted) {
      await asleep(Math.min(offer.leaseMs / 4, renewalMs), done.signal);
      if (done.signal.aborted) return;
      await renewed().catch((error: unknown) => {
        if (isUnavailable(error)) tell({ event: "unreachable", detail: messageOf(error) });
        else failing.abort(error);
      });
      if (failing.signal.aborted) return;
    }
  }

  async function renewed(): Promise<void> {
    try {
      if (isEntered) return await desk.renew(offer.leaseMs);
    } catch (error) {
      if (!isLate(error)) throw error;
      tell({ event: "late", detail: messageOf(error) });
    }
    // Until it hears that it has entered, its own number may be that of another process.
    isEntered = false;
    await enter();
  }

  function unlessUnavailable(error: unknown): void {
    // A lease that has ended is entered anew by who keeps it.
    if (isLate(error) || !isEntered) return;
    if (isUnavailable(error)) tell({ event: "unreachable", detail: messageOf(error) });
    else failing.abort(error);
  }

  /** Makes what runs here what the store says that is this host's. */
  async function look(): Promise<void> {
    if (!isClear) for (const asked of await desk.mine()) await giveBack(asked);
    isClear = true;
    while (!over.aborted && (await desk.take()));
    const mine = await desk.mine();
    for (const [epoch, run] of runs) if (!mine.some((asked) => asked.epoch === epoch)) run.end("lost", 0);
    for (const asked of mine) {
      const { epoch, stopMs } = asked;
      if (epoch === null) continue;
      if (!begun.has(epoch)) begin(asked, epoch);
      const run = runs.get(epoch);
      if (stopMs !== null) run?.end("asked", stopMs);
      run?.push();
    }
  }

  function begin(asked: Asked, epoch: string): void {
    const run = startRun(deps, asked, epoch, patience.signal);
    begun.add(epoch);
    runs.set(epoch, run);
    void run.over.then(() => runs.delete(epoch));
  }
}

const isLate = (error: unknown): boolean => isTroupeError(error) && error.details?.["isLate"] === true;

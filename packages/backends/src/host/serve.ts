import { isTroupeError, messageOf } from "@troupe/protocol";
import { asleep, isUnavailable } from "@troupe/store";
import type { Backend, Observation, Spawned } from "@troupe/team";
import type { SpawnSpec } from "../launch.ts";
import type { Asked, Hints } from "./asked.ts";
import type { Checkout, Checkouts } from "./checkouts.ts";

/** What a host says of itself to the store, and is told there; that on PostgreSQL fits. */
export interface Desk {
  enter(offer: HostOffer): Promise<void>;
  renew(leaseMs: number): Promise<void>;
  take(): Promise<Asked | undefined>;
  mine(): Promise<readonly Asked[]>;
  report(start: string, report: HostReport): Promise<void>;
  listen(): Hints;
}

/** What becomes of a start; `wanted` gives it back for any host to take. */
interface HostReport {
  readonly state: "running" | "ended" | "wanted";
  readonly reason?: string | undefined;
  readonly detail?: string | undefined;
  readonly result?: object | undefined;
}

export interface HostOffer {
  readonly slots: number;
  readonly labels: readonly string[];
  /** How long nothing may be heard of it until others may take what it runs. */
  readonly leaseMs: number;
}

/** A teammate that is about to be started, and what starts it. */
export interface Launching {
  readonly backend: Backend;
  readonly spec: SpawnSpec;
}

export interface HostDeps {
  readonly desk: Desk;
  readonly offer: HostOffer;
  readonly checkouts: Checkouts;
  readonly launching: (asked: Asked, checkout: Checkout) => Promise<Launching>;
  /** How long a teammate may take to end by itself where the host ends it. */
  readonly graceMs: number;
  readonly tell: (event: HostEvent) => void;
}

/** What happens on a host, for those who look at it. */
export interface HostEvent {
  readonly event: "entered" | "started" | "pushed" | "ended" | "given_back" | "left_alone" | "late" | "unreachable";
  readonly team?: string;
  readonly member?: string;
  readonly epoch?: string;
  readonly detail?: string;
}

/** One start of a teammate on this host. */
interface Run {
  readonly over: Promise<void>;
  /** Ends it: as its lead asks, since the host goes, or since the start is another host's now. */
  end(why: "asked" | "leaving" | "lost", graceMs: number): void;
  push(): Promise<void>;
}

const retryMs = 1_000;
const renewalMs = 5_000;

/**
 * Runs what leads ask for until the signal fires; then gives it back. Rejects where another process
 * is this host.
 */
export async function serveHost(deps: HostDeps, signal: AbortSignal): Promise<void> {
  const { desk, offer, graceMs, tell } = deps;
  const runs = new Map<string, Run>();
  const failing = new AbortController();
  const over = AbortSignal.any([signal, failing.signal]);
  const done = new AbortController();
  await enter();
  for (const asked of await desk.mine()) await giveBack(asked);
  const keeping = keepLease();
  const hints = desk.listen();
  try {
    while (await hints.next(over)) await look().catch(unlessUnavailable);
  } finally {
    hints.end();
    for (const run of runs.values()) run.end(failing.signal.aborted ? "lost" : "leaving", graceMs);
    await Promise.all([...runs.values()].map((run) => run.over));
    done.abort();
    await keeping;
  }
  if (failing.signal.aborted) throw failing.signal.reason;

  async function enter(): Promise<void> {
    await desk.enter(offer);
    tell({ event: "entered" });
  }

  /** What an earlier process of this host began: nothing of it runs any more. */
  async function giveBack(asked: Asked): Promise<void> {
    const { team, member, epoch } = asked;
    const checkout = await deps.checkouts(asked, signal).catch(() => undefined);
    const result = await checkout?.end().catch(() => undefined);
    await desk.report(epoch ?? "", { state: "wanted", result });
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
      await desk.renew(offer.leaseMs);
    } catch (error) {
      if (!isTroupeError(error) || error.details?.["isLate"] !== true) throw error;
      tell({ event: "late", detail: messageOf(error) });
      await enter();
      await look();
    }
  }

  function unlessUnavailable(error: unknown): void {
    // A lease that has ended is entered anew by who keeps it.
    if (isTroupeError(error) && error.details?.["isLate"] === true) return;
    if (isUnavailable(error)) tell({ event: "unreachable", detail: messageOf(error) });
    else failing.abort(error);
  }

  /** Makes what runs here what the store says that is this host's. */
  async function look(): Promise<void> {
    while (!over.aborted && (await desk.take()));
    const mine = await desk.mine();
    for (const [epoch, run] of runs) if (!mine.some((asked) => asked.epoch === epoch)) run.end("lost", 0);
    for (const asked of mine) {
      const { epoch, stopMs } = asked;
      if (epoch === null) continue;
      const run = runs.get(epoch) ?? begin(asked, epoch);
      if (stopMs !== null) run.end("asked", stopMs);
      await run.push();
    }
  }

  function begin(asked: Asked, epoch: string): Run {
    const run = startRun(deps, asked, epoch);
    runs.set(epoch, run);
    void run.over.then(() => runs.delete(epoch));
    return run;
  }
}

function startRun({ desk, checkouts, launching, tell }: HostDeps, asked: Asked, epoch: string): Run {
  const { team, member } = asked;
  const about = { team, member, epoch };
  const ending = new AbortController();
  let why: "asked" | "leaving" | "lost" | undefined;
  let stop: (graceMs: number) => void = () => {};
  let checkout: Checkout | undefined;
  let isRunning = false;
  /** Why the last push failed: the next one may do so in the same words. */
  let trouble = "";

  /** Until the store has it; false where the start is another host's meanwhile. */
  async function report(said: HostReport): Promise<boolean> {
    for (;;) {
      if (why === "lost") return false;
      try {
        await desk.report(epoch, said);
        return true;
      } catch (error) {
        if (!isUnavailable(error)) return false;
        await asleep(retryMs, new AbortController().signal);
      }
    }
  }

  async function ran(): Promise<Extract<Observation, { kind: "ended" }>> {
    checkout = await checkouts(asked, ending.signal);
    const { backend, spec } = await launching(asked, checkout);
    const one: Spawned = await backend.spawn(spec, ending.signal);
    stop = (graceMs) =>
      void backend
        .stop(one, graceMs)
        .catch((error: unknown) => tell({ ...about, event: "left_alone", detail: messageOf(error) }));
    // It may have been asked to end while it began.
    if (why) stop(0);
    tell({ ...about, event: "started", detail: checkout.cwd });
    isRunning = await report({ state: "running" });
    for await (const seen of backend.observe(one, new AbortController().signal)) if (seen.kind === "ended") return seen;
    return { kind: "ended", reason: "lost", detail: "nothing is seen of it any more" };
  }

  async function work(): Promise<void> {
    const end = await ran().catch(
      (error: unknown): Extract<Observation, { kind: "ended" }> => ({
        kind: "ended",
        reason: why === "asked" ? "shutdown" : "exit",
        detail: messageOf(error),
      }),
    );
    isRunning = false;
    // What a start left that is another host's now is nobody's to tell; it stays where it is.
    if (why === "lost")
      return tell({ ...about, event: "ended", detail: `it is not this host's any more: ${end.detail}` });
    const result = await checkout?.end().catch((error: unknown) => {
      tell({ ...about, event: "left_alone", detail: messageOf(error) });
      return undefined;
    });
    const { reason, detail } = end;
    if (why === "leaving") {
      await report({ state: "wanted", result });
      return tell({ ...about, event: "given_back" });
    }
    await report({ state: "ended", reason: why === "asked" ? "shutdown" : reason, detail, result });
    tell({ ...about, event: "ended", detail });
  }

  const over = work().catch((error: unknown) => tell({ ...about, event: "left_alone", detail: messageOf(error) }));
  return {
    over,
    end(reason, graceMs) {
      if (why !== undefined && reason !== "lost") return;
      why = reason;
      ending.abort(new Error("it was stopped before it was at work"));
      stop(graceMs);
    },
    async push() {
      if (!isRunning || why) return;
      const result = await checkout?.push().catch((error: unknown) => {
        const detail = messageOf(error);
        if (detail !== trouble) tell({ ...about, event: "left_alone", detail });
        trouble = detail;
        return undefined;
      });
      if (result && isRunning && (await report({ state: "running", result })))
        tell({ ...about, event: "pushed", detail: result.branch });
    },
  };
}

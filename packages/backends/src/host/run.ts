import { messageOf } from "@troupe/protocol";
import type { Observation, Spawned } from "@troupe/team";
import type { Asked } from "./asked.ts";
import type { Checkout } from "./checkouts.ts";
import type { Desk, HostDeps, HostReport } from "./host.ts";
import { persistently } from "./persistently.ts";

/** One start of a teammate on this host. */
export interface Run {
  readonly over: Promise<void>;
  /** Ends it: as its lead asks, since the host goes, or since the start is another host's now. */
  end(why: "asked" | "leaving" | "lost", graceMs: number): void;
  /** Has what it committed pushed, unless that is under way. */
  push(): void;
}

/**
 * Until the store has it, or the signal fires; false where the start is another host's meanwhile.
 */
export const reported = (desk: Desk, start: string, said: HostReport, until: AbortSignal): Promise<boolean> =>
  persistently(() => desk.report(start, said), until).then(
    () => true,
    () => false,
  );

/** Starts it, and tells the store what becomes of it until the patience of its host is over. */
export function startRun(deps: HostDeps, asked: Asked, epoch: string, patience: AbortSignal): Run {
  const { desk, checkouts, launching, tell } = deps;
  const { team, member } = asked;
  const about = { team, member, epoch };
  const ending = new AbortController();
  const lost = new AbortController();
  const until = AbortSignal.any([lost.signal, patience]);
  let why: "asked" | "leaving" | "lost" | undefined;
  let stop: (graceMs: number) => void = () => {};
  let checkout: Checkout | undefined;
  let isRunning = false;
  let isPushing = false;
  /** Why the last push failed: the next one may do so in the same words. */
  let trouble = "";

  const report = async (said: HostReport) => why !== "lost" && (await reported(desk, epoch, said, until));

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
    const end = await ran().catch((error: unknown): Extract<Observation, { kind: "ended" }> => {
      // One that cannot be observed may run.
      stop(0);
      return { kind: "ended", reason: why === "asked" ? "shutdown" : "exit", detail: messageOf(error) };
    });
    isRunning = false;
    // One that has ended by itself is done, also where its host goes meanwhile.
    const isGivenBack = why === "leaving";
    // What a start left that is another host's now is nobody's to tell; it stays where it is.
    if (why === "lost")
      return tell({ ...about, event: "ended", detail: `it is not this host's any more: ${end.detail}` });
    const result = await checkout?.end(until).catch((error: unknown) => {
      tell({ ...about, event: "left_alone", detail: messageOf(error) });
      return undefined;
    });
    const { reason, detail } = end;
    if (isGivenBack) {
      await report({ state: "wanted", result });
      return tell({ ...about, event: "given_back" });
    }
    await report({ state: "ended", reason: why === "asked" ? "shutdown" : reason, detail, result });
    tell({ ...about, event: "ended", detail });
  }

  async function pushed(): Promise<void> {
    const result = await checkout?.push(until).catch((error: unknown) => {
      const detail = messageOf(error);
      if (detail !== trouble) tell({ ...about, event: "left_alone", detail });
      trouble = detail;
      return undefined;
    });
    if (result && isRunning && (await report({ state: "running", result })))
      tell({ ...about, event: "pushed", detail: result.branch });
    isPushing = false;
  }

  const over = work().catch((error: unknown) => tell({ ...about, event: "left_alone", detail: messageOf(error) }));
  return {
    over,
    end(reason, graceMs) {
      if (why !== undefined && reason !== "lost") return;
      why = reason;
      if (reason === "lost") lost.abort();
      ending.abort(new Error("it was stopped before it was at work"));
      stop(graceMs);
    },
    push() {
      if (!isRunning || why || isPushing) return;
      isPushing = true;
      void pushed();
    },
  };
}

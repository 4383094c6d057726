import { firstOf } from "@troupe/store";
import type { Conversation } from "../agent/conversation.ts";
import type { Terminal } from "../journal/entry.ts";
import type { RunEvent } from "../loop/run.ts";

/** An agent whose turns begin as something comes for it. */
export interface Attendance {
  readonly agent: Pick<Conversation, "run" | "queue">;
  readonly signal: AbortSignal;
  /**
   * Resolves when mail waits that the next turn would begin with; a session without a team has
   * none.
   */
  readonly mail?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

export interface Interactive extends Attendance {
  /**
   * The signal of a turn that begins: fires with the attendance, or when a person interrupts this
   * turn alone.
   */
  readonly turnSignal?: () => AbortSignal;
  /** Resolves once nothing on the screen takes the keyboard. */
  readonly uiFree: (signal: AbortSignal) => Promise<void>;
}

export interface Headless extends Attendance {
  /**
   * Jobs that go on in the background and will be heard of; those that live until they are told to
   * stop do not count.
   */
  readonly hasBackgroundWork: () => boolean | Promise<boolean>;
  /** Resolves when that has changed. */
  readonly backgroundChange: (signal: AbortSignal) => Promise<void>;
}

/**
 * At a terminal: whenever the agent is idle and the screen is free, the next of what waits begins a
 * turn. Ends with the signal.
 */
export async function* attendInteractive(deps: Interactive): AsyncGenerator<RunEvent | Terminal> {
  const { signal, uiFree, turnSignal } = deps;
  while (!signal.aborted) {
    yield* turns(deps, () => uiFree(signal).catch(() => {}), turnSignal);
    await arrival(deps, signal);
  }
}

/**
 * In a pipe: what waits is drained between the turns, and the end is reached when nothing waits and
 * nobody is at work any more.
 */
export async function* attendHeadless(deps: Headless): AsyncGenerator<RunEvent | Terminal> {
  const { agent, signal, hasBackgroundWork, backgroundChange } = deps;
  while (!signal.aborted) {
    yield* turns(deps);
    const goesOn = await hasBackgroundWork();
    if (agent.queue.waiting().length > 0) continue;
    if (!goesOn) return;
    await arrival(deps, signal, backgroundChange);
  }
}

/** Resolves when there may be something to do. */
async function arrival(
  { agent: { queue }, mail }: Attendance,
  signal: AbortSignal,
  ...further: readonly ((signal: AbortSignal) => Promise<void>)[]
): Promise<void> {
  const command = (until: AbortSignal) => queue.arrival(({ agent }) => agent === undefined, until);
  await firstOf(signal, command, ...further, ...(mail ? [mail] : [])).catch(() => {});
}

/** Turns until nothing waits. */
async function* turns(
  { agent, signal }: Attendance,
  mayBegin: () => Promise<void> = async () => {},
  turnSignal: () => AbortSignal = () => signal,
): AsyncGenerator<RunEvent | Terminal> {
  while (!signal.aborted) {
    await mayBegin();
    if (signal.aborted) return;
    const terminal = yield* agent.run(turnSignal());
    if (!terminal) return;
    yield terminal;
  }
}

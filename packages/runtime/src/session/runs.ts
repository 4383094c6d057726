import { setTimeout as delay } from "node:timers/promises";
import type { Conversation } from "../agent/conversation.ts";
import type { PersonHooks } from "../hooks/person-hooks.ts";
import type { AbortReason, Terminal } from "../journal/entry.ts";
import { type Abort, createAbort } from "../loop/abort.ts";
import type { RunEvent } from "../loop/run.ts";
import type { Seats } from "./seats.ts";
import type { SessionEvent } from "./session.ts";

interface RunDeps {
  readonly agent: Pick<Conversation, "run">;
  readonly seats: Pick<Seats, "now">;
  readonly talk: Pick<PersonHooks, "flush">;
  /** Before the first turn of the process. */
  readonly begin: (signal: AbortSignal) => Promise<void>;
  /** Runs what the person typed for the shell. */
  readonly shell: (signal: AbortSignal) => Promise<void>;
  readonly onEvent: (event: SessionEvent) => void;
}

/** The turns of a session, one at a time. */
export interface Runs {
  /** Cuts the turn of this moment. */
  abort(reason: AbortReason): void;
  run(deps: RunDeps, signal: AbortSignal | undefined): AsyncGenerator<RunEvent, Terminal | undefined>;
  /** Resolves when no turn goes on, or after this time: a reader that stopped in the middle holds nothing up. */
  ended(graceMs: number): Promise<void>;
}

export function sessionRuns(): Runs {
  let turn: Abort = createAbort();
  let hasBegun = false;
  let running: Promise<void> = Promise.resolve();

  async function* run(
    { agent, seats, talk, begin, shell, onEvent }: RunDeps,
    signal: AbortSignal | undefined,
  ): ReturnType<Runs["run"]> {
    if (await seats.now()?.isOver()) return undefined;
    const tell = (event: SessionEvent) => {
      onEvent(event);
      seats.now()?.note(event);
    };
    turn = createAbort(signal);
    if (!hasBegun) {
      hasBegun = true;
      await begin(turn.signal);
    }
    await shell(turn.signal);
    const heard = (await seats.now()?.hear()) ?? [];
    talk.flush(heard.length > 0);
    let over = () => {};
    running = new Promise((resolve) => {
      over = resolve;
    });
    const events = agent.run(turn.signal);
    try {
      for (const entry of heard) {
        tell({ kind: "entry", entry });
        yield { kind: "entry", entry };
      }
      for (let step = await events.next(); ; step = await events.next()) {
        if (step.done) {
          if (step.value) tell({ kind: "turn_ended", terminal: step.value });
          return step.value;
        }
        tell(step.value);
        yield step.value;
      }
    } finally {
      await events.return(undefined);
      over();
    }
  }

  return {
    abort: (reason) => turn.abort(reason),
    run,
    ended: (graceMs) => Promise.race([running, delay(graceMs, undefined, { ref: false })]),
  };
}

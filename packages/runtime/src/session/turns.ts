import { setTimeout as delay } from "node:timers/promises";
import type { Participant } from "@troupe/store";
import { agreedToEnd, type Membership, type TurnEnd, tellActive } from "@troupe/team";
import type { Conversation } from "../agent/conversation.ts";
import type { Hooks } from "../hooks/hooks.ts";
import type { PersonHooks } from "../hooks/person-hooks.ts";
import { mayComplete, type TaskHooksDeps } from "../hooks/task-hooks.ts";
import type { AbortReason, Origin, Stored, Terminal } from "../journal/entry.ts";
import { type Abort, createAbort } from "../loop/abort.ts";
import type { RunEvent } from "../loop/run.ts";
import type { Command } from "../queue.ts";
import type { SessionMember } from "./member.ts";
import type { SessionEvent } from "./session.ts";

interface TurnDeps {
  readonly agent: Pick<Conversation, "run">;
  /** The seat of this moment: what it hears before a turn, and tells its team of one. */
  readonly seat: () =>
    | { isOver(): Promise<boolean>; hear(): Promise<readonly Stored[]>; note(event: SessionEvent): void }
    | undefined;
  readonly talk: Pick<PersonHooks, "flush">;
  /** Before the first turn of the process. */
  readonly begin: (signal: AbortSignal) => Promise<void>;
  /** Runs what the person typed for the shell. */
  readonly shell: (signal: AbortSignal) => Promise<void>;
  readonly onEvent: (event: SessionEvent) => void;
}

/** The turns of a session, one at a time. */
export interface Turns {
  /** Cuts the turn of this moment. */
  abort(reason: AbortReason): void;
  run(deps: TurnDeps, signal: AbortSignal | undefined): AsyncGenerator<RunEvent, Terminal | undefined>;
  /** Does this when no turn goes on; the next one waits for it, and `abort` cuts it too. */
  between<Result>(work: (signal: AbortSignal) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /**
   * Resolves when no turn goes on, or after this time: a reader that stopped in the middle holds
   * nothing up.
   */
  ended(graceMs: number): Promise<void>;
}

export function sessionTurns(): Turns {
  let turn: Abort = createAbort();
  let hasBegun = false;
  let running: Promise<unknown> = Promise.resolve();
  let pausing: Promise<unknown> = Promise.resolve();

  async function* run(
    { agent, seat, talk, begin, shell, onEvent }: TurnDeps,
    signal: AbortSignal | undefined,
  ): ReturnType<Turns["run"]> {
    let over = () => {};
    running = new Promise<void>((resolve) => {
      over = resolve;
    });
    await pausing;
    turn = createAbort(signal);
    const events = agent.run(turn.signal);
    const tell = (event: SessionEvent) => {
      onEvent(event);
      seat()?.note(event);
    };
    try {
      if (await seat()?.isOver()) return undefined;
      if (!hasBegun) {
        await begin(turn.signal);
        hasBegun = true;
      }
      await shell(turn.signal);
      const heard = (await seat()?.hear()) ?? [];
      talk.flush(heard.length > 0);
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
    between(work, signal) {
      const done = Promise.all([running, pausing]).then(() => {
        turn = createAbort(signal);
        return work(turn.signal);
      });
      pausing = done.catch(() => {});
      return done;
    },
    async ended(graceMs) {
      await Promise.race([Promise.all([running, pausing]), delay(graceMs, undefined, { ref: false })]);
    },
  };
}

export interface AttendanceDeps {
  /** A run of it begins with what waits for it. */
  readonly agent: Pick<Conversation, "run" | "tell" | "queue" | "journal">;
  readonly member: Pick<SessionMember, "arrival" | "ended">;
  readonly membership: Pick<
    Membership,
    "enter" | "offer" | "isLead" | "isLeaving" | "takeLeave" | "leadWatch" | "lead" | "self" | "team"
  >;
  /** The attendance of the membership, which rejects when the lead cannot be told. */
  readonly attending: Promise<void>;
  readonly hooks: Pick<Hooks, "fire">;
  /** Shows a hook's message, or its error, to the user. */
  readonly show: (message: string) => void;
  /**
   * Looks at what it leaves behind after a turn that was completed; what it says keeps the teammate
   * working.
   */
  readonly beforeIdle?: (() => Promise<string | undefined>) | undefined;
  /**
   * Told before it hears what may begin a turn, and when it has nothing to do and its lead knows.
   */
  readonly onState: (state: "working" | "idle") => Promise<void>;
  /** Ends the teammate. */
  readonly signal: AbortSignal;
}

/**
 * Times in a row that a teammate is kept from being idle: a hook that never lets go would cost for
 * ever.
 */
const maxKept = 8;

/**
 * A session as a member of a team: turn after turn while something waits, and idle until something
 * comes. The lead is told of every end of a turn, and after a crash once more. Returns how the last
 * turn ended, when the signal fires, when it has agreed to end, when a hook ends it or when its
 * lead is gone, which is shown; a turn that runs by then is not cut.
 */
export async function* attendTeam(deps: AttendanceDeps): AsyncGenerator<RunEvent | Terminal, Terminal | undefined> {
  const { agent, member, membership, attending, show, signal } = deps;
  const { leadWatch, isLeaving } = membership;
  await membership.enter();
  saysThatItAgreed(membership, show);
  let ended = agent.journal.state().ended;
  let untold = ended;
  let kept = 0;
  let loss: string | undefined;
  try {
    while (!signal.aborted && !isLeaving()) {
      loss = await leadWatch.loss();
      if (loss !== undefined) break;
      await deps.onState("working");
      const terminal = yield* agent.run(signal);
      if (terminal) {
        yield terminal;
        ended = terminal;
        untold = terminal;
      }
      if (isLeaving()) break;
      const { stops = false, words } = untold?.isOk && kept < maxKept ? await judgeIdleness(deps) : {};
      if (stops || signal.aborted) break;
      kept = words ? kept + 1 : 0;
      if (words) {
        agent.tell(words.text, { origin: words.origin });
        continue;
      }
      loss = await leadWatch.loss();
      if (loss !== undefined) break;
      if (untold) await Promise.race([member.ended(endOf(untold)), attending]);
      else await tellActive(membership, false);
      untold = undefined;
      await deps.onState("idle");
      await wake(deps);
    }
    if (loss !== undefined) show(loss);
    await tellActive(membership, false);
    return ended;
  } finally {
    await membership.takeLeave();
  }
}

/** True, and shown, for a member that has agreed to end: no turn of it begins any more. */
export function saysThatItAgreed(
  { self, lead, isLeaving }: Pick<Membership, "self" | "lead" | "isLeaving">,
  show: (message: string) => void,
): boolean {
  const isOver = isLeaving();
  if (isOver) show(agreedToEnd(self.name, lead));
  return isOver;
}

/**
 * Asks the hooks of TaskCompleted about what a member has begun and not completed; what they object
 * to is what it goes on with.
 */
export async function leftUndone(
  { self, ...deps }: TaskHooksDeps & { readonly self: Pick<Participant, "name" | "tasks"> },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { tasks } = await self.tasks.list();
  const open = tasks.filter(({ owner, status }) => owner === self.name && status === "in_progress");
  const objections: string[] = [];
  for (const task of open) {
    const verdict = await mayComplete(task, { ...deps, member: self.name }, signal);
    if (!verdict.completes) objections.push(`Task #${task.id}: ${verdict.because}`);
  }
  return objections.length === 0 ? undefined : objections.join("\n\n");
}

interface Idleness {
  /** The teammate ends here. */
  readonly stops?: boolean;
  /** It goes on with these. */
  readonly words?: { readonly text: string; readonly origin: Origin };
}

async function judgeIdleness({ beforeIdle, hooks, show, membership, signal }: AttendanceDeps): Promise<Idleness> {
  const left = await beforeIdle?.();
  if (left !== undefined) return { words: { text: left, origin: { kind: "hook", event: "TaskCompleted" } } };
  const event = "TeammateIdle";
  const { self, team } = membership;
  const fields = { teammate_name: self.name, team_name: team.name };
  const { block, context, stop, messages, errors } = await hooks.fire(event, fields, signal);
  for (const message of [...messages, ...errors]) show(message);
  if (stop) return { stops: true };
  const text = [...(block === undefined ? [] : [block]), ...context].join("\n\n");
  return text === "" ? {} : { words: { text, origin: { kind: "hook", event } } };
}

/** The end of a turn for the lead; one that was cut has not failed. */
function endOf(terminal: Terminal): TurnEnd {
  if (terminal.isOk || terminal.why === "aborted") return { text: terminal.text };
  const { why, failure, because, text } = terminal;
  const message = failure ? `${why} (${failure.kind}): ${failure.message}` : because ? `${because}. ${capped}` : why;
  return { text, failure: { why, message } };
}

const capped = "It does no more work until teammateCaps of the settings is raised and it is started anew.";

/**
 * Resolves when there is mail or a word for the agent, when its lead is gone, or when the teammate
 * is to end.
 */
async function wake({ agent, member, membership, attending, signal }: AttendanceDeps): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const isForIt = ({ agent: to }: Command) => to === undefined;
  const { leadWatch, offer } = membership;
  try {
    await Promise.race([
      member.arrival(either, offer),
      agent.queue.arrival(isForIt, either),
      leadWatch.gone(either),
      // A store that refuses this member lets no mail arrive any more.
      attending,
    ]);
  } catch (error) {
    // An inbox that went with its team cannot be used.
    if (!signal.aborted && (await leadWatch.loss()) === undefined) throw error;
  } finally {
    over.abort();
  }
}

import type { Decision, Question } from "./dialog.ts";
import { frame, noTail, resized, type Tail, wholeFrame } from "./frame.ts";
import { createPainter, type Look } from "./painter.ts";
import { type Effect, emptyState, isWorking, type Message, type State } from "./state.ts";
import { modeWords } from "./status-line.ts";
import { tailOf } from "./tail.ts";
import { openTty, type TtyDeps } from "./tty.ts";
import { styleOf, update } from "./update.ts";
import { viewOf } from "./view.ts";

/**
 * The screen of an interactive session: what happens goes in, and what the person wants comes out.
 */
export interface Screen {
  state(): State;
  dispatch(message: Message): void;
  /** Asks the person; undefined where they turn away, or the signal fires first. */
  ask(question: Question, signal: AbortSignal): Promise<Decision | undefined>;
  /** Resolves once no question takes the keyboard. */
  free(signal: AbortSignal): Promise<void>;
  /** Draws what is left, and gives the terminal back. */
  close(): void;
}

export interface ScreenDeps extends Pick<TtyDeps, "input" | "output"> {
  readonly look: Look;
  readonly now: () => number;
  readonly onEffect: (effect: Effect) => void;
}

/** How often the time that passes is looked at, while it is shown. */
const tickMs = 200;

export function openScreen({ input, output, look, now, onEffect }: ScreenDeps): Screen {
  const painter = createPainter(look);
  const answers = new Map<string, (decision: Decision | undefined) => void>();
  let waiting: (() => void)[] = [];
  let state = emptyState;
  let [tail, printed]: [Tail, number] = [noTail, 0];
  let whole: readonly string[] | undefined;
  let questions = 0;
  let isScheduled = false;
  let isClosed = false;
  /** The session is not the first of this screen; undefined before there was one. */
  let isLater: boolean | undefined;
  let wasWorking = false;
  /** The mode that was drawn last. */
  let mode = emptyState.status.mode;
  let ticking: NodeJS.Timeout | undefined;

  const tty = openTty({
    input,
    output,
    onKey: (key) => dispatch({ kind: "key", key, at: now() }),
    onGone: () => onEffect({ do: "leave" }),
    onSize() {
      const { columns, rows } = tty.size();
      if (!state.view) tail = resized(tail, columns);
      whole = whole && [];
      dispatch({ kind: "size", columns, rows });
    },
  });

  function dispatch(message: Message): void {
    if (message.kind === "opened") [printed, isLater] = isLater === undefined ? [printed, false] : [0, true];
    const updated = update(state, message);
    state = updated.state;
    for (const effect of updated.effects) perform(effect);
    if (state.dialogs.length === 0) {
      for (const resolve of waiting) resolve();
      waiting = [];
    }
    tick();
    schedule();
  }

  function perform(effect: Effect): void {
    if (effect.do === "decide") return void settle(effect.id, effect.decision);
    if (effect.do !== "redraw") return void onEffect(effect);
    tty.write("\x1b[2J\x1b[H");
    [tail, whole] = [{ ...noTail, lines: [] }, whole && []];
  }

  function settle(id: string, decision: Decision | undefined): void {
    const answer = answers.get(id);
    answers.delete(id);
    answer?.(decision);
  }

  /** Time is looked at only while it is shown. */
  function tick(): void {
    const isWanted = isWorking(state) || state.dialogs.some(({ isArmed }) => !isArmed);
    if (isWanted && ticking === undefined) ticking = setInterval(() => dispatch({ kind: "tick", at: now() }), tickMs);
    if (isWanted || ticking === undefined) return;
    clearInterval(ticking);
    ticking = undefined;
  }

  /**
   * All that happens in one round is drawn once, and not before the terminal has taken the last.
   */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    const drained = tty.drained();
    if (drained) void drained.then(draw);
    else setImmediate(draw);
  }

  function draw(): void {
    isScheduled = false;
    if (isClosed) return;
    tty.alternate(state.view !== undefined);
    if (state.view) {
      const { up, ...next } = viewOf(state, painter);
      state = { ...state, view: { ...state.view, up } };
      tty.write(wholeFrame(whole ?? [], next.lines, next.cursor));
      whole = next.lines;
      return;
    }
    whole = undefined;
    const finished = finishedLines();
    const next = tailOf(state, painter);
    tty.write(frame(tail, next, finished));
    tail = next;
  }

  /** What was added since the last drawing; it goes into the scrollback, and is not drawn again. */
  function finishedLines(): readonly string[] {
    const { talk, columns, mates } = state;
    const colorOf = (name: string) => mates.find((mate) => mate.name === name)?.color ?? styleOf(undefined);
    const fresh = talk.items.slice(printed);
    const gap = printed === 0 && isLater && fresh.length > 0 ? [""] : [];
    const lines = fresh.flatMap((item, at) =>
      painter.item(item, talk.items[printed + at - 1], columns, { isUnfolded: false, colorOf }),
    );
    printed = talk.items.length;
    const isBusy = isWorking(state);
    const told = look.isSpoken ? spoken(isBusy) : [];
    [wasWorking, mode] = [isBusy, state.status.mode];
    return [...gap, ...lines, ...told];
  }

  /** What others see at the foot of the screen, as it changes. */
  function spoken(isBusy: boolean): readonly string[] {
    const changed = state.status.mode === mode ? [] : [`Mode: ${modeWords(state.status.mode)}.`];
    return isBusy === wasWorking ? changed : [...changed, isBusy ? "Working." : "Done."];
  }

  dispatch({ kind: "size", ...tty.size() });

  return {
    state: () => state,
    dispatch,
    ask(question, signal) {
      const id = `q${++questions}`;
      if (signal.aborted) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const giveUp = () => {
          settle(id, undefined);
          dispatch({ kind: "settled", id });
        };
        signal.addEventListener("abort", giveUp, { once: true });
        answers.set(id, (decision) => {
          signal.removeEventListener("abort", giveUp);
          resolve(decision);
        });
        dispatch({ kind: "ask", id, question, at: now() });
      });
    },
    free: (signal) =>
      new Promise((resolve, reject) => {
        if (state.dialogs.length === 0) return resolve();
        waiting.push(resolve);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
    close() {
      clearInterval(ticking);
      isClosed = true;
      state = { ...state, view: undefined, dialogs: [], completion: undefined };
      tty.alternate(false);
      const finished = finishedLines();
      tty.write(frame(tail, { lines: [""], cursor: { row: 0, column: 0 } }, finished));
      tty.close();
    },
  };
}

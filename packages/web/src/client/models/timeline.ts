import type { MemberState, TimelineView } from "../../views.ts";

/** A stretch of time in a lane, in parts of the whole. */
interface Stretch {
  readonly left: number;
  readonly width: number;
  readonly state: MemberState;
  readonly from: string;
  readonly seconds: number;
}

interface Lane {
  readonly name: string;
  readonly stretches: readonly Stretch[];
  /** Seconds in each state. */
  readonly sums: Readonly<Partial<Record<MemberState, number>>>;
}

export interface Timeline {
  readonly lanes: readonly Lane[];
  readonly seconds: number;
  /** Moments along it, in parts of the whole. */
  readonly ticks: readonly { readonly left: number; readonly at: number }[];
}

const tickCount = 5;
/** So many parts of a lane can be told apart on a screen. */
const parts = 240;

/** Places what each member did between the first event and now. */
export function timelineOf({ from, to, lanes }: TimelineView, now: number): Timeline {
  const start = Date.parse(from ?? "") || now;
  const isOn = lanes.some(({ spans }) => spans.some((span) => span.to === null));
  const end = Math.max(start + 1, isOn ? now : Date.parse(to ?? "") || now);
  const whole = end - start;
  return {
    seconds: whole / 1_000,
    ticks: Array.from({ length: tickCount }, (_, at) => ({
      left: at / tickCount,
      at: start + (at * whole) / tickCount,
    })),
    lanes: lanes.map(({ name, spans }) => {
      const stretches = spans.map((span): Stretch => {
        const begun = Date.parse(span.from);
        const over = Math.max(begun, span.to === null ? end : Date.parse(span.to));
        const seconds = (over - begun) / 1_000;
        return {
          left: (begun - start) / whole,
          width: (over - begun) / whole,
          state: span.state,
          from: span.from,
          seconds,
        };
      });
      const sums: Partial<Record<MemberState, number>> = {};
      for (const { state, seconds } of stretches) sums[state] = (sums[state] ?? 0) + seconds;
      return { name, stretches: drawnOf(stretches), sums };
    }),
  };
}

/** Of stretches too short to be told apart the first is drawn; their sums count all. */
function drawnOf(stretches: readonly Stretch[]): readonly Stretch[] {
  let last = -1;
  return stretches.filter(({ left, width }) => {
    const part = Math.floor(left * parts);
    if (width * parts < 1 && part === last) return false;
    last = part;
    return true;
  });
}

import { shownShort } from "../plain.ts";
import { duration, outcomes, procName, type ShownCall, timesOf } from "./history.ts";
import { type Markup, markup } from "./markup.ts";

type TimedCall = ShownCall & { readonly call: number };

const maxBars = 2_000;
const [gutter, right, top, lane, bar] = [44, 48, 24, 30, 18];

/**
 * Draws processes as lanes and calls as bars; undefined if no two processes overlap or times are
 * unknown.
 */
export function timeline(calls: readonly ShownCall[]): Markup | undefined {
  const drawn = together(calls).slice(-maxBars);
  const lanes = [...new Set(drawn.toSorted((one, other) => laneOf(one) - laneOf(other)).map(procName))];
  if (lanes.length < 2) return undefined;
  const begin = Math.min(...drawn.map(({ call }) => call));
  const end = Math.max(begin + 0.001, ...drawn.map(({ call, ret = call }) => ret));
  const busiest = Math.max(...lanes.map((name) => drawn.filter((call) => procName(call) === name).length));
  const inner = Math.min(6_000, Math.max(860, busiest * 14));
  const [width, height] = [gutter + inner + right, top + lanes.length * lane + 6];
  const x = (time: number) => Math.round((gutter + ((time - begin) / (end - begin)) * inner) * 10) / 10;
  const y = (name: string) => top + lanes.indexOf(name) * lane;

  const bars = drawn.map((call) => {
    const [from, above] = [x(call.call), y(procName(call))];
    const length = Math.max(2, x(call.ret ?? end) - from);
    const word =
      call.op.length * 6.3 + 8 < length && markup`<text class="op" x="${from + 5}" y="${above + 19}">${call.op}</text>`;
    return markup`<g><title>${tooltip(call)}</title><rect class="${call.outcome}${call.isSuspect && " suspect"}" x="${from}" y="${above + 6}" width="${length}" height="${bar}" rx="2"/>${word}</g>`;
  });
  const names = lanes.map(
    (name) =>
      markup`<line class="lane" x1="${gutter}" x2="${width - right}" y1="${y(name) + 15}" y2="${y(name) + 15}"/><text class="name" x="0" y="${y(name) + 19}">${name}</text>`,
  );
  const marks = ticks(begin, end).map(
    (at) =>
      markup`<line class="tick" x1="${x(at)}" x2="${x(at)}" y1="${top - 4}" y2="${height}"/><text class="time" x="${x(at) + 3}" y="12">${duration(at)}</text>`,
  );
  const isPart = drawn.length < calls.length && markup`, of ${calls.length} calls in all`;
  const hasSuspect = drawn.some(({ isSuspect }) => isSuspect);
  const name = `${drawn.length} calls of ${lanes.length} processes in ${duration(end - begin)}`;
  return markup`<figure class="timeline"><figcaption>${name}${isPart} <span class="key ok">succeeded</span> <span class="key fail">refused</span> <span class="key info">cut off by a kill</span>${hasSuspect && markup` <span class="key suspect">nothing explains this</span>`}</figcaption><div class="scroll" tabindex="0"><svg role="img" aria-label="${name}" style="min-width:${width}px" viewBox="0 0 ${width} ${height}">${marks}${names}${bars}</svg></div></figure>`;
}

const laneOf = ({ proc = Number.POSITIVE_INFINITY }: ShownCall): number => proc;

/**
 * The time at which a second process takes part; earlier calls are set-up, start and end say
 * nothing.
 */
function together(calls: readonly ShownCall[]): readonly TimedCall[] {
  const timed = calls
    .filter((one): one is TimedCall => one.call !== undefined && one.op !== "hello" && one.op !== "bye")
    .toSorted((one, other) => one.call - other.call);
  const second = timed.find(({ proc }) => proc !== timed[0]?.proc);
  return second ? timed.filter(({ ret }) => ret === undefined || ret >= second.call) : [];
}

function tooltip(call: ShownCall): string {
  const said = call.reply === undefined ? "" : `\n${shownShort(call.reply, 300)}`;
  return `${procName(call)} ${call.op}, ${timesOf(call)}\n${shownShort(call.args, 300)}\n${outcomes[call.outcome]}${said}`;
}

/** Up to nine round moments. */
function ticks(begin: number, end: number): readonly number[] {
  const span = end - begin;
  const power = 10 ** Math.floor(Math.log10(span / 8));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= 8) ?? span;
  const first = Math.ceil(begin / step);
  return Array.from({ length: Math.floor(end / step) - first + 1 }, (_, index) => (first + index) * step);
}

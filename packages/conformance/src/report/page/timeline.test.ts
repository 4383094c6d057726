import { describe, expect, test } from "vitest";
import { elementTree, named, words } from "../../../test/element-tree.ts";
import { historyOf } from "./history.ts";
import { textOf } from "./markup.ts";
import { timeline } from "./timeline.ts";

const call = (proc: number, from: number, to: number | undefined, outcome = "ok", op = "task.claim") => ({
  proc,
  op,
  args: { id: "1" },
  call: from,
  ...(to !== undefined && { ret: to }),
  outcome,
  reply: { name: "conflict" },
});

const drawn = (history: readonly unknown[], next: readonly unknown[] = []) => {
  const made = timeline(historyOf({ history, next }));
  const tree = elementTree(made ? textOf(made) : "");
  const bars = named(tree, "g").map((group) => {
    const [rect] = named(group, "rect");
    const { x, y, width } = rect?.attributes ?? {};
    const place = { x: Number(x), y: Number(y), width: Number(width) };
    return { ...place, class: rect?.attributes["class"], title: named(group, "title")[0]?.text };
  });
  const texts = (kind: string) =>
    named(tree, "text").flatMap(({ text, attributes }) => (attributes["class"] === kind ? [text] : []));
  return { tree, bars, lanes: texts("name"), times: texts("time") };
};

test("each process has a lane, and each call a bar from its beginning to its end", () => {
  const { bars, lanes } = drawn([call(3, 1_025, 1_100), call(0, 1_000, 1_050), call(0, 1_050, 1_100, "fail")]);
  expect(lanes).toEqual(["p0", "p3"]);
  const [first, second, third] = bars;
  expect(first?.y).toBe(third?.y);
  expect(second?.y).toBeGreaterThan(first?.y ?? 0);
  expect((first?.x ?? 0) + (first?.width ?? 0)).toBeCloseTo(third?.x ?? 0);
  expect((second?.x ?? 0) - (first?.x ?? 0)).toBeCloseTo((first?.width ?? 0) / 2);
  expect(bars.map((bar) => bar.class)).toEqual(["ok", "ok", "fail"]);
  expect(drawn([call(3, 0, 5), call(1, 2, 6)]).lanes).toEqual(["p1", "p3"]);
});

test("a call that a kill cut off reaches to the end of the picture", () => {
  const [whole, cut] = drawn([call(0, 0, 100), call(1, 40, undefined, "info")]).bars;
  expect((cut?.x ?? 0) + (cut?.width ?? 0)).toBeCloseTo((whole?.x ?? 0) + (whole?.width ?? 0));
  expect(cut?.class).toBe("info");
  expect(cut?.title).toContain("never returned");
});

test("the tooltip of a bar tells the call, its arguments, its times and the answer", () => {
  const { bars } = drawn([call(0, 500, 512, "fail"), call(1, 510, 530)]);
  expect(bars[0]?.title).toBe('p0 task.claim, at 0 ms, took 12 ms\n{"id": "1"}\nrefused\n{"name": "conflict"}');
  expect(bars[1]?.title).toContain("at 10 ms, took 20 ms");
});

test("the timeline omits what one process does alone at first, and how processes start and end", () => {
  const hello = [call(0, 0, 400, "ok", "hello"), call(1, 520, 900, "ok", "hello")];
  const alone = [call(0, 410, 430, "ok", "team.create"), call(0, 430, 910, "ok", "task.list")];
  const { bars, tree, times } = drawn([...hello, ...alone, call(1, 905, 920), call(0, 911, 920)]);
  expect(bars.map(({ title }) => title?.split(",")[0])).toEqual(["p0 task.list", "p1 task.claim", "p0 task.claim"]);
  expect(words(tree)).toContain("3 calls of 2 processes");
  expect(words(tree)).toContain("of 6 calls in all");
  expect(times[0]).toBe("500 ms");
});

test("the timeline is not drawn without overlapping processes or without times", () => {
  expect(timeline(historyOf({ history: [call(0, 0, 1), call(0, 1, 2)] }))).toBeUndefined();
  const timeless = [0, 1, 0].map((proc) => ({ ...call(proc, 0, 0), call: undefined, ret: undefined }));
  expect(historyOf({ calls: timeless })).toHaveLength(3);
  expect(timeline(historyOf({ calls: timeless }))).toBeUndefined();
  expect(historyOf({ calls: timeless, next: timeless }).some(({ isSuspect }) => isSuspect)).toBe(false);
  expect(timeline(historyOf({ history: [call(0, 0, 1), call(1, 2, 3)] }))).toBeUndefined();
  expect(timeline([])).toBeUndefined();
});

describe("the axis", () => {
  test.each([
    [0.4, "0.1 ms"],
    [7, "1 ms"],
    [188, "50 ms"],
    [90_000, "20.0 s"],
  ])("a time axis of %f ms has round marks", (span, mark) => {
    const { times } = drawn([call(0, 10, 10 + span), call(1, 10, 10 + span / 2)]);
    expect(times[0]).toBe("0 ms");
    expect(times).toContain(mark);
    expect(times.length).toBeLessThanOrEqual(9);
  });
});

test("calls that nothing explains are marked, and what the suite saw has a lane of its own, the last", () => {
  const seen = { op: "observe", args: {}, call: 90, ret: 90, outcome: "ok" };
  const history = [call(0, 0, 50), call(1, 10, 60), call(1, 61, 80), seen];
  const { bars, tree, lanes } = drawn(history, [call(1, 10, 60), seen, { op: "x" }]);
  expect(bars.map((bar) => bar.class)).toEqual(["ok", "ok suspect", "ok", "ok suspect"]);
  expect(lanes).toEqual(["p0", "p1", "suite"]);
  expect(words(tree)).toContain("nothing explains this");
  expect(words(drawn(history).tree)).not.toContain("nothing explains");
});

test("evidence that is not a call is skipped, and an unknown outcome is shown as uncertain", () => {
  const odd = [null, "call", { proc: 0 }, [], { ...call(0, 0, 1), outcome: "?" }];
  expect(historyOf({ history: odd }).map(({ outcome }) => outcome)).toEqual(["info"]);
  expect(historyOf({ history: "none", calls: [call(2, 0, 1)] })).toHaveLength(1);
  expect(historyOf({})).toEqual([]);
});

test("the timeline of very many calls shows the last ones", () => {
  const { bars, tree } = drawn(Array.from({ length: 2_500 }, (_, index) => call(index % 8, index, index + 5)));
  expect(bars).toHaveLength(2_000);
  expect(bars[0]?.title).toMatch(/^p4 /);
  expect(words(tree)).toContain("of 2500 calls in all");
});

test("a single moment is still a picture", () => {
  const { bars } = drawn([call(0, 5, 5), call(1, 5, 5)]);
  expect(bars.length).toBe(2);
  expect(bars.every(({ x, width }) => Number.isFinite(x) && width >= 2)).toBe(true);
});

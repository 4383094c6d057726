import { beforeEach, describe, expect, test } from "vitest";
import { inputCost } from "./billing.ts";
import type { Ttl } from "./breakpoints.ts";
import { createPromptCache, type PromptCache } from "./prompt-cache.ts";

const minute = 60_000;
const minimumTokens = 1024;

let cache: PromptCache;
beforeEach(() => {
  cache = createPromptCache();
});

/**
 * "a:1000 b:500/5m" is two positions, the second marked. A position's hash is the line of names up
 * to it.
 */
function prefix(line: string) {
  const words = line.split(" ").map((word) => /^(\w+):(\d+)(?:\/(5m|1h))?$/.exec(word) ?? []);
  const names = words.map(([, name]) => name);
  const positions = words.map(([, name, tokens], n) => ({
    path: String(name),
    type: "text",
    tokens: Number(tokens),
    hash: names.slice(0, n + 1).join(" "),
    canBeMarked: true,
  }));
  const breakpoints = words.flatMap(([, , , ttl], index) => (ttl === undefined ? [] : [{ index, ttl: ttl as Ttl }]));
  return { positions, breakpoints, minimumTokens };
}

const bill = (line: string, at: number) => {
  const { read, write5m, write1h, input } = cache.look(prefix(line), at);
  return { read, write5m, write1h, input };
};

/** A request whose answer begins at once. */
function send(line: string, at = 0) {
  const charge = cache.look(prefix(line), at);
  cache.refresh(charge);
  cache.write(charge);
  const { read, write5m, write1h, input } = charge;
  return { read, write5m, write1h, input };
}

describe("the charge of a request equals the one computed by hand", () => {
  test("the first writes up to its mark, the same again reads up to it", () => {
    // 2000 + 500 are marked, 300 follow.
    expect(send("a:2000 b:500/5m c:300")).toEqual({ read: 0, write5m: 2500, write1h: 0, input: 300 });
    expect(send("a:2000 b:500/5m c:300")).toEqual({ read: 2500, write5m: 0, write1h: 0, input: 300 });
  });

  test("a longer conversation reads the old and writes what it adds", () => {
    send("a:2000 b:500/5m");
    // 2500 are there; c and d add 40 + 60 up to the mark, e is 7.
    expect(send("a:2000 b:500 c:40 d:60/5m e:7")).toEqual({ read: 2500, write5m: 100, write1h: 0, input: 7 });
  });

  test("a prefix with one other position in it shares nothing behind it", () => {
    send("a:2000/5m b:500/5m");
    // a is an entry of its own: 2000. x and c, 500 + 100, are written.
    expect(send("a:2000/5m x:500 c:100/5m")).toEqual({ read: 2000, write5m: 600, write1h: 0, input: 0 });
  });

  test("an entry is read only where a request is marked at or behind it", () => {
    send("a:2000 b:500/5m");
    expect(bill("a:2000 b:500 c:10", 1)).toEqual({ read: 0, write5m: 0, write1h: 0, input: 2510 });
    // The mark stands before the only entry.
    expect(bill("a:2000/5m b:500", 1)).toEqual({ read: 0, write5m: 2000, write1h: 0, input: 500 });
  });

  test("below the minimum length nothing is written, and nobody is told", () => {
    expect(send("a:1000 b:23/5m")).toEqual({ read: 0, write5m: 0, write1h: 0, input: 1023 });
    expect(send("a:1000 b:23/5m")).toEqual({ read: 0, write5m: 0, write1h: 0, input: 1023 });
    expect(send("a:1000 b:24/5m")).toEqual({ read: 0, write5m: 1024, write1h: 0, input: 0 });
  });

  test("A is read, up to B is written for an hour, up to C for five minutes", () => {
    send("a:2000/5m");
    // A = 2000. B = 2000 + 300. C = 2300 + 50. 8 follow.
    const line = "a:2000 b:300/1h c:50/5m d:8";
    expect(send(line)).toEqual({ read: 2000, write1h: 300, write5m: 50, input: 8 });
    // Again: A is the end of c.
    expect(send(line, 1)).toEqual({ read: 2350, write1h: 0, write5m: 0, input: 8 });
    // Ten minutes later only the hour's entry is left: A = 2300, and c is written anew.
    expect(send(line, 10 * minute)).toEqual({ read: 2300, write1h: 0, write5m: 50, input: 8 });
  });
});

describe("the lookback", () => {
  const steps = (count: number) => Array.from({ length: count }, (_, n) => `s${n}:10`).join(" ");

  test.each([
    // The mark is position 1 of its window. 18 steps and the mark: the entry is the 20th and is
    // found.
    [18, { read: 2000, write5m: 190, write1h: 0, input: 0 }],
    // 19 steps and the mark: it would be the 21st. All 2000 + 190 + 10 are written again.
    [19, { read: 0, write5m: 2200, write1h: 0, input: 0 }],
  ])("sees an entry behind %d positions, or does not", (count, expected) => {
    send("a:2000/5m");
    expect(send(`a:2000 ${steps(count)} end:10/5m`)).toEqual(expected);
  });

  test("opens a window for each mark: one kept on the last written position springs the trap", () => {
    send("a:2000/5m");
    expect(send(`a:2000/5m ${steps(30)} end:10/5m`)).toEqual({ read: 2000, write5m: 310, write1h: 0, input: 0 });
  });

  test.each([
    [8, 2000],
    [9, 0],
  ])("finds the parent from a fork with one mark at its end, launched with %d others or not", (forks, read) => {
    // Behind the parent: a thought, a text, N calls, N results and the directive: 3 + 2N positions.
    // 2·8 + 3 = 19 and the parent is the 20th; with 9 it is the 22nd.
    send("parent:2000/5m");
    expect(send(`parent:2000 ${steps(2 + 2 * forks)} directive:10/5m`)).toMatchObject({ read });
  });
});

test.each([
  // r(P + a) + d a fork, with P = 50000, a = 1400 and d = 1000: 5140 + 1000, 2570 + 1000, 1285 +
  // 1000.
  [0.1, 5 * 6140],
  [0.05, 5 * 3570],
  [0.025, 5 * 2285],
])("at a read price of %d, five forks behind a parent that went on first cost the limit", (readMultiplier, limit) => {
  send("parent:50000/5m");
  expect(send("parent:50000/5m shared:1400/5m own:9")).toEqual({ read: 50_000, write5m: 1400, write1h: 0, input: 9 });
  const forks = [1, 2, 3, 4, 5].map((n) => send(`parent:50000/5m shared:1400/5m directive${n}:1000`));
  expect(forks.reduce((sum, fork) => sum + inputCost(fork, { readMultiplier }), 0)).toBeCloseTo(limit, 6);
});

describe("an entry", () => {
  test("a cache entry does not exist before the answer begins: an earlier request misses and pays", () => {
    const line = "a:2000/5m b:10";
    const [first, second] = [cache.look(prefix(line), 0), cache.look(prefix(line), 1)];
    expect([first.write5m, second.write5m]).toEqual([2000, 2000]);
    cache.write(first);
    expect(bill(line, 300)).toMatchObject({ read: 2000 });
  });

  test.each([
    ["5m", 5 * minute],
    ["1h", 60 * minute],
  ])("a cache entry of %s expires that long after the start of the request that wrote it", (ttl, lifetime) => {
    const charge = cache.look(prefix(`a:2000/${ttl}`), 1000);
    cache.write(charge);
    expect(bill("a:2000/5m", 1000 + lifetime - 1)).toMatchObject({ read: 2000 });
    expect(bill("a:2000/5m", 1000 + lifetime)).toMatchObject({ read: 0 });
  });

  test("lives on from the start of a request that reads it, and so do those before it", () => {
    send("a:2000/5m b:100/5m");
    // Read at minute 4, over b alone; both live until minute 9.
    send("a:2000 b:100/5m c:1", 4 * minute);
    expect(bill("a:2000 b:100/5m", 9 * minute - 1)).toMatchObject({ read: 2100 });
    expect(bill("a:2000/5m x:1", 9 * minute - 1)).toMatchObject({ read: 2000 });
    expect(bill("a:2000/5m b:100/5m", 9 * minute)).toMatchObject({ read: 0 });
  });

  test("a mark before the cached prefix that is read creates no cache entry", () => {
    send("a:2000 b:100/5m");
    expect(send("a:2000/5m b:100/5m")).toMatchObject({ read: 2100, write5m: 0 });
    expect(bill("a:2000/5m x:1", 1)).toMatchObject({ read: 0 });
  });

  test("a refused request does not renew a cache entry", () => {
    send("a:2000/5m");
    cache.look(prefix("a:2000/5m"), 4 * minute);
    expect(bill("a:2000/5m", 5 * minute)).toMatchObject({ read: 0 });
  });

  test("a one-hour cache entry stays one when a five-minute mark reads or writes it", () => {
    const [long, short] = [cache.look(prefix("a:2000/1h"), 0), cache.look(prefix("a:2000/5m"), 0)];
    cache.write(long);
    cache.write(short);
    send("a:2000/5m", 1);
    expect(bill("a:2000/5m", 60 * minute)).toMatchObject({ read: 2000 });
  });
});

import { nameKey } from "@troupe/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Handshake, LedgerEntry, Outcome } from "./entry.ts";
import { emptyLedger, exchangeOf, foldLedger, type LedgerState } from "./fold.ts";
import { stillNeeded } from "./needed.ts";

const names = ["alice", "Alice", "bob"];
const ids = ["1", "2", "3"];
const keys = ["k1", "k2", "k3", "k4"];
const handshakes = ["permission", "plan", "shutdown"] as const;
const stamp = { at: "2026-02-13T10:10:53.467Z", id: "x" };

const id = fc.constantFrom(...ids);
const name = fc.constantFrom(...names);
const handshake = fc.constantFrom<Handshake>(...handshakes);
const outcome: fc.Arbitrary<Outcome> = fc.record({
  handshake,
  id,
  result: fc.constantFrom("allowed", "denied", "given_up"),
});
const opening = fc.record({ handshake, id, request: fc.constantFrom(undefined, { long: "input" }) });
const body = { type: "shutdown_request", requestId: "1", from: "a", reason: "", timestamp: stamp.at } as const;
const entry: fc.Arbitrary<LedgerEntry> = fc.oneof(
  fc.record({
    kind: fc.constant("joined" as const),
    team: fc.constant("crew"),
    createdAt: fc.nat(1),
    name: fc.constant("alice"),
    lead: fc.constant("lead"),
  }),
  fc.constant({ kind: "left" as const }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("delivered" as const),
      key: fc.constantFrom(...keys),
      from: name,
      opens: fc.option(opening, { nil: undefined }),
      settles: fc.option(outcome, { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("asked" as const), handshake, id, to: name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("settled" as const), outcome }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("decided" as const),
      handshake,
      id,
      to: name,
      result: fc.constantFrom("allowed" as const, "denied" as const),
      body: fc.constant(body),
      stamp: fc.constant(stamp),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("answered" as const), handshake, id, to: name }) },
);
const history = fc.array(entry, { maxLength: 40, size: "max" });

const foldOf = (entries: readonly LedgerEntry[]): LedgerState => entries.reduce(foldLedger, emptyLedger);
/** What can be compared of it. */
const shown = ({ delivered, ...rest }: LedgerState) => ({
  ...rest,
  delivered: keys.filter((key) => delivered.has(key)),
  size: delivered.size,
});

type Of<Kind extends LedgerEntry["kind"]> = Extract<LedgerEntry, { kind: Kind }>;
const isOf =
  <Kind extends LedgerEntry["kind"]>(kind: Kind) =>
  (one: LedgerEntry): one is Of<Kind> =>
    one.kind === kind;

/** What belongs to the membership that lasts: behind what made it another one. */
function current(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  let begin = 0;
  let member: Of<"joined"> | undefined;
  let isOver = false;
  for (const [at, one] of entries.entries()) {
    if (one.kind === "left") isOver = true;
    if (one.kind !== "joined") continue;
    if ((member && member.createdAt !== one.createdAt) || isOver) begin = at;
    if (begin === at || !member) member = one;
    isOver = false;
  }
  return entries.slice(begin);
}

/** The outcomes of own requests that were told of, each behind its request, in their order. */
const outcomesOf = (entries: readonly LedgerEntry[], asked: Of<"asked">): readonly Outcome[] =>
  entries
    .slice(entries.indexOf(asked))
    .flatMap((one) => (one.kind === "settled" ? [one.outcome] : one.kind === "delivered" ? [one.settles] : []))
    .filter((one) => one !== undefined)
    .filter((one) => one.id === asked.id && one.handshake === asked.handshake);

test("what a member knows of its own requests is the first outcome of each, and of a plan an approval behind a rejection", () => {
  fc.assert(
    fc.property(history, (entries) => {
      const now = current(entries);
      const { asked, delivered, hasLeft } = foldOf(entries);
      const requests = now.filter(isOf("asked"));
      const firsts = requests.filter((one) => requests.find((other) => other.id === one.id) === one);
      expect([...asked.keys()]).toEqual(firsts.map((one) => one.id));
      for (const one of firsts) {
        const [first, ...later] = outcomesOf(now, one);
        const approval = one.handshake === "plan" && later.find(({ result }) => result === "allowed");
        expect(asked.get(one.id)?.outcome).toEqual(first?.result === "denied" && approval ? approval : first);
        const isLate = first?.result === "given_up" && later.some(({ result }) => result !== "given_up");
        expect(asked.get(one.id)?.isLate ?? false).toBe(isLate);
      }
      const told = new Set(now.filter(isOf("delivered")).map(({ key }) => key));
      expect(delivered.size).toBe(told.size);
      for (const key of keys) expect(delivered.has(key)).toBe(told.has(key));
      expect(hasLeft).toBe(now.some(({ kind }) => kind === "left"));
    }),
    { numRuns: 500 },
  );
});

/** What was decided about one request in the end, and when final answers to it were sent. */
function decisionOf(entries: readonly LedgerEntry[], to: string, id: string) {
  let last: Of<"decided"> | undefined;
  let isSent = false;
  const finals: number[] = [];
  for (const [at, entry] of entries.entries()) {
    if (entry.kind !== "decided" && entry.kind !== "answered") continue;
    if (exchangeOf(entry.to, entry.id) !== exchangeOf(to, id)) continue;
    const mayChange = last?.handshake === "plan" && last.result === "denied";
    if (entry.kind === "decided" && (!isSent || mayChange)) [last, isSent] = [entry, false];
    else if (entry.kind === "answered" && last) {
      if (!isSent && !mayChange) finals.push(at);
      isSent = true;
    }
  }
  return { last, isSent, finals };
}

test("what a member decided is sent in the bytes of its decision until it is answered, and is decided once but for a plan that was sent back", () => {
  fc.assert(
    fc.property(history, (entries) => {
      const now = current(entries);
      const { decided } = foldOf(entries);
      for (const [to, one] of names.flatMap((to) => ids.map((id) => [to, id] as const))) {
        const { last, isSent } = decisionOf(now, to, one);
        const found = decided.get(exchangeOf(to, one));
        expect(found && { result: found.result, isSent: found.isSent }).toEqual(
          last && { result: last.result, isSent },
        );
        expect(found !== undefined && "body" in found).toBe(last !== undefined && !isSent);
      }
    }),
    { numRuns: 500 },
  );
});

test("a request of another waits until a final answer to it was sent, and a plan until its author hands in another", () => {
  fc.assert(
    fc.property(history, (entries) => {
      const now = current(entries);
      const { open } = foldOf(entries);
      for (const [from, one] of names.flatMap((from) => ids.map((id) => [from, id] as const))) {
        const isOwn = (entry: LedgerEntry): entry is Of<"delivered"> =>
          entry.kind === "delivered" && entry.opens !== undefined && nameKey(entry.from) === nameKey(from);
        const at = now.findLastIndex((entry) => isOwn(entry) && entry.opens?.id === one);
        const opens = at < 0 ? undefined : (now[at] as Of<"delivered">).opens;
        const isReplaced =
          opens?.handshake === "plan" &&
          now.slice(at + 1).some((entry) => isOwn(entry) && entry.opens?.handshake === "plan");
        const isClosed = decisionOf(now, from, one).finals.some((final) => final > at);
        expect(open.get(exchangeOf(from, one))?.handshake).toBe(isReplaced || isClosed ? undefined : opens?.handshake);
      }
    }),
    { numRuns: 500 },
  );
});

test("an entry that is appended again after a crash changes nothing", () => {
  fc.assert(
    fc.property(history, entry, (entries, last) => {
      const once = foldOf([...entries, last]);
      expect(shown(foldLedger(once, last))).toEqual(shown(once));
    }),
    { numRuns: 500 },
  );
});

test("what is still needed of any entries folds as all of them do, and is needed still", () => {
  fc.assert(
    fc.property(history, history, (entries, later) => {
      const needed = stillNeeded(entries);
      expect(shown(foldOf(needed))).toEqual(shown(foldOf(entries)));
      expect(shown(foldOf([...needed, ...later]))).toEqual(shown(foldOf([...entries, ...later])));
      expect(stillNeeded(needed)).toEqual(needed);
    }),
    { numRuns: 500 },
  );
});

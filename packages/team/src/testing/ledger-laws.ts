import assert from "node:assert/strict";
import { type DefineTest, judge, type Law } from "@troupe/store/testing";
import type { LedgerEntry } from "../ledger/entry.ts";
import { emptyLedger, foldLedger, type LedgerState } from "../ledger/fold.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** A place for ledgers that is judged, with data of its own. */
export interface LedgerEngine {
  /** The ledger, as the process after the last one opens it. */
  open(): Promise<Ledger>;
  /** Ends the process that has it open, in a moment when it is not writing. */
  kill(): Promise<void>;
  /** Ends it in the middle of writing one more entry; undefined where an entry cannot be torn. */
  readonly tear?: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

const stamp = { at: "2026-02-13T10:10:53.467Z", id: "8c6f2f7e-6a0f-4a8e-9f0a-2d6f1f8f4e11" };
const body = { type: "shutdown_approved", requestId: "s1", from: "alice", timestamp: stamp.at } as const;
const joined = { kind: "joined", team: "crew", createdAt: 1, name: "alice", lead: "team-lead" } as const;

/** Each kind of entry, with what it may hold. */
const everything: readonly LedgerEntry[] = [
  joined,
  { kind: "delivered", key: "k1", from: "bob" },
  { kind: "asked", handshake: "permission", id: "p1", to: "team-lead" },
  { kind: "settled", outcome: { handshake: "permission", id: "p1", result: "given_up" } },
  {
    kind: "delivered",
    key: "k2",
    from: "team-lead",
    settles: { handshake: "permission", id: "p1", result: "allowed", why: "late" },
  },
  { kind: "asked", handshake: "plan", id: "plan1", to: "team-lead", digest: "d" },
  {
    kind: "delivered",
    key: "k3",
    from: "team-lead",
    settles: { handshake: "plan", id: "plan1", result: "allowed", mode: "acceptEdits" },
  },
  { kind: "delivered", key: "k4 \u2028\n", from: "team-lead", opens: { handshake: "shutdown", id: "s1" } },
  { kind: "decided", handshake: "shutdown", id: "s1", to: "team-lead", result: "allowed", body, stamp },
  { kind: "answered", handshake: "shutdown", id: "s1", to: "team-lead" },
  { kind: "decided", handshake: "permission", id: "p9", to: "bob", result: "denied", body, stamp },
];

const foldOf = (entries: readonly LedgerEntry[]): LedgerState => entries.reduce(foldLedger, emptyLedger);

/** Fails where two ledgers do not know the same; of these keys. */
function assertSame(found: LedgerState, wanted: LedgerState): void {
  const { delivered, ...rest } = found;
  const { delivered: keys, ...others } = wanted;
  assert.deepEqual(rest, others);
  assert.equal(delivered.size, keys.size, "so many messages were delivered");
  for (const key of ["k1", "k2", "k3", "k4 \u2028\n"]) assert.equal(delivered.has(key), keys.has(key), key);
}

/** What any ledger must keep to. */
export const ledgerLaws: readonly Law<LedgerEngine>[] = [
  {
    name: "a ledger knows the fold of what was appended, from each append on",
    async holds({ open }) {
      const ledger = await open();
      assertSame(ledger.state(), emptyLedger);
      for (const [at, entry] of everything.entries()) {
        ledger.append(entry);
        assertSame(ledger.state(), foldOf(everything.slice(0, at + 1)));
      }
    },
  },
  {
    name: "what was appended is known after a kill, whatever came last",
    async holds({ open, kill }) {
      for (const [at, entry] of everything.entries()) {
        const ledger = await open();
        assertSame(ledger.state(), foldOf(everything.slice(0, at)));
        ledger.append(entry);
        await kill();
      }
      assertSame((await open()).state(), foldOf(everything));
    },
  },
  {
    name: "an entry that broke off with its process hides none before it and none behind it",
    async holds({ open, kill, tear = kill }) {
      for (const entry of everything) {
        (await open()).append(entry);
        await tear();
      }
      assertSame((await open()).state(), foldOf(everything));
    },
  },
  {
    name: "a team of the same name that was made later begins with an empty ledger",
    async holds({ open, kill }) {
      const before = await open();
      for (const entry of everything) before.append(entry);
      before.append({ ...joined, createdAt: 2 });
      const empty = foldOf([{ ...joined, createdAt: 2 }]);
      assertSame(before.state(), empty);
      await kill();
      const after = await open();
      assertSame(after.state(), empty);
      after.append({ kind: "left" });
      after.append({ ...joined, createdAt: 2 });
      assertSame(after.state(), empty);
    },
  },
  {
    name: "what a ledger knew is not changed by what it learns",
    async holds({ open }) {
      const ledger = await open();
      const known = everything.map((entry) => {
        ledger.append(entry);
        return ledger.state();
      });
      for (const [at, state] of known.entries()) assertSame(state, foldOf(everything.slice(0, at + 1)));
    },
  },
];

export interface JudgeLedgerDeps {
  readonly test: DefineTest;
  /** A place with no data yet; called once a test. */
  readonly engine: () => Promise<LedgerEngine>;
}

/** A test for every law. */
export function judgeLedger({ test, engine }: JudgeLedgerDeps): void {
  for (const law of ledgerLaws) test(law.name, async () => judge(law, await engine()));
}

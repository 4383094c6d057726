import { appendFileSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { scratch } from "../../test/crew.ts";
import { judgeLedger, type LedgerEngine } from "../testing/index.ts";
import type { LedgerEntry } from "./entry.ts";
import { type LedgerFile, openLedgerFile } from "./file.ts";

const joined = { kind: "joined", team: "crew", createdAt: 1, name: "alice", lead: "team-lead" } as const;
const delivered = (key: string): LedgerEntry => ({ kind: "delivered", key, from: "bob" });
const pathOf = () => join(scratch(), "ledgers", "alice.jsonl");

/** The lock of a process that was killed is taken over once it has not been renewed for long. */
const forget = (path: string) => utimesSync(`${path}.lock`, 0, 0);

async function open(path: string): Promise<LedgerFile> {
  const ledger = await openLedgerFile({ path });
  onTestFinished(() => ledger.close());
  return ledger;
}

async function files(): Promise<LedgerEngine> {
  const path = pathOf();
  const kill = async () => forget(path);
  return {
    open: () => open(path),
    kill,
    async tear() {
      appendFileSync(path, '{"kind":"delivered","key":"torn');
      await kill();
    },
    close: async () => {},
  };
}

describe("a ledger in a file:", () => judgeLedger({ test, engine: files }));

test("a ledger file is open in one process at a time, and one that was stopped until another took it over writes nothing more", async () => {
  const path = pathOf();
  const first = await open(path);
  await expect(openLedgerFile({ path, limits: { deadlineMs: 50, staleMs: 10_000 } })).rejects.toMatchObject({
    code: "lock_unavailable",
  });
  forget(path);
  const second = await open(path);
  second.append(joined);
  expect(() => first.append(delivered("k1"))).toThrow(expect.objectContaining({ code: "lock_lost" }));
  first.close();
  second.append(delivered("k2"));
  second.close();
  expect((await open(path)).state().delivered).toMatchObject({ size: 1 });
});

test("a ledger file that is mostly old is rewritten when it is opened, and knows what it knew", async () => {
  const path = pathOf();
  const old = [joined, ...Array.from({ length: 2_000 }, (_, n) => delivered(`${n}`))];
  const now = [{ ...joined, createdAt: 2 }, delivered("k1")];
  const lines = (entries: readonly LedgerEntry[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  (await open(path)).close();
  writeFileSync(path, `${lines([...old, ...now])}{"torn`);
  const ledger = await open(path);
  expect(ledger.problems).toHaveLength(1);
  ledger.close();
  expect(statSync(path).size).toBeGreaterThan(64 * 1024);
  writeFileSync(path, lines([...old, ...now]));
  const rewritten = await open(path);
  expect(readFileSync(path, "utf8")).toBe(lines(now));
  expect(rewritten.state()).toMatchObject({ membership: now[0], delivered: { size: 1 } });
  rewritten.append(delivered("k2"));
  rewritten.close();
  expect(readFileSync(path, "utf8")).toBe(lines([...now, delivered("k2")]));
});

test("a line of a ledger file that cannot be read is named, hides no other and stays", async () => {
  const path = pathOf();
  const first = await open(path);
  first.append(joined);
  first.close();
  appendFileSync(path, '{"kind":"delivered","key":1}\n');
  const ledger = await open(path);
  expect(ledger.problems).toEqual([`${path}:2 is no entry of a ledger`]);
  ledger.append(delivered("k1"));
  expect(ledger.state()).toMatchObject({ membership: joined, delivered: { size: 1 } });
  ledger.close();
  expect(() => ledger.append(delivered("k2"))).toThrow(/is closed/);
  expect(readFileSync(path, "utf8")).toContain('"key":1}');
});

test("a ledger whose place cannot be used says which file it is", async () => {
  const path = join(scratch(), "a file", "alice.jsonl");
  writeFileSync(join(path, ".."), "");
  await expect(openLedgerFile({ path })).rejects.toMatchObject({ code: "document_unwritable" });
});

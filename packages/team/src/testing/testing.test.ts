import { openFileStore } from "@troupe/store/files";
import { judge } from "@troupe/store/testing";
import { describe, expect, test } from "vitest";
import { scratch } from "../../test/crew.ts";
import { backendFaults, faultyLedger, ledgerFaults } from "../../test/ledger-faults.ts";
import { faultyMember, memberFaults } from "../../test/member-faults.ts";
import type { LedgerEntry } from "../ledger/entry.ts";
import {
  acpDouble,
  backendDouble,
  backendLaws,
  judgeBackend,
  judgeLaw,
  judgeLedger,
  judgeMember,
  type LedgerEngine,
  ledgerLaws,
  mcpDouble,
  memberLaws,
  memoryLedger,
  personDouble,
  processDouble,
  sessionDouble,
} from "./index.ts";

const doubles = { sessionDouble, acpDouble, mcpDouble, personDouble, processDouble };
const store = async () => openFileStore({ root: scratch() });

describe.for(Object.entries(doubles))("%s:", ([, engine]) => judgeMember({ test, engine, store }));

describe("backendDouble:", () => judgeBackend({ test, engine: async () => backendDouble() }));

describe("memoryLedger:", () => {
  const engine = async (): Promise<LedgerEngine> => {
    const entries: LedgerEntry[] = [];
    return { open: async () => memoryLedger(entries), kill: async () => {}, close: async () => {} };
  };
  judgeLedger({ test, engine });
});

/** What never comes under a fault is waited for no longer than this. */
const limitMs = 500;

function named<Law extends { readonly name: string }>(laws: readonly Law[], part: string): Law {
  const law = laws.find(({ name }) => name.includes(part));
  if (!law) throw new Error(`there is no law ${part}`);
  return law;
}

test.for(Object.entries(memberFaults))("a member is found out where %s", async ([, [part, engine, fault]]) => {
  const judged = judgeLaw(named(memberLaws, part), faultyMember(engine(), fault), await store(), "2026-11", limitMs);
  await expect(judged).rejects.toThrow();
});

test.for(Object.entries(ledgerFaults))("a ledger is found out where %s", async ([, [part, fault]]) => {
  await expect(judge(named(ledgerLaws, part), faultyLedger(fault))).rejects.toThrow();
});

test.for(Object.entries(backendFaults))("a backend is found out where %s", async ([, [part, fault]]) => {
  const engine = backendDouble();
  const open = async () => {
    const backend = await engine.open();
    return { ...backend, ...fault(backend) };
  };
  await expect(judge(named(backendLaws, part), { ...engine, open }, limitMs)).rejects.toThrow();
});

test("for every law there is a fault that breaks it", () => {
  const faults = { ...memberFaults, ...ledgerFaults, ...backendFaults };
  const parts = Object.values(faults).map(([part]) => part);
  const laws = [...memberLaws, ...ledgerLaws, ...backendLaws].map(({ name }) => name);
  expect(laws.filter((name) => !parts.some((part) => name.includes(part)))).toEqual([]);
});

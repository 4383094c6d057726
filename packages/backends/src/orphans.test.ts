import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { goneLead, isAlive, onStage, signal, specOf } from "../test/process-stage.ts";
import { openOrphans } from "./orphans.ts";
import { openRecords } from "./records.ts";

async function annOnStage() {
  const { directory, open, pidOf } = onStage();
  await open().spawn(specOf("ann"), signal);
  const records = openRecords(directory);
  const amend = (patch: object) => records.all().records.map((record) => records.amend(record, patch))[0];
  const orphans = openOrphans({ records: directory, environment: process.env });
  return { directory, amend, orphans, isRunning: () => isAlive(pidOf(specOf("ann"))) };
}

test("a teammate whose lead lives is no orphan; one whose lead has ended is, and runs until it is ended with its files", async () => {
  const { directory, amend, orphans, isRunning } = await annOnStage();
  expect(await orphans.find()).toEqual({ orphans: [], problems: [] });
  const record = amend({ lead: goneLead });
  const found = await orphans.find();
  expect(found).toMatchObject({ orphans: [{ record, isRunning: true }], problems: [] });
  expect(await isRunning()).toBe(true);
  for (const one of found.orphans) expect(await orphans.end(one)).toBe(true);
  expect([await isRunning(), readdirSync(directory)]).toEqual([false, []]);
});

test("an orphan that a lead has taken over since it was found is left alone", async () => {
  const { amend, orphans, isRunning } = await annOnStage();
  const mine = amend({})?.lead;
  amend({ lead: goneLead });
  const found = await orphans.find();
  amend({ lead: mine });
  for (const one of found.orphans) expect(await orphans.end(one)).toBe(false);
  expect([found.orphans.length, await isRunning()]).toEqual([1, true]);
});

test("a record that cannot be read is a problem and no orphan", async () => {
  const { directory, orphans } = await annOnStage();
  writeFileSync(join(directory, "0123456789abcdef.json"), "{", { mode: 0o600 });
  expect(await orphans.find()).toEqual({ orphans: [], problems: [expect.stringContaining("0123456789abcdef.json")] });
});

import { revisions } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { faulty, filesIn } from "../../test/engines.ts";
import { memberFaults } from "../../test/member-faults.ts";
import { test } from "../../test/scratch.ts";
import { taskFaults } from "../../test/task-faults.ts";
import { judgeLaw, storeLaws } from "./index.ts";

const faults = { ...memberFaults, ...taskFaults };

describe.each(revisions)("files of %s", (revision) => {
  test.for(storeLaws.map((law) => [law.name, law] as const))("%s", ([, law], { root }) =>
    judgeLaw(law, filesIn(root), revision),
  );
});

test.for(Object.entries(faults))("an engine is found out in which %s", async ([, [name, fault]], { root }) => {
  const law = storeLaws.find((one) => one.name.includes(name));
  if (!law) throw new Error(`there is no law ${name}`);
  // Under a fault, an event that never comes is waited for no longer than this.
  const limitMs = /misses no change|is closed|is woken/.test(name) ? 1_000 : undefined;
  await expect(judgeLaw(law, faulty(root, fault), "2026-11", limitMs)).rejects.toThrow();
});

test("for every law there is an engine that breaks it", () => {
  const broken = Object.values(faults).map(([name]) => name);
  const unbroken = storeLaws.filter((law) => !broken.some((name) => law.name.includes(name)));
  expect(unbroken.map(({ name }) => name)).toEqual([
    "of changes of different members at once none is lost",
    "equal messages have keys of their own, also after one of them was acknowledged",
  ]);
});

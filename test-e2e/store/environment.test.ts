import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { layoutOf } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { operations, prepare } from "./operations.mjs";
import { atATime, test } from "./processes.ts";
import { differing, endIn, look, startOne } from "./scenes.ts";

const revision = "2026-11";
const staleMs = 250;
const nobody = 65_534;
const all = Object.keys(operations).filter((operation) => !operation.includes("other"));

/** A copy of a prepared team for each operation. */
async function copies(root: string, names: readonly string[]): Promise<Map<string, string>> {
  const prepared = join(root, "prepared");
  await prepare(prepared, revision);
  const copyOf = (name: string): [string, string] => [name, join(root, name)];
  const all = new Map(names.map(copyOf));
  for (const copy of all.values()) cpSync(prepared, copy, { recursive: true });
  return all;
}

test("[ATP-FS-012] where the disk is full every operation says so in clear words, and leaves each file as it was and nothing beside it", async ({
  root,
}) => {
  const writing = all.filter((operation) => operation !== "delete of a team");
  const roots = await copies(root, writing);
  const before = look(join(root, "prepared")).files;
  await atATime(4, [...roots], async ([operation, copy]) => {
    const end = endIn(await startOne({ root: copy, revision, operation, staleMs }, { maxBlocks: 0 }).said);
    expect(end, operation).toMatch(/^error document_unwritable: .*EFBIG/);
    const { files, leftovers } = look(copy);
    expect([differing(files, before), leftovers], operation).toEqual([[], []]);
  });
});

test("[ATP-FS-012] a write that the disk cuts short in the middle is not published", async ({ root }) => {
  const roots = await copies(root, ["send", "join", "update of a member"]);
  const before = look(join(root, "prepared")).files;
  for (const [operation, copy] of roots) {
    const end = endIn(await startOne({ root: copy, revision, operation, staleMs }, { maxBlocks: 1 }).said);
    const { files, leftovers } = look(copy);
    expect(end, operation).toMatch(/^error document_unwritable: .*EFBIG/);
    expect([differing(files, before), leftovers], operation).toEqual([[], []]);
  }
});

describe.skipIf(process.getuid?.() !== 0)("as somebody who may not do everything", () => {
  const { inbox, inboxes, config, directory, tasks, task } = layoutOf(".").team("t");
  test.for([
    ["send", "an inbox that may not be read", inbox("bob"), 0],
    ["acknowledge", "an inbox that may not be read", inbox("bob"), 0],
    ["send", "inboxes that may not be written", inboxes, 0o500],
    ["acknowledge", "inboxes that may not be written", inboxes, 0o500],
    ["join", "a config that may not be read", config, 0],
    ["join", "a team that may not be written", directory, 0o500],
    ["create of a task", "a list that may not be written", tasks, 0o500],
    ["complete with dependants", "a list that may not be written", tasks, 0o500],
    ["claim", "a task that may not be read", task("1"), 0],
    ["claim", "a list that may not be entered", tasks, 0],
  ] as const)(
    "%s beside %s is refused in clear words that name the file, and nothing is lost",
    async ([operation, , path, mode], { root }) => {
      const copy = (await copies(root, ["copy"])).get("copy") as string;
      const before = look(copy).files;
      for (const name of ["", ...(readdirSync(copy, { recursive: true }) as string[])])
        chownSync(join(copy, name), nobody, nobody);
      chmodSync(root, 0o755);
      const restricted = join(copy, path);
      const usual = lstatSync(restricted).mode;
      chmodSync(restricted, mode);
      const end = endIn(await startOne({ root: copy, revision, operation, staleMs, uid: nobody }).said);
      chmodSync(restricted, usual);
      expect(end).toMatch(/^error (lock_impossible|document_unreadable|document_unwritable): /);
      expect(end).toContain(restricted);
      const { files, leftovers } = look(copy);
      expect([differing(files, before), leftovers]).toEqual([[], []]);
    },
  );
});

const locking = [
  "send",
  "acknowledge",
  "join",
  "create of a task",
  "complete with dependants",
  "remove of the highest task",
];

test("[ATP-LCK-006] [ATP-TSK-004] while the clock goes back every operation is done, also where a lock was left behind", async ({
  root,
}) => {
  const roots = await copies(root, locking);
  const unharmed = await copies(join(root, "unharmed"), locking);
  const { inbox, config, taskLock, task } = layoutOf(".").team("t");
  await atATime(4, [...roots], async ([operation, copy]) => {
    const usual = unharmed.get(operation) as string;
    const expected = endIn(await startOne({ root: usual, revision, operation, staleMs }).said);
    for (const file of [inbox("bob"), inbox("carol"), config, taskLock, task("1"), task("4")])
      mkdirSync(join(copy, `${file}.lock`));
    const end = endIn(await startOne({ root: copy, revision, operation, staleMs }, { faults: "clock=back" }).said);
    expect(end, operation).toBe(expected);
    expect(differing(look(copy).files, look(usual).files), operation).toEqual([]);
  });
});

import { getEventListeners } from "node:events";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { inboxOwnerOf, taskIdOf } from "@troupe/protocol";
import { afterEach, test as base, beforeEach, describe, expect, vi } from "vitest";
import { type WatchedDirectory, watchDirectories } from "./watch.ts";

type Watch = (place?: Partial<WatchedDirectory>, signal?: AbortSignal) => () => Promise<unknown>;
const test = base.extend<{ root: string; inboxes: string; watch: Watch }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameters of a fixture from its pattern
  root: async ({}, use) => {
    const root = mkdtempSync(join(tmpdir(), "troupe-watch-"));
    await use(root);
    await settle();
    rmSync(root, { recursive: true });
  },
  inboxes: async ({ root }, use) => {
    const inboxes = join(root, "teams/parser/inboxes");
    mkdirSync(inboxes, { recursive: true });
    await use(inboxes);
  },
  /** Opens a watch and gives what it gives, one by one. */
  watch: async ({ inboxes }, use) => {
    const opened: AsyncIterableIterator<string, undefined>[] = [];
    await use((place, signal) => {
      const subjects = watchDirectories([{ directory: inboxes, subjectOf: inboxOwnerOf, ...place }], signal);
      opened.push(subjects);
      return async () => (await subjects.next()).value;
    });
    for (const subjects of opened) await subjects.return?.();
  },
});

/** A closed handle is gone one round of the event loop later. */
async function settle(): Promise<void> {
  await turn();
  await turn();
}

/** As our store does it: beside the document, then in its place. */
function publish(directory: string, fileName: string): void {
  writeFileSync(join(directory, `${fileName}.tmp.00c0ffee`), "[]");
  renameSync(join(directory, `${fileName}.tmp.00c0ffee`), join(directory, fileName));
}

/** The number of handles of a kind that keep this process alive. */
const active = (kind: "FSEventWrap" | "Timeout"): number =>
  process.getActiveResourcesInfo().filter((name) => name === kind).length;

// The clock of the poll stands still unless a test moves it: whatever is told before was told by an
// event.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());
const poll = () => vi.advanceTimersByTime(1_500);

describe("an event tells who waits", () => {
  test("of a document that is renamed into place, and of the next", async ({ inboxes, watch }) => {
    const next = watch();
    const waiting = next();
    await turn();
    publish(inboxes, "alice.json");
    expect(await waiting).toBe("alice");
    publish(inboxes, "alice.json");
    expect(await next()).toBe("alice");
  });

  test("of a document that is written in place, and of one that is removed", async ({ inboxes, watch }) => {
    for (const name of ["alice.json", "bob.json"]) publish(inboxes, name);
    const next = watch();
    unlinkSync(join(inboxes, "bob.json"));
    expect(await next()).toBe("bob");
    writeFileSync(join(inboxes, "alice.json"), "{}", { flag: "r+" });
    expect(await next()).toBe("alice");
  });

  test("what concerns him, and nothing else", async ({ inboxes, watch }) => {
    const [tasks, alice, all] = [
      watch({ subjectOf: taskIdOf }),
      watch({ subjectOf: (name) => (name === "alice.json" ? "mine" : undefined) }),
      watch(),
    ];
    publish(inboxes, "bob.json");
    publish(inboxes, "7.json");
    publish(inboxes, "alice.json");
    expect(await tasks()).toBe("7");
    expect(await alice()).toBe("mine");
    expect([await all(), await all(), await all()]).toEqual(["bob", "7", "alice"]);
  });
});

test("locks, what is prepared and what was kept aside beside a document concern nobody", async ({ inboxes, watch }) => {
  const next = watch();
  for (const end of ["lock", "lock.break", "lock.stale.4711"]) mkdirSync(join(inboxes, `alice.json.${end}`));
  for (const end of ["tmp.00c0ffee", "damaged-1"]) writeFileSync(join(inboxes, `alice.json.${end}`), "[");
  poll();
  publish(inboxes, "bob.json");
  expect(await next()).toBe("bob");
});

test("what changes often before anybody asks is told once, and again when it changes afterwards", async ({
  inboxes,
  watch,
}) => {
  const [slow, last] = [watch(), watch({ subjectOf: (name) => (name === "zoe.json" ? name : undefined) })];
  for (const name of ["alice.json", "alice.json", "bob.json", "alice.json", "zoe.json"]) publish(inboxes, name);
  await last();
  expect([await slow(), await slow(), await slow()]).toEqual(["alice", "bob", "zoe"]);
  publish(inboxes, "bob.json");
  expect(await slow()).toBe("bob");
});

test("what was told by an event is not told again by the poll", async ({ inboxes, watch }) => {
  const next = watch();
  publish(inboxes, "alice.json");
  expect(await next()).toBe("alice");
  poll();
  publish(inboxes, "bob.json");
  expect(await next()).toBe("bob");
});

test("the poll finds a change of which no event tells, though the document is as long as before", async ({
  root,
  inboxes,
  watch,
}) => {
  publish(inboxes, "alice.json");
  linkSync(join(inboxes, "alice.json"), join(root, "another-name"));
  const next = watch();
  writeFileSync(join(root, "another-name"), "{}", { flag: "r+" });
  utimesSync(join(root, "another-name"), 0, 0);
  await turn();
  poll();
  expect(await next()).toBe("alice");
});

describe("a directory", () => {
  test("that is not there yet is watched for", async ({ root, watch }) => {
    const inboxes = join(root, "teams/later/inboxes");
    const next = watch({ directory: inboxes });
    for (const part of ["teams", "teams/later", "teams/later/inboxes"]) {
      mkdirSync(join(root, part), { recursive: true });
      await turn();
    }
    publish(inboxes, "alice.json");
    expect(await next()).toBe("alice");
    publish(inboxes, "bob.json");
    expect(await next()).toBe("bob");
  });

  test("that is put in the place of another is watched from then on", async ({ inboxes, watch }) => {
    const next = watch();
    renameSync(inboxes, `${inboxes}.aside`);
    mkdirSync(inboxes);
    publish(inboxes, "alice.json");
    expect(await next()).toBe("alice");
    publish(`${inboxes}.aside`, "zoe.json");
    publish(inboxes, "bob.json");
    expect(await next()).toBe("bob");
  });

  test("that is removed and made anew is watched again, though it may get its old number", async ({
    inboxes,
    watch,
  }) => {
    const next = watch();
    const { ino } = statSync(inboxes);
    for (let tries = 0; tries === 0 || (tries < 50 && statSync(inboxes).ino !== ino); tries += 1) {
      rmdirSync(inboxes);
      mkdirSync(inboxes);
    }
    publish(inboxes, "alice.json");
    expect(await next()).toBe("alice");
    await turn();
    publish(inboxes, "bob.json");
    expect(await next()).toBe("bob");
  });

  test("whose team was replaced is found by the poll, and which documents are not those it had", async ({
    root,
    inboxes,
    watch,
  }) => {
    publish(inboxes, "alice.json");
    publish(inboxes, "bob.json");
    utimesSync(join(inboxes, "bob.json"), 0, 0);
    const next = watch();
    renameSync(join(root, "teams", "parser"), join(root, "teams", "parser.aside"));
    mkdirSync(inboxes, { recursive: true });
    publish(inboxes, "bob.json");
    utimesSync(join(inboxes, "bob.json"), 0, 0);
    await turn();
    poll();
    expect([await next(), await next()]).toEqual(["alice", "bob"]);
    publish(inboxes, "zoe.json");
    expect(await next()).toBe("zoe");
  });

  test("that is a link is not followed, and a directory in its place is watched", async ({ root, inboxes, watch }) => {
    const link = join(root, "link");
    symlinkSync(inboxes, link);
    const next = watch({ directory: link });
    publish(inboxes, "alice.json");
    await turn();
    poll();
    unlinkSync(link);
    mkdirSync(link);
    publish(link, "bob.json");
    expect(await next()).toBe("bob");
  });
});

describe("what a watch holds", () => {
  beforeEach(() => void vi.useRealTimers());

  test("is one watch and one timer for a directory, however many watch it, and nothing when all have left", async ({
    inboxes,
  }) => {
    const counts = () => ({ watches: active("FSEventWrap"), timers: active("Timeout") });
    const before = counts();
    const all = [inboxes, inboxes, `${inboxes}/../inboxes/`].map((directory) =>
      watchDirectories([{ directory, subjectOf: inboxOwnerOf }]),
    );
    expect(counts()).toEqual({ watches: before.watches + 1, timers: before.timers + 1 });
    const left = all.map((subjects) => subjects.return?.());
    expect(active("Timeout")).toBe(before.timers);
    await Promise.all(left);
    await settle();
    expect(active("FSEventWrap")).toBe(before.watches);
  });

  test("stays with those who go on watching, and comes back with those who come when all have left", async ({
    inboxes,
    watch,
  }) => {
    const [one, another] = [0, 1].map(() => watchDirectories([{ directory: inboxes, subjectOf: inboxOwnerOf }]));
    await one?.return?.();
    publish(inboxes, "alice.json");
    expect(await another?.next()).toMatchObject({ value: "alice" });
    await another?.return?.();
    const next = watch();
    publish(inboxes, "bob.json");
    expect(await next()).toBe("bob");
  });

  test.for(["abort", "return"])(
    "is given up at once by %s, and who waits is told that it is over",
    async (way, { inboxes }) => {
      const before = active("FSEventWrap");
      const controller = new AbortController();
      const { signal } = controller;
      const subjects = watchDirectories([{ directory: inboxes, subjectOf: inboxOwnerOf }], signal);
      const waiting = [subjects.next(), subjects.next()];
      await turn();
      if (way === "abort") controller.abort();
      else await subjects.return?.();
      expect(await Promise.all(waiting)).toEqual(Array(2).fill({ value: undefined, done: true }));
      expect(await subjects.next()).toEqual({ value: undefined, done: true });
      await settle();
      expect(active("FSEventWrap")).toBe(before);
      expect(getEventListeners(signal, "abort")).toEqual([]);
    },
  );

  test("is given up when a loop over it is left, and the signal is let go", async ({ inboxes }) => {
    const before = active("FSEventWrap");
    const { signal } = new AbortController();
    const subjects = watchDirectories([{ directory: inboxes, subjectOf: inboxOwnerOf }], signal);
    publish(inboxes, "alice.json");
    for await (const subject of subjects) {
      expect(subject).toBe("alice");
      break;
    }
    await settle();
    expect(active("FSEventWrap")).toBe(before);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("is nothing when it was aborted before", async ({ watch }) => {
    const before = active("FSEventWrap");
    const next = watch({}, AbortSignal.abort());
    expect(active("FSEventWrap")).toBe(before);
    expect(await next()).toBe(undefined);
  });
});

import fs, { constants, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { codecFor } from "@troupe/protocol";
import { afterEach, expect } from "vitest";
import { mate, teamDraft, test, waitingFor } from "../../test/scratch.ts";
import { openFileStore } from "./file-store.ts";
import { openInbox } from "./inbox.ts";

const watched = [
  "mkdirSync",
  "openSync",
  "copyFileSync",
  "fdatasyncSync",
  "renameSync",
  "fsyncSync",
  "rmdirSync",
] as const;
const original = Object.fromEntries([...watched, "readSync" as const].map((name) => [name, fs[name]]));
afterEach(() => {
  Object.assign(fs, original);
  syncBuiltinESMExports();
});

/** Writes down which calls of the file system are made, and the most bytes that one brought. */
function record(onRead = () => {}) {
  const calls: string[] = [];
  let bytes = 0;
  for (const name of watched) {
    const call = original[name] as (...args: unknown[]) => unknown;
    const recorded = (...args: unknown[]) => {
      const ends = args
        .filter((arg) => typeof arg === "string" && arg.includes("/"))
        .map((arg) => basename(String(arg)));
      calls.push([name, ...ends, args[1] === "wx" ? "wx" : ""].filter(Boolean).join(" "));
      return call(...args);
    };
    Object.assign(fs, { [name]: recorded });
  }
  const readSync = original["readSync"] as (...args: unknown[]) => number;
  Object.assign(fs, {
    readSync: (...args: unknown[]) => {
      const count = readSync(...args);
      bytes = Math.max(bytes, count);
      onRead();
      return count;
    },
  });
  syncBuiltinESMExports();
  return { calls, bytes: () => bytes };
}

const codec = codecFor("2026-11");
const entry = (text: string) =>
  codec.newEntry({
    from: { name: "bob" },
    content: { text },
    timestamp: "2026-02-13T10:45:20.631Z",
    messageId: crypto.randomUUID(),
  });

test("[ATP-INB-108] an inbox changes under its lock alone, by a file made exclusively beside it that takes its place", async ({
  file,
}) => {
  const inbox = openInbox({ path: file, codec });
  const { calls } = record();
  await inbox.append(entry("one"));
  await inbox.acknowledge(new Set((await inbox.take()).map(({ key }) => key)));
  const changes = calls.filter((call) => !call.startsWith("openSync alice.json") || call.includes(".tmp."));
  const named = changes.map((call) => call.replace(/\.tmp\.[0-9a-f]{8}/, ".tmp.*"));
  const once = [
    "mkdirSync alice.json.lock",
    "openSync alice.json.tmp.* wx",
    "renameSync alice.json.tmp.* alice.json",
    "rmdirSync alice.json.lock",
  ];
  expect(named).toEqual([...once, ...once]);
});

test("[ATP-INB-024] a message behind ten thousand costs no look at them", async ({ file }) => {
  writeFileSync(file, codec.write(Array.from({ length: 10_000 }, (_, n) => entry(`message ${n}`))));
  const recorded = record();
  await openInbox({ path: file, codec }).append(entry("last"));
  expect(recorded.bytes(), "they pass in pieces").toBeLessThanOrEqual(64 * 1024);
  expect(recorded.calls.filter((call) => call.startsWith("renameSync"))).toHaveLength(1);
  expect(JSON.parse(readFileSync(file, "utf8"))).toHaveLength(10_001);
});

test("[ATP-INB-024] an inbox that another program shortens in place as it is copied makes nobody wait for its old size", async ({
  file,
}) => {
  const before = Array.from({ length: 1_000 }, (_, n) => entry(`message ${n}`));
  writeFileSync(file, codec.write(before));
  let reads = 0;
  const { calls } = record(() => {
    reads += 1;
    // The first looks at the end, the second brings the first piece.
    if (reads === 2) writeFileSync(file, codec.write(before.slice(0, 3)));
  });
  await openInbox({ path: file, codec }).append(entry("last"));
  const texts = codec.readInbox(readFileSync(file)).entries.map(({ text }) => text);
  expect(texts).toEqual(["message 0", "message 1", "message 2", "last"]);
  expect(
    calls.filter((call) => call.startsWith("copyFile")),
    "it never ends then",
  ).toEqual([]);
});

/** A file system whose files can share what they hold; `before` is done at each sharing. */
function sharing(before = () => {}): { readonly shared: () => number } {
  let shared = 0;
  Object.assign(fs, {
    copyFileSync(source: string, copy: string, mode: number) {
      expect(mode, "a copy that does not share may never end").toBe(constants.COPYFILE_FICLONE_FORCE);
      before();
      writeFileSync(copy, readFileSync(source));
      shared += 1;
    },
  });
  syncBuiltinESMExports();
  return { shared: () => shared };
}

const openFilesHaveNames = existsSync("/proc/self/fd");

test("[ATP-INB-024] where files can share what they hold, a large inbox is shared and not copied, but each 64 KiB", async ({
  file,
}) => {
  const before = Array.from({ length: 1_500 }, (_, n) => entry(`message ${n} ${"x".repeat(300)}`));
  writeFileSync(file, codec.write(before));
  const { shared } = sharing();
  const inbox = openInbox({ path: file, codec });
  const more = Array.from({ length: 20 }, (_, n) => entry(`more ${n} ${"x".repeat(10_000)}`));
  for (const one of more) await inbox.append(one);
  expect(readFileSync(file, "utf8")).toBe(codec.write([...before, ...more]));
  const crossed = Math.floor(readFileSync(file).length / 65_536) - Math.floor(codec.write(before).length / 65_536);
  expect(shared()).toBe(openFilesHaveNames ? more.length - crossed : 0);
});

test("[ATP-INB-024] an inbox that another program shortens in place as it is shared is read again", async ({
  file,
}) => {
  const before = Array.from({ length: 1_500 }, (_, n) => entry(`message ${n} ${"x".repeat(300)}`));
  writeFileSync(file, codec.write(before));
  sharing(() => writeFileSync(file, codec.write(before.slice(0, 3))));
  await openInbox({ path: file, codec }).append(entry("last"));
  const { entries } = codec.readInbox(readFileSync(file));
  expect(entries.map(({ text }) => text.split(" x")[0])).toEqual(
    openFilesHaveNames
      ? ["message 0", "message 1", "message 2", "last"]
      : [...before.map((_, n) => `message ${n}`), "last"],
  );
});

test("[ATP-INB-110] an inbox that another program is just writing in place is read again before it counts as damaged", async ({
  file,
}) => {
  const whole = codec.write([entry("one"), entry("two")]);
  writeFileSync(file, whole.slice(0, 40));
  let reads = 0;
  record(() => {
    reads += 1;
    // The first looks at the end, the second brings what is there so far.
    if (reads === 2) writeFileSync(file, whole);
  });
  await openInbox({ path: file, codec }).append(entry("last"));
  const texts = codec.readInbox(readFileSync(file)).entries.map(({ text }) => text);
  expect(texts).toEqual(["one", "two", "last"]);
  expect(readdirSync(join(file, "..")).filter((name) => name.includes("damaged"))).toEqual([]);
});

test("[ATP-LCK-013] what is acknowledged as durable was flushed before it took its place, and its directory after", async ({
  file,
}) => {
  const { calls } = record();
  await openInbox({ path: file, codec, isDurable: true }).append(entry("one"));
  const kept = calls.map((call) => call.split(" ")[0]).filter((name) => /sync|rename/i.test(name ?? ""));
  const order = ["fdatasyncSync", "renameSync", "fsyncSync"];
  expect(kept.filter((name) => order.includes(name ?? ""))).toEqual(order);
});

test("[ATP-LCK-010] who only reads makes no lock, and waits for nobody's", async ({ root }) => {
  const store = openFileStore({ root, limits: { deadlineMs: 0, staleMs: 10_000 } });
  const team = await store.createTeam(teamDraft);
  await team.join(mate("alice"));
  await (await team.as("team-lead")).send("alice", { text: "hi" });
  await team.tasks.create({ subject: "s", description: "d" });
  const locks = ["teams/t/config.json", "teams/t/inboxes/alice.json", "tasks/t/.lock", "tasks/t/1.json"];
  for (const lock of locks) mkdirSync(`${root}/${lock}.lock`);
  const before = readdirSync(root, { recursive: true }).sort();
  const { calls } = record();
  expect(await waitingFor(team, "alice")).toHaveLength(1);
  expect((await team.config()).value?.members).toHaveLength(2);
  expect((await team.tasks.list()).tasks).toHaveLength(1);
  expect(await team.tasks.ready()).toHaveLength(1);
  expect((await team.tasks.get("1")).value?.subject).toBe("s");
  expect(await store.listTeams()).toEqual(["t"]);
  expect(calls.filter((call) => !call.startsWith("openSync"))).toEqual([]);
  expect(readdirSync(root, { recursive: true }).sort()).toEqual(before);
  for (const lock of locks) rmdirSync(`${root}/${lock}.lock`);
});

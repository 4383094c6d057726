import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { codecFor, type InboxEntry } from "@troupe/protocol";
import { expect, onTestFinished, vi } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { test } from "../../test/scratch.ts";
import { isWrittenInPlace } from "./document.ts";
import { openInbox } from "./inbox.ts";

const codec = codecFor("2026-02");
const entryOf = (text: string): InboxEntry =>
  codec.newEntry({
    from: { name: "team-lead", color: undefined },
    content: { text, summary: "s" },
    timestamp: "2026-02-13T10:45:20.631Z",
    messageId: crypto.randomUUID(),
  });

/** As the client does, which looks at the lock once: where it is held, the message is gone. */
function write(path: string, text: string): void {
  if (existsSync(`${path}.lock`)) return;
  const entries: unknown[] = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
  writeFileSync(path, JSON.stringify([...entries, entryOf(text)], null, 2));
}

/** An inbox of ours in which another client has just written where it stands. */
async function writtenInPlace(path: string) {
  const inbox = openInbox({ path, codec });
  write(path, "one");
  await untilSeen("a change of the file later than its making", () => {
    writeFileSync(path, readFileSync(path));
    return isWrittenInPlace(path);
  });
  const [one] = await inbox.take();
  // No time passes since the last write, so that the pause comes when this test says so.
  vi.useFakeTimers({ toFake: ["Date"], now: statSync(path).mtimeMs });
  onTestFinished(() => void vi.useRealTimers());
  return { inbox, one };
}

const burst = ["two", "three", "four", "five"];

/** The client goes on to write. */
async function writeBurst(path: string): Promise<void> {
  for (const text of burst) {
    write(path, text);
    await nextRound();
  }
}

test("in an inbox that a client writes in place nothing is acknowledged, and no lock taken, until it pauses", async ({
  file: path,
}) => {
  const { inbox, one } = await writtenInPlace(path);
  const acknowledging = inbox.acknowledge(new Set([one?.key ?? ""]));
  await writeBurst(path);
  expect(JSON.parse(readFileSync(path, "utf8"))[0]).toMatchObject({ text: "one", read: false });
  vi.setSystemTime(Date.now() + 10_000);
  await acknowledging;
  expect((await inbox.take()).map(({ entry }) => entry.text)).toEqual(burst);
});

test("to an inbox that a client writes in place many are appended at once, when it pauses", async ({ file: path }) => {
  const { inbox } = await writtenInPlace(path);
  const appending = inbox.appendAll(
    () => [entryOf("six"), entryOf("seven")],
    () => {},
  );
  await writeBurst(path);
  expect((await inbox.take()).map(({ entry }) => entry.text)).toEqual(["one", ...burst]);
  vi.setSystemTime(Date.now() + 10_000);
  await appending;
  expect((await inbox.take()).map(({ entry }) => entry.text)).toEqual(["one", ...burst, "six", "seven"]);
});

test("what an inbox wrote itself makes it wait for no pause, however long that took", async ({ root }) => {
  const slow = join(root, "slow.json");
  const inbox = openInbox({ path: slow, codec });
  await inbox.appendAll(
    () => [entryOf("one")],
    () => {
      while (!isWrittenInPlace(slow)) writeFileSync(slow, readFileSync(slow));
    },
  );
  const { inbox: foreign, one } = await writtenInPlace(join(root, "foreign.json"));
  const first = await Promise.race([
    foreign.acknowledge(new Set([one?.key ?? ""])).then(() => "the one that waits"),
    inbox.appendAll(
      () => [entryOf("two")],
      () => {},
    ),
  ]);
  expect(first).toBeUndefined();
  expect((await inbox.take()).map(({ entry }) => entry.text)).toEqual(["one", "two"]);
});

test("what our own writers made is acknowledged without waiting for quiet", async ({ file: path }) => {
  const inbox = openInbox({ path, codec });
  await inbox.append(entryOf("one"));
  const [one] = await inbox.take();
  await inbox.append(entryOf("two"));
  expect(isWrittenInPlace(path)).toBe(false);
  await inbox.acknowledge(new Set([one?.key ?? ""]));
  expect(isWrittenInPlace(path)).toBe(false);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject([{ read: true }, { read: false }]);
});

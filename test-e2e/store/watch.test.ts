import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { codecFor } from "@troupe/protocol";
import { openInbox } from "@troupe/store/files";
import { test as base, describe, expect, onTestFinished } from "vitest";
import { programAt } from "../program.ts";

const watcher = programAt(join(import.meta.dirname, "watcher.mjs"));
const test = base.extend<{ path: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameters of a fixture from its pattern
  path: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-watch-"));
    await use(join(folder, "alice.json"));
    rmSync(folder, { recursive: true });
  },
});

/** A consumer of one inbox: what it says line by line, and its end. */
function start(...args: readonly (string | number)[]) {
  const child = spawn(process.execPath, [watcher, ...args.map(String)], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { line: async () => (await lines.next()).value as string, exit: once(child, "exit") };
}

describe.each([
  ["events alone", "2026-11", { bursts: 40, of: 25 }],
  ["events that come late", "2026-11", { bursts: 10, of: 5 }],
  ["the poll alone", "2026-02", { bursts: 2, of: 25 }],
] as const)("woken by %s, in %s", (wokenBy, revision, { bursts, of }) => {
  test("[ATP-SND-011] a consumer that waits gets each message of every burst once, and its process ends with the watch", async ({
    path,
  }) => {
    const codec = codecFor(revision);
    const inbox = openInbox({ path, codec });
    const { line, exit } = start(wokenBy, revision, path, bursts * of);
    expect(await line()).toBe("ready");
    for (let burst = 0; burst < bursts; burst += 1) {
      const texts = Array.from({ length: of }, (_, n) => `message ${burst}.${n}`);
      for (const text of texts) {
        const timestamp = new Date().toISOString();
        await inbox.append(
          codec.newEntry({ from: { name: "bob" }, content: { text }, timestamp, messageId: crypto.randomUUID() }),
        );
      }
      // It waits again before the next burst: one wake that is missed, and this never ends.
      for (const text of texts) expect(await line()).toBe(text);
    }
    expect(await exit).toEqual([0, null]);
  });
});

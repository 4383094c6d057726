import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, describe, expect } from "vitest";

const writer = join(import.meta.dirname, "writer.mjs");
const test = base.extend<{ path: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameters of a fixture from its pattern
  path: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-storm-"));
    await use(join(folder, "alice.json"));
    rmSync(folder, { recursive: true });
  },
});

interface Running {
  readonly child: ChildProcess;
  /** What it said, once it has ended. */
  readonly said: Promise<string[]>;
}

function start(...args: (string | number)[]): Running {
  const child = spawn(process.execPath, [writer, ...args.map(String)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const said = new Promise<string[]>((resolve) => child.once("close", () => resolve(text.split("\n").filter(Boolean))));
  return { child, said };
}

const textsIn = (path: string): string[] =>
  (JSON.parse(readFileSync(path, "utf8")) as { text: string }[]).map(({ text }) =>
    text.split(" ").slice(0, 2).join(" "),
  );

describe.each(["2026-02", "2026-11"])("%s", (revision) => {
  test("[ATP-INB-007] [ATP-LCK-002] eight processes that send at once lose nothing, and no reader sees half a document", async ({
    path,
  }) => {
    const senders = Array.from({ length: 8 }, (_, n) => start("send", revision, path, `p${n}`, 40, 10_000));
    let isOver = false;
    const ended = Promise.all(senders.map(({ said }) => said)).then((said) => {
      isOver = true;
      return said;
    });
    let looks = 0;
    while (!isOver) {
      if (readdirSync(join(path, "..")).includes("alice.json")) textsIn(path);
      looks += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const said = await ended;
    expect(looks).toBeGreaterThan(0);
    expect(textsIn(path).sort()).toEqual(said.flat().sort());
    for (const [n, lines] of said.entries())
      expect(textsIn(path).filter((text) => text.startsWith(`p${n} `))).toEqual(lines);
    expect(readdirSync(join(path, ".."))).toEqual(["alice.json"]);
  }, 60_000);

  test("[ATP-INB-008] [ATP-SND-011] what is sent while another process consumes arrives once and in order", async ({
    path,
  }) => {
    const consumer = start("consume", revision, path, "alice", 90, 10_000);
    const senders = Array.from({ length: 3 }, (_, n) => start("send", revision, path, `p${n}`, 30, 10_000));
    const sent = await Promise.all(senders.map(({ said }) => said));
    const taken = await consumer.said;
    expect([...taken].sort()).toEqual(sent.flat().sort());
    for (const [n, lines] of sent.entries()) expect(taken.filter((text) => text.startsWith(`p${n} `))).toEqual(lines);
  }, 60_000);

  test("[ATP-LCK-006] [ATP-LCK-011] [ATP-LCK-012] a sender killed at any moment leaves a whole inbox with all it was told is in it", async ({
    path,
  }) => {
    const acknowledged: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      const { child, said } = start("send", revision, path, `r${round}`, 1_000, 300, 64_000);
      let lines = 0;
      child.stdout?.on("data", (chunk: Buffer) => {
        lines += chunk.toString().split("\n").length - 1;
        if (lines > round) child.kill("SIGKILL");
      });
      acknowledged.push(...(await said));
      const present = new Set(textsIn(path));
      expect(acknowledged.filter((text) => !present.has(text))).toEqual([]);
      rmSync(path);
      acknowledged.length = 0;
    }
    const { said } = start("send", revision, path, "last", 1, 300);
    expect(await said).toEqual(["last 0"]);
  }, 120_000);
});

import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilSeen } from "../scripts/awaited.ts";
import { ended, expectSchema, openTroupe } from "./command-line.ts";
import { processesOf } from "./processes.ts";

const { home, root, told, json, refusal, begin } = openTroupe();
const script = join(import.meta.dirname, "../packages/backends/test/acp-agent.mjs");

/** A PATH in which the scripted agent is called gemini. */
function withGemini(): string {
  const bin = mkdtempSync(join(home, "bin-"));
  const file = join(bin, "gemini");
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
  chmodSync(file, 0o755);
  return `${bin}:${process.env["PATH"]}`;
}

test("a person adds an agent of another make to a team: it works without a key of ours, asks, writes, and ends when it is asked to", async () => {
  told("team", "create", "mixed");
  const env = { PATH: withGemini(), TMPDIR: home, TMUX: "" };
  const run = async (schema: string, ...args: string[]) => {
    const { status, stdout, stderr } = await ended(begin([...args, "--json"], env));
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/^$|waiting for bob/) });
    expectSchema(schema, JSON.parse(stdout));
    return JSON.parse(stdout);
  };
  const spawned = await run("spawn", "spawn", "bob", "--acp", "gemini", "--prompt", "do: mail");
  expect(spawned).toMatchObject({ team: "mixed", name: "bob", backend: "acp-gemini", model: "gemini" });
  const inbox = (): string => JSON.stringify(json("inbox", ["inbox", "mixed"]).messages);
  await untilSeen("bob's own message", () => inbox().includes("part A is finished"));
  told("send", "mixed", "bob", "do: permit");
  const asked = () => json("permission-list", ["permission", "list", "mixed"]).requests;
  await untilSeen("bob's question", () => asked().length === 1);
  await run("permission-allow", "permission", "allow", "mixed", "bob");
  await untilSeen("that bob went on", () => inbox().includes("the answer was yes"));
  const { members } = await run("shutdown", "shutdown", "mixed", "bob");
  expect(members).toEqual([{ name: "bob", outcome: "ended", reason: null }]);
  expect(processesOf(root)).toEqual([]);
  told("team", "delete", "mixed", "--yes");
});

test("what an agent of others is not told, and one that is not there, is refused with what helps", async () => {
  told("team", "create", "mixed");
  const spawn = (...more: string[]) => refusal(2, ["spawn", "mixed", "bob", "--prompt", "x", ...more]);
  expect(spawn("--acp", "gemini", "--model", "opus")).toContain("leave out one of --acp and --model");
  expect(spawn("--acp", "gemini", "--backend", "process")).toContain("leave out one of --acp and --backend");
  expect(spawn("--acp", "germini")).toContain("claude or codex or gemini or opencode or qwen or codebuddy");
  const { status, stderr } = await ended(
    begin(["spawn", "mixed", "bob", "--prompt", "x", "--acp", "qwen"], { PATH: "/nowhere" }),
  );
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining("npm install -g @qwen-code/qwen-code installs it"),
  });
  expect(readFileSync(join(root, "teams/mixed/config.json"), "utf8")).not.toContain("bob");
  told("team", "delete", "mixed", "--yes");
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runTool } from "./children.mjs";

const place = { env: process.env, cwd: process.cwd() };

test("a tool's exit code and all it printed come back", async () => {
  const { code, output } = await runTool("sh", ["-c", "echo out; echo err >&2; exit 7"], { ...place, output: "pipe" });
  expect(code).toBe(7);
  expect(output.split("\n").sort()).toEqual(["", "err", "out"]);
});

test("a tool that a signal ended has the code a shell gives it", async () => {
  expect((await runTool("sh", ["-c", "kill -KILL $$"], { ...place, output: "pipe" })).code).toBe(137);
});

test("a tool that is not there fails with its name", async () => {
  const { code, output } = await runTool("no-such-tool", [], { ...place, output: "pipe" });
  expect(code).toBe(127);
  expect(output).toContain("no-such-tool");
});

/** Runs a tool that starts another process and would never end. */
const endless = `
  import { endWithChildren, runTool } from ${JSON.stringify(join(import.meta.dirname, "children.mjs"))};
  endWithChildren();
  await runTool("sh", ["-c", "sleep 1000 & echo asleep; wait"], { env: process.env, cwd: "." });
  console.log("went on");
`;

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends us with %i, after everything the tool has started", async (signal, code) => {
  const us = spawn(process.execPath, ["--input-type=module", "-e", endless], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  us.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  await once(us.stdout, "data");
  us.kill(signal);
  // `close` waits for everyone who holds our stdout, and the sleeping process does.
  expect(await once(us, "close")).toEqual([code, null]);
  expect(printed).toBe("asleep\n");
});

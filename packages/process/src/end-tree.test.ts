import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../../../scripts/awaited.ts";
import { endTree } from "./end-tree.ts";

test("a process that ends the tree it is in itself ends the rest of it, and goes on", async () => {
  const directory = mkdtempSync(join(tmpdir(), "end-tree-"));
  const mark = `TROUPE_TEST_TREE=${directory}`;
  onTestFinished(async () => {
    await endTree({ mark, graceMs: 0 });
    rmSync(directory, { recursive: true, force: true });
  });
  const built = JSON.stringify(new URL("../dist/index.js", import.meta.url).href);
  const program = join(directory, "end.mjs");
  writeFileSync(
    program,
    `import { writeFileSync } from "node:fs";
import { endTree } from ${built};
await endTree({ mark: ${JSON.stringify(mark)}, graceMs: 0 });
writeFileSync(${JSON.stringify(join(directory, "done"))}, "");
`,
  );
  const env = { PATH: process.env["PATH"], TROUPE_TEST_TREE: directory };
  const shell = spawn("/bin/sh", ["-c", `"${process.execPath}" "${program}"; sleep 1000`], {
    env,
    stdio: "ignore",
    detached: true,
  });
  const [code, signal] = await awaited("the end of the shell", once(shell, "exit"));
  expect([code, signal]).not.toEqual([0, null]);
  await untilSeen("what is written behind the end", () => existsSync(join(directory, "done")));
});

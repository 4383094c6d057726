import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

test("[ATP-SND-014] a receiver that waits runs within the budget that the protocol's page declares, measured against the system's own notification", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/protocol/inbox.md"), "utf8");
  const [, declared] = /a receiver runs within (\d+) times what the bare notification/.exec(page) ?? [];
  const main = join(import.meta.dirname, "../dist/main.js");
  const measured = JSON.parse(execFileSync(process.execPath, [main, "wakeLatency", "--json"], { encoding: "utf8" }));
  expect(measured).toEqual({ "P4.wake": expect.objectContaining({ goal: `<= ${declared}`, holds: true }) });
});

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { awaited, untilSeen } from "../../../../scripts/awaited.ts";
import { add, company } from "../../test/company.ts";
import { scratch } from "../../test/scratch.ts";
import { turn } from "../../test/sessions.ts";
import { keepAwake } from "../own/awake.ts";

/** A PATH with a caffeinate that writes down its words and its id, and then does this. */
function caffeinateThat(does: string) {
  const bin = join(scratch(), "bin");
  const log = join(bin, "log");
  mkdirSync(bin);
  writeFileSync(join(bin, "caffeinate"), `#!/bin/sh\necho "$$ $@" >>'${log}'\n${does}\n`, { mode: 0o755 });
  const calls = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  return { PATH: `${bin}:${process.env["PATH"]}`, calls };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("[TMUX-11] on macOS a lead keeps the machine awake by a child of its own, which ends with it; no teammate does", async () => {
  const { PATH, calls } = caffeinateThat("exec sleep 300");
  const { lead, sessions } = await company(
    { "": (_, nth) => (nth === 0 ? add("ann") : "I wait.") },
    {
      revision: "2026-11",
      gates: { isInteractive: true },
      sessionId: "b7f5edcc-0000-4000-8000-000000000001",
      platform: "darwin",
      environment: { PATH },
    },
  );
  expect(calls()).toEqual([]);
  await turn(lead, "do it");
  const [call = ""] = await untilSeen("the child", () => calls().length > 0 && calls());
  expect(call).toMatch(/^\d+ -i -t 300$/);
  expect(sessions.get("ann")?.membership()?.self.name).toBe("ann");
  const pid = Number.parseInt(call, 10);
  expect([calls().length, isAlive(pid)]).toEqual([1, true]);
  await lead.close();
  expect(isAlive(pid)).toBe(false);
});

test("it is started again when its five minutes are over, and not when it cannot do it; elsewhere there is none", async () => {
  const home = scratch();
  const again = caffeinateThat(`[ "$(wc -l <"$(dirname "$0")/log")" -lt 3 ] || exec sleep 300`);
  const letSleep = keepAwake({ platform: "darwin", environment: { PATH: again.PATH }, home });
  await untilSeen("the third", () => again.calls().length === 3);
  await awaited("its end", letSleep());
  const broken = caffeinateThat("exit 1");
  const over = keepAwake({ platform: "darwin", environment: { PATH: broken.PATH }, home });
  await untilSeen("the first", () => broken.calls().length > 0);
  await over();
  expect(broken.calls()).toHaveLength(1);
  const elsewhere = caffeinateThat("exec sleep 300");
  await keepAwake({ platform: "linux", environment: { PATH: elsewhere.PATH }, home })();
  expect(elsewhere.calls()).toEqual([]);
});

import { cpSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTroupe, sample } from "./command-line.ts";

const { home, root, troupe, told, json, refusal } = openTroupe();

test("where nothing is wrong the end is 0, and where there is no root it is 3", () => {
  told("team", "create", "t");
  expect(told("doctor")).toBe("nothing is wrong\n");
  expect(json("doctor", ["doctor"])).toEqual({ root, findings: [] });
  expect(refusal(3, ["doctor", "--root", join(home, "nowhere")])).toContain("there is no directory");
});

test("what is wrong is named, mended when somebody said so, and what cannot be mended is left", () => {
  cpSync(join(sample, "teams/parser-team"), join(root, "teams/parser-team"), { recursive: true });
  const lock = join(root, "teams/parser-team/inboxes/reader.json.lock");
  mkdirSync(lock);
  utimesSync(lock, 1, 1);
  writeFileSync(join(root, "teams/t/config.json"), '{"name":"t"');
  const { findings } = json("doctor", ["doctor"], { status: 1 });
  expect(findings).toContainEqual(expect.objectContaining({ kind: "lock_stale", isMendable: true, isMended: false }));
  expect(troupe(["doctor"])).toMatchObject({
    status: 1,
    stderr: "",
    stdout: expect.stringContaining("--mend does this"),
  });
  expect(refusal(2, ["doctor", "--mend"])).toContain("Nobody can be asked here: say --yes");
  const mended = json("doctor", ["doctor", "--mend", "--yes"], { status: 1 });
  expect(mended.findings).toContainEqual(expect.objectContaining({ kind: "lock_stale", isMended: true }));
  expect(mended.findings).toContainEqual(expect.objectContaining({ path: "teams/t/config.json", isMended: false }));
  expect(json("doctor", ["doctor"], { status: 1 }).findings).not.toContainEqual(
    expect.objectContaining({ kind: "lock_stale" }),
  );
});

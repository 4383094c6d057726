import { expect, test } from "vitest";
import { openChecks } from "./checks.ts";

test("a finding is one line that names no place of the machine it was found on", async () => {
  const { check, findings } = openChecks(() => {});
  await check("writes", async () => "1, as py: /tmp/interop-MxziYq/.claude/teams/crew/config.json is held");
  await check("reads", () => Promise.reject(new Error("it\nsays   ENOENT '/var/tmp/interop-a1B2c3/project/a'")));
  expect(findings).toEqual([
    { what: "writes", state: "works", note: "1, as py: ~/.claude/teams/crew/config.json is held" },
    { what: "reads", state: "fails", note: "it | says ENOENT '~/project/a'" },
  ]);
});

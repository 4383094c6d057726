import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTroupe } from "./command-line.ts";

const { root, asProcess, told } = openTroupe();
const sent = ["2026-01-15T23:30:00.000Z", "2026-07-15T23:30:00.000Z"];

test.each([
  ["Europe/Berlin", ["2026-01-16 00:30:00 +01:00", "2026-07-16 01:30:00 +02:00"]],
  ["America/St_Johns", ["2026-01-15 20:00:00 -03:30", "2026-07-15 21:00:00 -02:30"]],
  ["Asia/Kathmandu", ["2026-01-16 05:15:00 +05:45", "2026-07-16 05:15:00 +05:45"]],
  ["UTC", ["2026-01-15 23:30:00 +00:00", "2026-07-15 23:30:00 +00:00"]],
])(
  "in %s people are told the time on their wall with its offset, in winter and summer, and programs UTC",
  (TZ, times) => {
    const team = TZ.replace("/", "-");
    told("team", "create", team);
    const path = join(root, `teams/${team}/inboxes/team-lead.json`);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, JSON.stringify(sent.map((timestamp) => ({ from: "a", text: "x", timestamp, read: false }))));
    for (const command of ["inbox", "log"]) {
      const { stdout } = asProcess([command, team], { env: { TZ } });
      expect(
        stdout
          .split("\n")
          .filter((line) => line.endsWith(": x"))
          .map((line) => line.slice(0, 26)),
      ).toEqual(times);
      const { stdout: json } = asProcess([command, team, "--json"], { env: { TZ } });
      for (const timestamp of sent) expect(json).toContain(timestamp);
    }
  },
);

test("a time that no clock shows is shown as it is", () => {
  told("team", "create", "odd");
  const path = join(root, "teams/odd/inboxes/team-lead.json");
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, JSON.stringify([{ from: "a", text: "x", timestamp: "noon", read: false }]));
  expect(told("inbox", "odd").split("\n")[0]).toBe("noon  a to team-lead: x");
});

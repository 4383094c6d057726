import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { describeWith } from "../require.ts";
import { asks, prompt, screenMachine } from "./screen-machine.ts";

const touch = (name: string) => toolUse("Bash", { command: `touch ${name}` });
const make = (name: string) => toolUse("Bash", { command: `node -e "fs.writeFileSync('${name}', '')"` });

describeWith("tmux", "an answer that is to hold for longer", () => {
  test.each([
    ["2", "in this session", undefined],
    ["3", "in this folder", "project/.claude/settings.local.json"],
    ["4", "in every folder", "home/.claude/settings.json"],
  ])("%s: the command is not asked about again %s, and it is kept in %s", async (key, where, file) => {
    const { sit, dir, cwd } = await screenMachine({ replies: [[make("one")], "Made.", [make("one")], "Made again."] });
    const seat = sit();
    await seat.sees(prompt);
    seat.say("make it");
    await seat.sees(asks);
    expect(seat.shown()).toMatch(new RegExp(`${key}\\. Yes, and don't ask again ${where}: Bash\\(node -e`));
    seat.press(key);
    await seat.sees("Made.");
    expect(existsSync(join(cwd, "one"))).toBe(true);
    seat.say("and again");
    expect(await seat.sees("Made again.")).not.toContain(asks);
    const settings = ["project/.claude/settings.local.json", "home/.claude/settings.json"].map((path) =>
      join(dir, path),
    );
    for (const path of settings)
      expect(existsSync(path) && readFileSync(path, "utf8").includes("Bash(node -e")).toBe(
        path === join(dir, file ?? ""),
      );
  });

  test("edits and places outside the folder are asked about no more in this session", async () => {
    const { sit, dir, cwd } = await screenMachine({
      replies: [
        [touch("one")],
        "Made one.",
        [touch("two")],
        "Made two.",
        [toolUse("Write", { file_path: "../out/three", content: "3" })],
        "Made three.",
        [toolUse("Write", { file_path: "../out/four", content: "4" })],
        "Made four.",
      ],
    });
    const seat = sit();
    await seat.sees(prompt);
    seat.say("make one");
    expect(await seat.sees(asks)).toContain("don't ask again about edits in this session");
    seat.press("2");
    await seat.sees("Made one.");
    await seat.sees("edits are accepted");
    seat.say("make two");
    await seat.sees("Made two.");
    seat.say("make three");
    expect(await seat.sees(asks)).toContain("don't ask again in this session: work in");
    seat.press("2");
    await seat.sees("Made three.");
    seat.say("make four");
    await seat.sees("Made four.");
    const made = ["one", "two"].map((name) => join(cwd, name));
    for (const path of [...made, join(dir, "out/three"), join(dir, "out/four")]) expect(existsSync(path)).toBe(true);
  });

  test("Escape denies the call and stops the turn", async () => {
    const { sit, cwd, fake } = await screenMachine({ replies: [[touch("one")]] });
    const seat = sit();
    await seat.sees(prompt);
    seat.say("make it");
    await seat.sees(asks);
    seat.press("Escape");
    await seat.sees("Interrupted.");
    expect([existsSync(join(cwd, "one")), fake.requests.length]).toEqual([false, 1]);
  });
});

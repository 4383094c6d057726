import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { describeWith } from "../require.ts";
import { asks, prompt, screenMachine } from "./screen-machine.ts";

const touch = (name: string) => toolUse("Bash", { command: `touch ${name}` });
const make = (name: string) => toolUse("Bash", { command: `node -e "fs.writeFileSync('${name}', '')"` });

describeWith("tmux", "an answer that is to hold for longer", () => {
  test("a command is asked about no more in this session, in this folder or in every folder, and is kept where that is said", async () => {
    const replies = ["one", "two", "three"].flatMap((name) => [
      [make(name)],
      `Made ${name}.`,
      [make(name)],
      `Again ${name}.`,
    ]);
    const { sit, dir, cwd } = await screenMachine({ replies });
    const seat = sit({ rows: 40 });
    await seat.sees(prompt);
    const files = ["project/.claude/settings.local.json", "home/.claude/settings.json"];
    const kept = (name: string) =>
      files.filter((file) => existsSync(join(dir, file)) && readFileSync(join(dir, file), "utf8").includes(name));
    for (const [name, key, where, file] of [
      ["one", "2", "in this session", undefined],
      ["two", "3", "in this folder", files[0]],
      ["three", "4", "in every folder", files[1]],
    ] as const) {
      seat.say("make it");
      await seat.sees(asks);
      expect(seat.shown()).toMatch(new RegExp(`${key}\\. Yes, and don't ask again ${where}: Bash\\(node -e`));
      seat.press(key);
      await seat.sees(`Made ${name}.`);
      expect(existsSync(join(cwd, name))).toBe(true);
      seat.say("and again");
      expect(await seat.sees(`Again ${name}.`)).not.toContain(asks);
      expect(kept(name)).toEqual(file === undefined ? [] : [file]);
    }
  });

  test("edits and places outside the folder are asked about no more in this session; Escape denies a call and stops the turn", async () => {
    const { sit, dir, cwd, fake } = await screenMachine({
      replies: [
        [touch("one")],
        "Made one.",
        [touch("two")],
        "Made two.",
        [toolUse("Write", { file_path: "../out/three", content: "3" })],
        "Made three.",
        [toolUse("Write", { file_path: "../out/four", content: "4" })],
        "Made four.",
        [make("../five")],
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
    seat.say("make five");
    await seat.sees(asks);
    seat.press("Escape");
    await seat.sees("Interrupted.");
    expect([existsSync(join(dir, "five")), fake.requests.length]).toEqual([false, 9]);
    const made = ["one", "two"].map((name) => join(cwd, name));
    for (const path of [...made, join(dir, "out/three"), join(dir, "out/four")]) expect(existsSync(path)).toBe(true);
  });
});

import { existsSync } from "node:fs";
import { join } from "node:path";
import { text, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { describeWith } from "../require.ts";
import { asks, prompt, screenMachine } from "./screen-machine.ts";

describeWith("tmux", "a person at a session", () => {
  test("words that come in are shown as they come, and Markdown is laid out", async () => {
    const { sit } = await screenMachine({
      replies: [{ content: [text("# Title\n\nOne **strong** word.\n\n- a point\n\nThe end.")], paceMs: 5 }],
    });
    const seat = sit();
    await seat.sees(prompt);
    seat.say("tell me");
    await seat.sees(/^› tell me\n\n {2}Title\n\n {2}One strong word\.\n\n {2}• a point\n\n {2}The end\.\n/m);
    expect(seat.painted()).toMatch(/\x1b\[1mTitle/);
  });

  test("a call that needs permission is asked about, and runs or not as the person says", async () => {
    const touch = (name: string) => [toolUse("Bash", { command: `touch ${name}` })];
    const { sit, cwd, fake } = await screenMachine({ replies: [touch("one"), "Made.", touch("two"), "Not made."] });
    const seat = sit();
    await seat.sees(prompt);
    seat.say("make one");
    await seat.sees(asks);
    expect(seat.shown()).toContain("touch one");
    seat.press("1");
    await seat.sees("Made.");
    expect(existsSync(join(cwd, "one"))).toBe(true);
    seat.say("make two");
    await seat.sees(asks);
    seat.press("Up");
    seat.press("Enter");
    await seat.sees("enter sends");
    seat.say("use another name");
    await seat.sees("Not made.");
    expect(existsSync(join(cwd, "two"))).toBe(false);
    expect(JSON.stringify(fake.requests.at(-1)?.json)).toContain("use another name");
  });

  test("Escape stops the turn, and the session goes on", async () => {
    const { sit, cwd, fake } = await screenMachine({
      replies: [[toolUse("Bash", { command: "touch begun; sleep 600" })]],
    });
    const seat = sit({ args: ["--allowed-tools", "Bash"], columns: 60 });
    await seat.sees(prompt);
    seat.say("wait");
    await untilSeen("the command", () => existsSync(join(cwd, "begun")));
    await seat.sees("esc stops it");
    seat.press("Escape");
    await seat.sees("Interrupted.");
    fake.push("I was cut off.");
    seat.say("and?");
    await seat.sees("I was cut off.");
    seat.press("C-c");
    await seat.sees("ctrl+c once more leaves");
    seat.press("C-c");
    await seat.sees("ended with 0");
    // However narrow the terminal is, the line can be copied whole.
    expect(seat.shown()).toMatch(/^To go on with this session:\n {2}troupe --resume [\w-]{36}$/m);
  });
});

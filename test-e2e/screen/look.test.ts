import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { describeWith } from "../require.ts";
import { asks, prompt, screenMachine } from "./screen-machine.ts";

const words = `# A title

The file \`notes.txt\` says **hello**, and there is more to say about it than fits on one line of a narrow terminal.

- a point that is rather long and has to go on in the line below it, behind its sign

| name | value |
|---|---|
| 二 | wide ｗｉｄｅ |

Done: 你好，世界, e\u0301, 👩‍👩‍👧.`;
const hostile = "before\x1b[2J\x1b]0;owned\x07\u202eafter";

describeWith("tmux", "the look of the screen", () => {
  test.each([60, 160])("in %d columns everything can be read: wide characters, tables, diffs", async (columns) => {
    const { sit } = await screenMachine({
      replies: [
        words,
        [toolUse("Edit", { file_path: "a.ts", old_string: "const a = 1;", new_string: "const a = 2;" })],
      ],
    });
    const seat = sit({ columns, rows: 40 });
    await seat.sees(prompt);
    seat.say("tell");
    const told = await seat.sees("Done: 你好，世界, e\u0301, 👩‍👩‍👧.");
    expect(told).toMatch(/ {2}name {2}value\n {2}二 {4}wide ｗｉｄｅ/);
    seat.say("edit");
    await seat.sees(asks);
    expect(seat.painted()).toMatch(/\x1b\[31m\s*- const a = .*\x1b\[(?:31;)?7m1/);
  });

  test("made narrower and wider, what is finished is there once, and the prompt keeps its words", async () => {
    const { sit } = await screenMachine({ replies: ["One answer."] });
    const seat = sit({ columns: 120 });
    await seat.sees(prompt);
    seat.say("one question");
    await seat.sees("One answer.");
    seat.type("some words that wait");
    await seat.sees("some words that wait");
    for (const [nth, columns] of [70, 60, 200, 90].entries()) {
      seat.resize(columns);
      seat.type(`${nth}`);
      await seat.sees(`some words that wait${"0123".slice(0, nth + 1)}`);
    }
    const isOnce = (part: string) => seat.history().split(part).length === 2;
    for (const part of ["› one question", "One answer.", "› some words that wait", "─\n"])
      await untilSeen(`${part} once`, () => isOnce(part));
  });

  test("without colours every sign is still there, and nothing that a model says steers the terminal", async () => {
    const { sit } = await screenMachine({ replies: [{ content: [text(hostile)] }] });
    const seat = sit({ environment: { NO_COLOR: "1" } });
    await seat.sees(prompt);
    seat.say("tell");
    const shown = await seat.sees("before�[2J�]0;owned��after");
    expect(shown).toContain("› tell");
    expect(seat.painted()).not.toContain("\x1b[");
  });

  test("for a screen reader there are words in the place of signs, and nothing that moves", async () => {
    const { sit } = await screenMachine({ replies: [[toolUse("Bash", { command: "echo out" })], "That was it."] });
    const seat = sit({ args: ["--screen-reader"] });
    await seat.sees("/help shows keys");
    seat.say("run it");
    await seat.sees("That was it.");
    const shown = await seat.sees("Done.");
    expect(shown).toMatch(
      /You: run it\n[\s\S]*Working\.[\s\S]*Tool Bash {2}echo out\n {4}Result: out\n[\s\S]*That was it\./,
    );
    seat.press("BTab");
    expect(await seat.sees("Mode: edits are accepted.")).not.toMatch(/[─●└✳›]/);
    seat.type("/mod");
    expect(await seat.sees("> model")).not.toContain("›");
  });

  test("a paste of many lines is sent as it is, a command of the person's own is shown once, a file is named by a part of it, and what was typed in another session comes back", async () => {
    const { sit, cwd, fake } = await screenMachine({ replies: ["Thanks.", "I see it."] });
    mkdirSync(join(cwd, "src"));
    writeFileSync(join(cwd, "src/parser.ts"), "");
    const seat = sit();
    await seat.sees(prompt);
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");
    seat.paste(lines);
    await seat.sees("line 29");
    expect(fake.requests).toHaveLength(0);
    seat.press("Enter");
    await seat.sees("Thanks.");
    expect(JSON.stringify(fake.requests[0]?.json)).toContain(JSON.stringify(lines).slice(1, -1));
    seat.say("!echo once");
    await seat.sees(/^· once$/m);
    seat.type("look at @pars");
    await seat.sees("› src/parser.ts");
    seat.press("Tab");
    await seat.sees("› look at @src/parser.ts");
    seat.press("Enter");
    await seat.sees("I see it.");
    expect(seat.shown().match(/once/g)).toHaveLength(2);
    expect(JSON.stringify(fake.requests[1]?.json)).toContain("look at @src/parser.ts");
    seat.say("/exit");
    await seat.sees("ended with 0");
    const other = sit();
    await other.sees("/help shows keys");
    other.press("Up");
    await other.sees("› look at @src/parser.ts");
  });
});

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { isRunning } from "../processes.ts";
import { describeWith } from "../require.ts";
import { asks, prompt, screenMachine } from "./screen-machine.ts";

const enterPlan = toolUse("EnterPlanMode", {});
const planPath = ({ messages }: MessagesRequest) =>
  /(\/[^\s"\\]*plans\/[^\s"\\]+\.md)/.exec(JSON.stringify(messages))?.[1] ?? "";

describeWith("tmux", "a session over its ends", () => {
  test("one that was killed in the middle of a call is chosen among those of the folder, and goes on with what was said", async () => {
    const { sit, cwd, fake } = await screenMachine({
      replies: [
        "The first answer.",
        [toolUse("Bash", { command: "touch begun; until [ -e over ]; do sleep 0.05; done" })],
      ],
    });
    const first = sit({ args: ["--allowed-tools", "Bash"] });
    await first.sees(prompt);
    first.say("the first question");
    await first.sees("The first answer.");
    first.say("wait");
    await untilSeen("the command", () => existsSync(join(cwd, "begun")));
    first.kill();
    await first.sees("ended with");
    // What a killed process leaves behind is not the screen's affair.
    writeFileSync(join(cwd, "over"), "");
    fake.push("I go on.");
    const second = sit({ args: ["--resume"] });
    expect(await second.sees(asks)).toMatch(/› 1\. the first question\n {5}just now/);
    second.press("Enter");
    const shown = await second.sees("I go on.");
    expect(shown).toMatch(
      /› the first question\n\n {2}The first answer\.\n\n› wait\n\n● Bash {2}touch begun.*\n {2}└ It was cut off/,
    );
    expect(JSON.stringify(fake.requests.at(-1)?.json)).toMatch(
      /the first question.*The first answer.*wait.*interrupted/,
    );
    second.press("Up", "Up");
    await second.sees(/^› the first question$/m);
  });

  test("a terminal that is closed ends what a session runs, and then the session, which knows of it when it goes on", async () => {
    const command = "echo $$ >pid.new; mv pid.new pid; until [ -e over ]; do sleep 0.05; done";
    const { sit, cwd } = await screenMachine({ replies: [[toolUse("Bash", { command })]] });
    sit();
    const seat = sit({ args: ["--allowed-tools", "Bash"] });
    await seat.sees(prompt);
    seat.say("wait");
    await untilSeen("the command", () => existsSync(join(cwd, "pid")));
    const pid = readFileSync(join(cwd, "pid"), "utf8").trim();
    const [troupe = ""] = seat.started();
    seat.close();
    await untilSeen("the end of troupe", () => !isRunning(troupe));
    expect(isRunning(pid)).toBe(false);
    const second = sit({ args: ["--resume"] });
    await second.sees(asks);
    second.press("Enter");
    await second.sees("└ Interrupted; the command and every process it started were killed.");
  });

  test("a plan is shown whole, sent back with words, and carried out once it is approved", async () => {
    const { sit, cwd, fake } = await screenMachine({
      rule: (request) => {
        const last = JSON.stringify(request.messages.at(-1)?.content);
        const said = JSON.stringify(request.messages);
        if (last.includes("make a plan")) return [enterPlan];
        const write = (text: string) => [toolUse("Write", { file_path: planPath(request), content: text })];
        if (last.includes("already in plan mode")) return write("# Parser\n\n1. Read the **grammar**\n");
        if (last.includes("and test it")) return write("# Parser\n\n1. Read the **grammar**\n2. Test it\n");
        if (last.includes("plans/")) return [toolUse("ExitPlanMode", {})];
        if (last.includes("approved")) return [toolUse("Write", { file_path: "parser.ts", content: "1\n" })];
        return said.includes("parser.ts") ? "The plan is carried out." : "?";
      },
    });
    const seat = sit({ args: ["--permission-mode", "plan"] });
    await seat.sees("plan mode");
    seat.say("make a plan");
    expect(await seat.sees(asks)).toMatch(/── plan ──\n {2}Parser\n\n {2}1\. Read the grammar\n/);
    seat.press("3");
    await seat.sees("enter sends");
    seat.say("and test it");
    expect(await seat.sees(/2\. Test it\n[\s\S]*enter answers/)).toContain("The plan is ready. Carry it out?");
    expect(existsSync(join(cwd, "parser.ts"))).toBe(false);
    seat.press("1");
    await seat.sees("The plan is carried out.");
    expect(existsSync(join(cwd, "parser.ts"))).toBe(true);
    expect(seat.shown()).toContain("edits are accepted");
    expect(fake.requests.length).toBeGreaterThan(4);
  });
});

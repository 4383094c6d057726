import { existsSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { describeWith } from "../require.ts";
import { prompt, screenMachine } from "./screen-machine.ts";

const planPath = (request: MessagesRequest) =>
  /(\/[^\s"\\]*plans\/[^\s"\\]+\.md)/.exec(JSON.stringify(request.messages))?.[1] ?? "";

/** A lead that only makes a team, ann who runs a command, and bob who plans. */
function rule(request: MessagesRequest) {
  const { messages } = request;
  const [first, last] = [JSON.stringify(messages[0]), JSON.stringify(messages.at(-1)?.content)];
  if (first.includes("you are ann"))
    return last.includes("tool_result") ? "Ann has done it." : [toolUse("Bash", { command: "touch by-ann" })];
  if (first.includes("you are bob")) {
    if (last.includes("[Plan Approved]")) return [toolUse("Write", { file_path: "by-bob", content: "1\n" })];
    if (planPath(request) === "") return [toolUse("ExitPlanMode", {})];
    if (messages.length === 3) return [toolUse("Write", { file_path: planPath(request), content: "1. Read it\n" })];
    return last.includes("plans/") && !last.includes("waits") ? [toolUse("ExitPlanMode", {})] : "Bob has done it.";
  }
  return last.includes("begin") ? [toolUse("TeamCreate", { team_name: "crew", description: "d" })] : "I see.";
}

describeWith("tmux", "a person with three terminals", () => {
  test("teammates are spawned in tmux into the team of a session, their permission and plan are answered on the board, and attach shows their panes", async () => {
    const { sit, cwd } = await screenMachine({ rule });
    const lead = sit();
    await lead.sees(prompt);
    lead.say("begin");
    await lead.sees("I see.");
    const at = { args: ["spawn", "ann", "--backend", "tmux", "--prompt", "you are ann"], columns: 160 };
    await sit(at).sees("ann is at work in crew (tmux");
    expect(await lead.sees("@ann wants to use Bash")).toContain("touch by-ann");
    const board = sit({ args: ["watch"] });
    expect(await board.sees("WAITS FOR YOU")).toMatch(/> crew ann asks to use Bash/);
    board.press("a");
    await board.sees("allowed for ann");
    await lead.sees("answered before, from another terminal");
    await lead.sees("✉ ann is idle");
    expect(existsSync(join(cwd, "by-ann"))).toBe(true);
    await board.sees("nothing waits for you");
    // Between two turns a lead rests, as a teammate does.
    await board.sees(/team-lead \(lead\) {2}idle/);

    const outside = sit({ args: ["attach", "crew", "ann"], isOutside: true });
    await outside.sees("Ann has done it.");
    const plans = ["--plan-mode-required", "--prompt", "you are bob"];
    await sit({ args: ["spawn", "bob", "--backend", "tmux", ...plans], columns: 160 }).sees("bob is at work in crew");
    expect(await board.sees("bob asks to carry out a plan")).toMatch(/ {4}1\. Read it\n\ncrew\n/);
    expect(await board.sees(/bob {2}needs input \d+ s {3}hands in a plan/)).toContain("> crew bob");
    board.press("a");
    // What is approved here is the plan, and no edit; a key says that this one is meant.
    await board.sees("bob asks to use Write");
    board.press("k", "a");
    await untilSeen("what the plan says", () => existsSync(join(cwd, "by-bob")));
    // A note of troupe itself would stand across what tmux shows.
    expect(outside.shown()).not.toContain("still at work");
    outside.press("C-b", "d");
    await outside.sees("ended with 0");

    lead.press("C-d");
    await lead.sees("ended with 0");
    expect(await sit({ args: ["show"] }).sees("MEMBERS")).toMatch(/ ann .* ended +0 unread/);
    board.press("q");
    await board.sees("ended with 0");
  });
});

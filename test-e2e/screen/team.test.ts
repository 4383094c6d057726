import { existsSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { describeWith } from "../require.ts";
import { asks, prompt, screenMachine } from "./screen-machine.ts";

const firstOf = ({ messages }: MessagesRequest) => JSON.stringify(messages[0]);
const lastOf = ({ messages }: MessagesRequest) => JSON.stringify(messages.at(-1)?.content);
const planPath = ({ messages }: MessagesRequest) =>
  /(\/[^\s"\\]*plans\/[^\s"\\]+\.md)/.exec(JSON.stringify(messages))?.[1] ?? "";
const mate = (name: string, mode?: string) =>
  toolUse("Agent", {
    name,
    team_name: "crew",
    description: `be ${name}`,
    prompt: `you are ${name}`,
    subagent_type: "general-purpose",
    ...(mode && { mode }),
  });

/** A lead with two teammates; what ann does first is given. */
const ruleWith = (annsFirst: readonly ReturnType<typeof toolUse>[] | string) => (request: MessagesRequest) => {
  const [first, last] = [firstOf(request), lastOf(request)];
  if (first.includes("you are ann")) {
    if (request.messages.length === 1) return annsFirst;
    return last.includes("tool_result") ? "Ann has done it." : "Ann heard you.";
  }
  if (first.includes("you are bob")) return "Bob is here.";
  // Mail may be heard with the person's words.
  if (last.includes("touch it")) return [toolUse("Bash", { command: "touch by-lead" })];
  if (last.includes("begin"))
    return [
      toolUse("TeamCreate", { team_name: "crew", description: "d" }),
      toolUse("TaskCreate", { subject: "Read the grammar", description: "d" }),
    ];
  if (last.includes("Read the grammar")) return [mate("ann"), mate("bob")];
  if (last.includes("teammate_id") || last.includes("crew")) return "They are at work.";
  return "I see.";
};

const args = ["--backend", "in-process"];

describeWith("tmux", "the lead of a team", () => {
  test("a teammate's question has its badge, and its answer is the teammate's", async () => {
    const { sit, cwd } = await screenMachine({ rule: ruleWith([toolUse("Bash", { command: "touch by-ann" })]) });
    const seat = sit({ args });
    await seat.sees(prompt);
    seat.say("begin");
    const question = await seat.sees(asks);
    expect(question).toContain("@ann wants to use Bash\n    touch by-ann");
    expect(seat.painted()).toMatch(/\x1b\[3[1-6]m@ann/);
    seat.press("1");
    await seat.sees(/✉ ann is idle/);
    expect(existsSync(join(cwd, "by-ann"))).toBe(true);
  });

  test("[UI-08] Shift+Down and Shift+Up show what the teammates do, and what is typed there is for them; the screen below is as it was", async () => {
    const { sit } = await screenMachine({ rule: ruleWith("I am at it.") });
    const seat = sit({ args, rows: 40 });
    await seat.sees(prompt);
    seat.say("begin");
    await seat.sees("2 teammates");
    await seat.sees(/✉ ann is idle[\s\S]*✉ bob is idle|✉ bob is idle[\s\S]*✉ ann is idle/);
    seat.press("S-Down");
    const ann = await seat.sees("Write to ann");
    expect(ann).toMatch(/^@ann {2}idle/);
    expect(ann).toContain("I am at it.");
    seat.say("hello");
    await seat.sees("Ann heard you.");
    seat.press("S-Down");
    expect(await seat.sees("Write to bob")).toContain("Bob is here.");
    seat.press("S-Up");
    await seat.sees("Write to ann");
    seat.press("Escape");
    expect(await seat.sees(prompt)).toMatch(/› begin\n\n● TeamCreate {2}crew/);
  });

  test.each([60, 100])(
    "with --plan-approval user, in %d columns, the plan of a teammate is shown whole to the person, who sends it back and then approves it",
    async (columns) => {
      const plan = (text: string) => (request: MessagesRequest) => [
        toolUse("Write", { file_path: planPath(request), content: text }),
      ];
      const { sit, cwd, fake } = await screenMachine({
        rule: (request) => {
          const [first, last] = [firstOf(request), lastOf(request)];
          if (!first.includes("you are ann")) {
            if (last.includes("begin")) return [toolUse("TeamCreate", { team_name: "crew", description: "d" })];
            return last.includes("tool_result") && !last.includes("ann") ? [mate("ann", "plan")] : "I see.";
          }
          if (last.includes("[Plan Approved]")) return [toolUse("Write", { file_path: "parser.ts", content: "1\n" })];
          if (last.includes("[Plan Rejected]"))
            return plan("# Parser\n\n1. Read the **grammar**\n2. Test it\n")(request);
          if (planPath(request) === "") return [toolUse("ExitPlanMode", {})];
          if (request.messages.length === 3) return plan("# Parser\n\n1. Read the **grammar**\n")(request);
          if (last.includes("plans/") && !last.includes("waits")) return [toolUse("ExitPlanMode", {})];
          return "Ann has done it.";
        },
      });
      const seat = sit({ args: [...args, "--plan-approval", "user"], columns, rows: 40 });
      await seat.sees(prompt);
      seat.say("begin");
      const first = await seat.sees(asks);
      expect(first).toMatch(/── @?ann's plan ──|── plan of @?ann ──|@ann/);
      expect(first).toMatch(/ {2}Parser\n\n {2}1\. Read the grammar\n/);
      expect(first).toContain("@ann hands in its plan. May it carry it out?");
      seat.press("3");
      await seat.sees("enter sends");
      seat.say("and test it");
      await seat.sees(/2\. Test it\n[\s\S]*enter answers/);
      expect(existsSync(join(cwd, "parser.ts"))).toBe(false);
      seat.press("1");
      await untilSeen("what the plan says", () => existsSync(join(cwd, "parser.ts")));
      const heard = fake.requests.map(({ json }) => lastOf(json as MessagesRequest));
      expect(heard.filter((text) => text.includes("[Plan Rejected] and test it"))).toHaveLength(1);
    },
  );

  test("[DELEG-02] Shift+Tab comes to the mode in which the lead only delegates, and back; Ctrl+T shows the tasks", async () => {
    const { sit, cwd } = await screenMachine({ rule: ruleWith("I am at it.") });
    const seat = sit({ args: [...args, "--allowed-tools", "Bash"] });
    await seat.sees(prompt);
    seat.say("begin");
    await seat.sees("2 teammates");
    seat.press("C-t");
    expect(await seat.sees("Tasks  0 of 1 done")).toContain("☐ #1 Read the grammar");
    for (const words of ["delegate mode"]) {
      seat.press("BTab");
      await seat.sees(words);
    }
    seat.say("touch it");
    await seat.sees("delegate mode does not run Bash");
    for (const words of ["edits are accepted", "plan mode", "asks before changes"]) {
      seat.press("BTab");
      await seat.sees(words);
    }
    seat.say("touch it");
    await seat.sees(/● Bash {2}touch by-lead\n {2}└ \(no output\)/);
    expect(existsSync(join(cwd, "by-lead"))).toBe(true);
  });
});

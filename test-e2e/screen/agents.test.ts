import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { describeWith } from "../require.ts";
import { prompt, screenMachine } from "./screen-machine.ts";

const isAgents = ({ messages }: MessagesRequest) => JSON.stringify(messages[0]).includes("look around");
const lastOf = ({ messages }: MessagesRequest) => JSON.stringify(messages.at(-1)?.content);

/** An agent that works until a file is there; its lead starts it and hears of its end. */
const rule = (request: MessagesRequest) => {
  if (isAgents(request)) {
    const wait = toolUse("Bash", { command: "until [ -e go ]; do sleep 0.05; done; echo waited" });
    return request.messages.length === 1
      ? [toolUse("Bash", { command: "pwd" })]
      : lastOf(request).includes("waited")
        ? "All is quiet."
        : [wait];
  }
  const said = lastOf(request);
  const [, id] = /works in the background.*?agentId: (a\w+)/.exec(said) ?? [];
  if (id !== undefined) return [toolUse("TaskOutput", { task_id: id, block: false, timeout: 0 })];
  if (said.includes("<task-notification>")) return "I heard of its end.";
  if (said.includes("tool_result")) return "I go on.";
  return [toolUse("Agent", { description: "a look", prompt: "look around", subagent_type: "general-purpose" })];
};
const allowed = ["--allowed-tools", "Bash"];

const letGo = (cwd: string) => writeFileSync(join(cwd, "go"), "");

/** All files below a directory. */
const below = (dir: string): readonly string[] =>
  readdirSync(dir).flatMap((name) =>
    statSync(join(dir, name)).isDirectory() ? below(join(dir, name)) : [join(dir, name)],
  );

describeWith("tmux", "agents below the session", () => {
  test("[UI-01] [UI-02] [UI-05] the person sees what it does, the model gets its result once, and its transcript holds what neither sees", async () => {
    const { sit, home, cwd, fake } = await screenMachine({ rule });
    const seat = sit({ args: allowed });
    await seat.sees(prompt);
    seat.say("have a look");
    const live = await seat.sees(/● Agent {2}a look\n {2}└ 2 calls · Bash until/);
    expect(live).toContain("esc stops it · ctrl+b to the background");
    letGo(cwd);
    const shown = await seat.sees("I go on.");
    expect(shown).toMatch(/● Agent {2}a look\n {2}└ All is quiet\./);
    const results = fake.requests.filter(({ json }) => lastOf(json as MessagesRequest).includes("All is quiet."));
    expect(results).toHaveLength(1);
    const [transcript = ""] = below(join(home, ".claude/projects")).filter((path) =>
      /subagents\/agent-.*\.jsonl$/.test(path),
    );
    const kept = readFileSync(transcript, "utf8");
    expect(kept).toContain("look around");
    expect(seat.history()).not.toContain("look around");
    expect(kept).not.toContain("esc stops it");
  });

  test("[SYNC-11] [UI-02] Ctrl+B puts a running agent into the background: the turn goes on, and its end is told once", async () => {
    const { sit, cwd, fake } = await screenMachine({ rule });
    const seat = sit({ args: allowed });
    await seat.sees(prompt);
    seat.say("have a look");
    await seat.sees("2 calls · Bash until");
    seat.press("C-b");
    await seat.sees("I go on.");
    const [state] = fake.requests.filter(({ json }) => lastOf(json as MessagesRequest).includes("running"));
    expect(lastOf(state?.json as MessagesRequest), "its state, as the model may ask for it").toMatch(/tool_result/);
    await seat.sees(/◌ a look {2}in the background · 2 calls/);
    letGo(cwd);
    await seat.sees("I heard of its end.");
    expect(seat.shown()).toContain('Agent "a look" completed');
    await untilSeen("the end of the line of the agent", () => !seat.shown().includes("◌ a look"));
    const told = fake.requests.filter(({ json }) => lastOf(json as MessagesRequest).includes("<task-notification>"));
    expect(told).toHaveLength(1);
  });

  test("[QUEUE-03] what is typed during a turn waits where it can be seen, and is heard at its next step", async () => {
    const { sit, cwd, fake } = await screenMachine({
      replies: [[toolUse("Bash", { command: "until [ -e go ]; do sleep 0.05; done" })], "I heard both."],
    });
    const seat = sit({ args: allowed });
    await seat.sees(prompt);
    seat.say("wait");
    await seat.sees("● Bash  until");
    await seat.sees("esc stops it");
    seat.say("one more thing");
    await seat.sees("› one more thing  (waits)");
    expect(fake.requests).toHaveLength(1);
    letGo(cwd);
    await seat.sees("I heard both.");
    expect(lastOf(fake.requests[1]?.json as MessagesRequest)).toMatch(/tool_result.*one more thing/);
    expect(seat.shown()).not.toContain("(waits)");
  });
});

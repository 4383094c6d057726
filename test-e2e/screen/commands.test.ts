import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { describeWith } from "../require.ts";
import { prompt, screenMachine } from "./screen-machine.ts";

const lastOf = (request: unknown) => JSON.stringify((request as MessagesRequest).messages.at(-1)?.content);
const wait = "touch begun; until [ -e go ]; do sleep 0.05; done; echo over";

describeWith("tmux", "what a person does besides asking", () => {
  test("[SYNC-11] Ctrl+B puts a command into the background, of the model's and of the person's own: the turn goes on, and its end is told", async () => {
    const { sit, cwd, fake } = await screenMachine({
      rule: (request) => {
        const last = lastOf(request);
        if (last.includes("<task-notification>")) return "I heard of its end.";
        if (last.includes("goes on in the background")) return "I go on without it.";
        return last.includes("wait for it") ? [toolUse("Bash", { command: wait })] : "?";
      },
    });
    const seat = sit({ args: ["--allowed-tools", "Bash"] });
    await seat.sees(prompt);
    seat.say("wait for it");
    await untilSeen("the command", () => existsSync(join(cwd, "begun")));
    await seat.sees("esc stops it · ctrl+b to the background");
    seat.press("C-b");
    const shown = await seat.sees("I go on without it.");
    expect(shown).toMatch(/^● Bash {2}touch begun.*\n {2}└ in the background$/m);
    await seat.sees(/◌ touch begun.* {2}in the background\n/);
    writeFileSync(join(cwd, "go"), "");
    await seat.sees("I heard of its end.");
    await untilSeen("the end of its line", () => !seat.shown().includes("◌ touch begun"));
    expect(lastOf(fake.requests.at(-1)?.json)).toContain("completed (exit code 0)");
    seat.say("!until [ -e more ]; do sleep 0.05; done");
    await seat.sees("› ! until [ -e more ]");
    seat.press("C-b");
    await seat.sees(/◌ until.* {2}in the background\n/);
    writeFileSync(join(cwd, "more"), "");
    await untilSeen("the end of its line", () => !seat.shown().includes("◌ until"));
  });

  test("/model goes on with another model, whose name is completed; /compact replaces the conversation by a summary; an agent is named after @", async () => {
    const { sit, fake } = await screenMachine({ replies: ["The answer.", "The summary.", "Another answer."] });
    const seat = sit();
    await seat.sees(prompt);
    seat.say("a question");
    await seat.sees("The answer.");
    seat.type("/model ha");
    await seat.sees("› haiku  claude-haiku-5-5");
    seat.press("Enter");
    await seat.sees("The next request goes to claude-haiku-5-5");
    await seat.sees(/· haiku-5-5/);
    seat.say("/compact keep the names");
    await seat.sees("The conversation so far was replaced by a summary.");
    await seat.sees(prompt);
    seat.type("ask @gen");
    await seat.sees("› agent-general-purpose");
    seat.press("Tab");
    await seat.sees("› ask @agent-general-purpose");
    seat.press("Enter");
    await seat.sees("Another answer.");
    const requests = fake.requests.map(({ json }) => json as MessagesRequest);
    expect(requests.map(({ model }) => model)).toEqual(["claude-sonnet-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"]);
    expect(lastOf(requests[1])).toContain("keep the names");
    expect(JSON.stringify(requests[2]?.messages)).toMatch(/The summary\..*ask @agent-general-purpose/);
    expect(JSON.stringify(requests[2]?.messages)).not.toContain("a question");
  });
});

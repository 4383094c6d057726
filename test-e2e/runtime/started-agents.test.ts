import { text, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { awaited } from "../../scripts/awaited.ts";
import { projectBeside, sentIn, turn } from "./faked-session.ts";

const scopes = ["user", "project", "local"] as const;
const places = {
  user: ".claude/agent-memory",
  project: "project/.claude/agent-memory",
  local: "project/.claude/agent-memory-local",
};

test("[MEM-08] an agent that is started has the memory of its own scope in its system prompt, behind its definition", async () => {
  const calls = [...scopes, "none"].map((scope) =>
    toolUse("Agent", { description: "remember", prompt: `task of ${scope}`, subagent_type: `keeper-${scope}` }),
  );
  const { fake, write, open } = await projectBeside({
    rule: ({ messages }) => (JSON.stringify(messages).includes("task of") ? "Remembered." : calls),
  });
  for (const scope of [...scopes, "none"]) {
    const memory = scope === "none" ? "" : `memory: ${scope}\n`;
    write(
      `project/.claude/agents/keeper-${scope}.md`,
      `---\nname: keeper-${scope}\ndescription: keeps\n${memory}---\nYou keep ${scope}.\n`,
    );
    for (const place of scopes)
      write(`${places[place]}/keeper-${scope}/MEMORY.md`, `- ${scope} learned it in ${place}\n`);
  }
  await turn(open(), "go");
  for (const scope of scopes) {
    const [sent] = sentIn(fake).filter(({ messages }) => messages[0]?.said.join() === `task of ${scope}`);
    expect(sent?.system).toHaveLength(3);
    expect(sent?.system[0]?.trim()).toBe(`You keep ${scope}.`);
    expect(sent?.system[1]).toContain(`- ${scope} learned it in ${scope}`);
    expect(sent?.system.join("\n").match(/learned it/g)).toHaveLength(1);
  }
  const [sent] = sentIn(fake).filter(({ messages }) => messages[0]?.said.join() === "task of none");
  expect(sent?.system).toHaveLength(2);
  expect(sent?.system.join("\n")).not.toContain("learned it");
});

test.each([false, true])(
  "[DEF-62] an agent that is started (in the background: %s) is sent its own system prompt, where it works, and its task as it was given, and nothing else",
  async (run_in_background) => {
    const prompt = "  Look into the attic.\n\nThen report. ";
    const call = toolUse("Agent", { description: "look", prompt, subagent_type: "scout", run_in_background });
    const { cwd, fake, write, open } = await projectBeside({
      rule: ({ messages }) =>
        messages[0]?.content[0]?.["text"] === prompt || messages.length > 1
          ? "Done."
          : [text("I send somebody."), call],
    });
    write("project/.claude/agents/scout.md", "---\nname: scout\ndescription: scouts\n---\nYou scout, quietly.\n");
    write("project/CLAUDE.md", "The project's own instructions.\n");
    write(".claude/CLAUDE.md", "The user's own instructions.\n");
    const session = open({}, { now: () => new Date("2026-11-18T12:00:00Z") });
    await turn(session, "The caller's own words.");
    await awaited("the ends of all agents", Promise.all(session.jobs.all().map((job) => job.settled)));
    const own = sentIn(fake).filter(({ messages }) => messages[0]?.said[0] === prompt);
    expect(own).toHaveLength(1);
    expect(own[0]?.messages).toEqual([{ role: "user", said: [prompt] }]);
    expect(own[0]?.system.map((part) => part.trim())).toEqual([
      "You scout, quietly.",
      `# Environment\n\nWorking directory: ${cwd}\nPlatform: ${process.platform}\nDate: 2026-11-18`,
    ]);
  },
);

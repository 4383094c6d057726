import { expect, test } from "vitest";
import { workbench } from "../../test/workbench.ts";
import type { ToolContext } from "../loop/tool.ts";
import type { Skill } from "../skills/skill.ts";

const skill = (name: string, words: string) => ({ name, description: `what ${name} does`, text: async () => words });

test("a skill gives its text with what it is used on, in its place or behind it", async () => {
  const { call, toolCalled } = workbench({
    skills: [skill("plain", "Do it."), skill("placed", "Do $ARGUMENTS well.")],
  });
  expect((await call("Skill", { skill: "plain", args: "now" })).text).toBe("Do it.\n\nARGUMENTS: now");
  expect((await call("Skill", { skill: "/placed", args: "$&" })).text).toBe("Do $& well.");
  expect((await call("Skill", { skill: "plain" })).text).toBe("Do it.");
  expect(toolCalled("Skill").definition.description).toContain("- placed: what placed does");
});

test("a skill that is not there is refused with those that are", async () => {
  const { call } = workbench({ skills: [skill("one", ""), skill("two", "")] });
  expect(await call("Skill", { skill: "three" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("one, two"),
  });
});

test("the model is offered only what it may call, in the order of the names, and the rest is refused", async () => {
  const skills = [skill("two", "2"), { ...skill("secret", "Wipe."), isForModel: false }, skill("one", "1")];
  const { call, toolCalled } = workbench({ skills });
  const { description } = toolCalled("Skill").definition;
  expect(description).toMatch(/- one: what one does\n- two: what two does$/);
  expect(await call("Skill", { skill: "secret" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("ask the user to type /secret"),
  });
  expect((await call("Skill", { skill: "none" })).text).toBe("There is no skill none. Available: one, two.");
});

test("a list that is too long keeps the names and shortens what they do", () => {
  const descriptionOf = (count: number, words: string) => {
    const skills = Array.from({ length: count }, (_, at) => ({ ...skill(`skill-${at}`, ""), description: words }));
    return workbench({ skills }).toolCalled("Skill").definition.description;
  };
  const many = descriptionOf(500, "word ".repeat(400));
  expect(many.length).toBeLessThan(10_200);
  expect(many.match(/^- skill-\d+: w/gm)).toHaveLength(500);
  expect(descriptionOf(5_000, "x").length).toBeLessThan(10_300);
  expect(descriptionOf(1, "x".repeat(3_000)).length).toBeLessThan(1_300);
});

test("[SLASH-01] a forked skill is handed on with its prompt; without anybody who does it, its text is given", async () => {
  const forked = { ...skill("audit", "Audit $0."), isForked: true };
  const asked: unknown[] = [];
  const runForked = async ({ name }: Skill, prompt: string, { call }: ToolContext) => {
    asked.push([name, prompt, call]);
    return { content: [{ type: "text", text: "All is well." }] };
  };
  const { call, toolCalled } = workbench({ skills: [forked, skill("plain", "Do.")], runForked });
  expect((await call("Skill", { skill: "audit", args: "auth" })).text).toBe("All is well.");
  expect((await call("Skill", { skill: "plain" })).text).toBe("Do.");
  expect(asked).toEqual([["audit", "Audit auth.", "toolu_1"]]);
  expect(toolCalled("Skill").isReplayable).toBe(false);
  expect(toolCalled("Skill").isConcurrent({})).toBe(true);
  expect(workbench({ skills: [skill("plain", "")], runForked }).toolCalled("Skill").isReplayable).toBe(true);
  expect((await workbench({ skills: [forked] }).call("Skill", { skill: "audit", args: "x" })).text).toBe("Audit x.");
});

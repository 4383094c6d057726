import { expect, test } from "vitest";
import { workbench } from "../../test/workbench.ts";

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

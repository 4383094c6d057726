import { expect, test } from "vitest";
import type { KnownAgent } from "../project/definitions.ts";
import { skillsToPreload } from "./preload.ts";

const there = ["zoo:react", "kit:react", "kit:style", "other:style", "style"];
const skills = there.map((name) => ({ name, description: "", text: async () => name }));
const preload = (wanted: string[], agentType = "own", source: KnownAgent["source"] = "user") => {
  const agent = { agentType, whenToUse: "", getSystemPrompt: () => "", source, skills: wanted };
  const found = skillsToPreload(agent, skills);
  return { skills: found.skills.map(({ name }) => name), missing: found.missing };
};

test("[DEF-28] a skill of a plugin is found by its full name, by the plugin of the agent that names it, or by its ending", () => {
  expect(preload(["zoo:react"]).skills).toEqual(["zoo:react"]);
  expect(preload(["react"], "zoo:painter", "plugin").skills).toEqual(["zoo:react"]);
  expect(preload(["react"]).skills).toEqual(["kit:react"]);
  expect(preload(["style"]).skills).toEqual(["style"]);
});

test("a part of a name finds nothing, what is not there is told, and nothing comes twice", () => {
  expect(preload(["act", "kit:", "absent", "kit:style", "kit:style"])).toEqual({
    skills: ["kit:style"],
    missing: ["act", "kit:", "absent"],
  });
  expect(preload(["react", "kit:react"]).skills).toEqual(["kit:react"]);
});

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { skillsToPreload } from "../agents/preload.ts";
import { systemOf } from "../agents/subagent-prompt.ts";
import type { KnownAgent } from "../project/definitions.ts";
import { loadSkills } from "./load.ts";

function loaded() {
  const top = scratch();
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  };
  put("root/skills/style/SKILL.md", "---\ndescription: Short.\n---\nThe whole style.\n\nTo its last line.");
  put("root/skills/other/SKILL.md", "What its caller has at hand.");
  put("zoo/skills/react/SKILL.md", "React of the zoo.");
  put("kit/skills/react/SKILL.md", "React of the kit.");
  const plugins = ["zoo", "kit"].map((name) => ({ name, directory: join(top, name) }));
  const places = { root: join(top, "root"), cwd: top, isTrusted: true, plugins, revision: "2026-02" } as const;
  return { top, skills: loadSkills(places).skills };
}
const agent = (skills: string[], agentType = "painter", source: KnownAgent["source"] = "user"): KnownAgent => ({
  agentType,
  whenToUse: "Paints.",
  getSystemPrompt: () => "You paint.",
  source,
  skills,
});

test("[DEF-11] an agent begins with the whole text of the skills it names, and with no other of its caller's", async () => {
  const { top, skills } = loaded();
  const environment = { cwd: top, platform: "linux", date: "2026-02-01" };
  const deps = { root: top, project: top, skills, environment, instructions: [] };
  const system = JSON.stringify(await systemOf({ ...deps, agent: agent(["style"]) }));
  expect(system).toContain("The whole style.\\n\\nTo its last line.");
  expect(system).not.toContain("What its caller has at hand");
  expect(JSON.stringify(await systemOf({ ...deps, agent: agent([]) }))).not.toContain("The whole style");
});

test("[DEF-28] skills of plugins on disk are preloaded by their namespace or the ending of their name", () => {
  const { skills } = loaded();
  const named = (one: KnownAgent) => skillsToPreload(one, skills).skills.map(({ name }) => name);
  expect(named(agent(["zoo:react"]))).toEqual(["zoo:react"]);
  expect(named(agent(["react"]))).toEqual(["kit:react"]);
  expect(named(agent(["react"], "zoo:painter", "plugin"))).toEqual(["zoo:react"]);
});

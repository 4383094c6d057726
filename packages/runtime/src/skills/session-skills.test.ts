import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { type Cast, done, opened, settled, stage, turn, type Wishes } from "../../test/sessions.ts";

/** A session whose project has these skills, by name: front matter and body. */
function staged(cast: Cast, skills: Readonly<Record<string, string>>, over: Wishes = {}) {
  const scene = stage(cast, over);
  for (const [name, text] of Object.entries(skills)) {
    const directory = join(scene.cwd, ".claude/skills", name);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "SKILL.md"), text);
  }
  return scene;
}

const audit = `---
name: audit
description: looks at the authentication
context: fork
allowed-tools: Read, Grep
---
Audit the way in, task one. $ARGUMENTS
`;
const greet = `---
description: greets
---
Greet $ARGUMENTS.
`;

test("[SLASH-03] [SLASH-04] [SLASH-05] a forked skill that a person types is done by an agent, and what it says is the command's output", async () => {
  const { deps, requestsOf } = staged({ "": [done], "task one": [[words("No way in.")]] }, { audit });
  const session = opened(deps);
  const output = await session.submit("/audit the cellar door");
  expect(output).toContain("No way in.");
  expect(requestsOf("")).toEqual([]);
  const [asked] = requestsOf("task one");
  expect(asked?.messages[0]?.blocks.join()).toContain("the cellar door");
  expect(await turn(session, "and now?")).toMatchObject({ terminal: { isOk: true } });
  expect(JSON.stringify(requestsOf("").at(0)?.messages)).toMatch(/local-command-stdout.*No way in/);
});

test("[SLASH-02] such an agent has the tools that the skill allows", async () => {
  const { deps, requestsOf } = staged({ "": [done], "task one": [done] }, { audit });
  await opened(deps).submit("/audit");
  const names = requestsOf("task one")[0]?.tools.map((tool): string => JSON.parse(tool).name);
  expect(names).toEqual(["Read", "Grep"]);
});

test("a skill that is not forked is the person's words, and its hooks see what was typed", async () => {
  const { deps, requests } = staged({ "": [done] }, { greet });
  const session = opened(deps);
  await turn(session, "/greet the moon");
  expect(requests[0]?.messages[0]?.blocks.join()).toMatch(/<command-name>\/greet<\/command-name>.*Greet the moon\./);
  expect(await session.submit("/gret")).toBe("There is no command /gret; did you mean /greet?");
  expect(requests).toHaveLength(1);
});

test("the model's call of a forked skill is answered with the agent's report", async () => {
  const { deps } = staged(
    { "": [[toolUse("t1", "Skill", { skill: "audit" })], done], "task one": [[words("No way in.")]] },
    { audit },
    { mode: "bypassPermissions", isBypassAvailable: true },
  );
  const { talk } = await turn(opened(deps), "go");
  expect(talk[2]).toContain("No way in.");
});

test("[SLASH-07] where nothing may wait for agents, commands return at once and their agents work side by side", async () => {
  const { deps, requestsOf } = staged(
    { "": [done, done, done], "task one": [[words("No way in.")], [words("No way out.")]] },
    { audit },
    { gates: { isAlwaysBackground: true } },
  );
  const session = opened(deps);
  const outputs = [await session.submit("/audit in"), await session.submit("/audit out")];
  expect(outputs.join()).toMatch(/background.*background/s);
  await settled(session);
  expect(requestsOf("task one")).toHaveLength(2);
  const { talk } = await turn(session, "what came of it?");
  expect(talk.join()).toMatch(/No way in.*No way out/s);
});

test("a hook that refuses prompts refuses commands that an agent would do as well", async () => {
  const { deps, requestsOf, trust } = staged({ "": [done], "task one": [done] }, { audit }, {});
  writeFileSync(
    join(deps.project.cwd, ".claude/settings.json"),
    JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }] } }),
  );
  trust();
  expect(await opened(deps).submit("/audit")).toBe("no");
  expect(requestsOf("task one")).toEqual([]);
});

test("a skill of an untrusted project that became a link since it was found is not read", async () => {
  const { deps } = staged(
    { "": [[toolUse("t1", "Skill", { skill: "greet" })], done] },
    { greet },
    { mode: "bypassPermissions", isBypassAvailable: true },
  );
  const session = opened(deps);
  const secret = join(deps.machine.home, "secret.md");
  writeFileSync(secret, "TOP SECRET");
  const file = join(deps.project.cwd, ".claude/skills/greet/SKILL.md");
  rmSync(file);
  symlinkSync(secret, file);
  const { talk } = await turn(session, "go");
  expect(talk[2]).toContain("link to another place");
  expect(talk[2]).not.toContain("SECRET");
});

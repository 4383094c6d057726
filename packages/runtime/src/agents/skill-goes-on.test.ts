import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolUse } from "../../test/entries.ts";
import { killedHere } from "../../test/killed.ts";
import { done, opened, settled, stage, turn } from "../../test/sessions.ts";
import type { FrozenRequest } from "../model/frozen.ts";

const look = (id: string) => toolUse(id, "Glob", { pattern: "*" });
const free = { mode: "bypassPermissions", isBypassAvailable: true } as const;
const said = (request: FrozenRequest | undefined) => JSON.stringify(request?.messages);

test("an agent that does a skill goes on with the tools that the skill leaves it, and no others", async () => {
  const shell = toolUse("u2", "Bash", { command: "touch made" });
  const scene = stage(
    {
      "": (_, nth) => (nth === 0 ? [toolUse("t1", "Skill", { skill: "audit" })] : done),
      "task one": (_, nth) => [[look("u1")], done, [shell], done][nth] ?? done,
    },
    { sessionId: "s1", gates: { isAlwaysBackground: true }, ...free },
  );
  const skill = join(scene.cwd, ".claude/skills/audit");
  mkdirSync(skill, { recursive: true });
  const matter = "description: audits\ncontext: fork\nallowed-tools: Read, Glob";
  writeFileSync(join(skill, "SKILL.md"), `---\n${matter}\n---\nAudit it, task one.\n`);
  scene.trust();
  let kill = () => {};
  const model: typeof scene.deps.model = async function* (request, signal) {
    if (said(request).includes("task one") && said(request).includes("u1")) kill = killedHere(scene.deps.machine.root);
    yield* scene.deps.model(request, signal);
  };
  const first = opened({ ...scene.deps, model });
  await turn(first, "go");
  await settled(first);
  await first.close();
  kill();
  const second = opened(scene.deps);
  await turn(second);
  await settled(second);
  expect(said(scene.requestsOf("task one").at(-1))).toMatch(/There is no tool called [\\"]+Bash/);
  expect(existsSync(join(scene.cwd, "made"))).toBe(false);
});

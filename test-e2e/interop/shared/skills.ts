import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expectWords } from "../checks.ts";
import { markOf, toldTo } from "../conversation.ts";
import type { Given } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { bidden, bothOf } from "./headless.ts";

/** Skills, a command and instructions that lie where both look. */
export async function shareSkills({ check, open }: Given): Promise<void> {
  for (const side of ["theirs", "ours"] as const) {
    const stage = await open();
    furnish(stage);
    await stage.troupe("trust", stage.cwd, "--yes");
    const run = bothOf(stage)[side];
    const told = (name: string) => stage.agent(name).requests.map(toldTo).join("\n");
    await check(
      `skills of the project and of the user are offered to the model of ${side}, with its instructions`,
      async () => {
        await run(`${markOf("sky")} begin`);
        expectWords(JSON.stringify(stage.agent("sky").requests.at(-1) ?? {}), [
          "How to paint-about",
          "How to plant-about",
          "<claude-md>",
          "<user-md>",
        ]);
        return undefined;
      },
    );
    await check(`a skill that the model of ${side} calls is opened to it, with where its files are`, async () => {
      const results = bidden(stage, "ski", [["Skill", { skill: "paint" }]]);
      await run(`${markOf("ski")} begin`, "--dangerously-skip-permissions");
      results();
      expectWords(told("ski"), ["<paint-body>", join(stage.cwd, ".claude/skills/paint")]);
      return undefined;
    });
    await check(
      `a command that is typed to ${side} is what its model is told, with what stands behind it`,
      async () => {
        await run("/polish the long fence");
        expectWords(told("pol"), ["<polish-body> of the long fence."]);
        return undefined;
      },
    );
  }
}

function furnish({ root, cwd }: Stage): void {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const skill = (name: string) =>
    `---\nname: ${name}\ndescription: How to ${name}-about\n---\nIt is done so: <${name}-body>\n`;
  put(join(cwd, ".claude/skills/paint/SKILL.md"), skill("paint"));
  put(join(root, "skills/plant/SKILL.md"), skill("plant"));
  put(
    join(cwd, ".claude/commands/polish.md"),
    `---\ndescription: Polishes.\n---\n${markOf("pol")} <polish-body> of $ARGUMENTS.\n`,
  );
  put(join(cwd, "CLAUDE.md"), "In this project: <claude-md>\n");
  put(join(root, "CLAUDE.md"), "Always: <user-md>\n");
}

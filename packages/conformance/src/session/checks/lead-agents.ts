import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assertMatches, assertThat } from "../assert.ts";
import { countIn, toldTo } from "../conversation.ts";
import { leadCheck } from "../lead-stage.ts";

const prompt = "agent:sub. Count the rules.";

/** The worktrees of a project; none where there is no place for them. */
const worktrees = (cwd: string): readonly string[] => {
  const place = join(cwd, ".claude/worktrees");
  return existsSync(place) ? readdirSync(place) : [];
};

/** Agents below a session, which are members of no team. */
export const leadAgentChecks = [
  leadCheck({
    id: "SUB-BACK/a",
    level: "L5",
    title:
      "the result of an agent in the background comes once, as a notification; the result of the call stays as it was",
    requirements: ["ATP-SUB-005", "ATP-SUB-006"],
    async run({ lead, dialect, puppet }) {
      const { delegate } = await dialect();
      const [launched] = await lead.does(delegate({ prompt, more: { run_in_background: true } }));
      assertThat(launched?.isError === false, "the agent was not started", launched);
      const sub = puppet("sub");
      await sub.asked();
      await lead.says("I wait.");
      await sub.says("There are 214 rules.");
      const told = await lead.asked();
      assertMatches("how often the result was told", countIn(told, "There are 214 rules."), 1);
      assertThat(toldTo(told).includes("<task-notification>"), "it is no task-notification", toldTo(told).slice(-600));
      assertMatches("how often the call was answered as before", countIn(told, launched?.text ?? ""), 1);
      await lead.does(["TaskList", {}]);
      assertMatches("how often it was told in the end", countIn(await lead.asked(), "There are 214 rules."), 1);
    },
  }),
  leadCheck({
    id: "SUB-TYPE/a",
    level: "L5",
    title: "an agent of a type that is not there fails, and no other is started for it",
    requirements: ["ATP-SUB-001"],
    async run({ lead, dialect, puppet }) {
      const [result] = await lead.does((await dialect()).delegate({ prompt, type: "no-such-agent" }));
      assertThat(result?.isError === true, "the call went through", result);
      assertMatches("the requests of another", puppet("sub").requests.length, 0);
    },
  }),
  leadCheck({
    id: "SUB-DEEP/a",
    level: "L5",
    title: "an agent below a session starts none itself",
    requirements: ["ATP-SUB-013"],
    revisions: ["2026-02"],
    async run({ lead, dialect, puppet }) {
      const { delegate } = await dialect();
      await lead.does(delegate({ prompt, more: { run_in_background: true } }));
      const [result] = await puppet("sub").does(delegate({ prompt: "agent:deep. Go on." }));
      assertThat(result?.isError === true, "the call went through", result);
      assertMatches("the requests of another", puppet("deep").requests.length, 0);
    },
  }),
  leadCheck({
    id: "TREE-CLEAN/a",
    level: "L5",
    title: "an isolated agent works in a worktree below .claude/worktrees, which goes when it changed nothing",
    requirements: ["ATP-WT-001", "ATP-WT-003"],
    with: { isRepository: true },
    async run({ lead, dialect, puppet, until, cwd }) {
      const more = { isolation: "worktree", run_in_background: true };
      await lead.does((await dialect()).delegate({ prompt, more }));
      const sub = puppet("sub");
      await sub.asked();
      const [name = ""] = worktrees(cwd);
      assertThat(existsSync(join(cwd, ".claude/worktrees", name, "notes.txt")) && name !== "", "there is no worktree");
      await lead.says("I wait.");
      await sub.says("Nothing to do.");
      await lead.says("Done.");
      await until("the end of the worktree", () => worktrees(cwd).length === 0);
    },
  }),
  leadCheck({
    id: "TREE-KEPT/a",
    level: "L5",
    title: "a worktree in which something was changed stays, and its path is told",
    requirements: ["ATP-WT-003"],
    with: { isRepository: true },
    async run({ lead, dialect, puppet, cwd }) {
      const more = { isolation: "worktree", run_in_background: true };
      await lead.does((await dialect()).delegate({ prompt, more }));
      const sub = puppet("sub");
      await sub.asked();
      const [name = ""] = worktrees(cwd);
      const place = join(cwd, ".claude/worktrees", name);
      writeFileSync(join(place, "made.txt"), "made\n");
      await sub.says("I made it.");
      await lead.says("I wait.");
      const told = toldTo(await lead.asked());
      assertThat(told.includes(`.claude/worktrees/${name}`), "its path is not told", told.slice(-800));
      assertThat(existsSync(join(place, "made.txt")), "what was made is gone");
    },
  }),
  leadCheck({
    id: "TREE-NAME/a",
    level: "L5",
    title: "an isolated agent's worktree and branch are named after the agent",
    requirements: ["ATP-WT-101"],
    revisions: ["2026-11"],
    with: { isRepository: true },
    async run({ lead, dialect, puppet, cwd }) {
      const more = { isolation: "worktree", run_in_background: true };
      await lead.does((await dialect()).delegate({ prompt, more }));
      await puppet("sub").asked();
      assertMatches("the worktrees", worktrees(cwd), [{ $match: "^agent-[\\w-]+$" }]);
      const [name = ""] = worktrees(cwd);
      const branch = join(cwd, ".git/refs/heads", `worktree-${name}`);
      assertThat(existsSync(branch), "there is no branch of its name", readdirSync(join(cwd, ".git/refs/heads")));
    },
  }),
];

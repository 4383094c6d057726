import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { awaited, untilSeen } from "../../../../scripts/awaited.ts";
import { toolUse, words } from "../../test/entries.ts";
import { placeAt } from "../../test/place.ts";
import { scratch } from "../../test/scratch.ts";
import { done, opened, settled, stage, turn } from "../../test/sessions.ts";
import { gate } from "../../test/team.ts";
import type { Line } from "../model/scripted.ts";

const task = (input: object = {}) =>
  toolUse("t1", "Agent", { description: "look around", prompt: "task one", ...input });

/** A session whose agent answers when it is let, and in which order the models were asked. */
function start(main: readonly Line[], says: Line = [words("A report.")], over: Parameters<typeof stage>[1] = {}) {
  const scene = stage({ "": main, "task one": [says] }, over);
  const log: string[] = [];
  const free = gate();
  const model: typeof scene.deps.model = async function* (request, signal) {
    const isAgents = request.messages[0]?.blocks.some((block) => block.includes("task one"));
    log.push(isAgents ? "the agent begins" : "the model goes on");
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    if (isAgents) await Promise.race([free.opened, aborted]);
    if (isAgents) log.push("the agent ends");
    yield* scene.deps.model(request, signal);
  };
  const skill = join(scene.cwd, ".claude/skills/audit");
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), "---\ndescription: audits\ncontext: fork\n---\nAudit it, task one.\n");
  scene.define("watcher", {});
  scene.trust();
  const session = opened({ ...scene.deps, model });
  const begun = () => untilSeen("the agent at work", () => log.includes("the agent begins"));
  return { ...scene, session, log, begun, letGo: free.open };
}

const [begins, ends, goesOn] = ["the agent begins", "the agent ends", "the model goes on"];

describe("who waits for an agent, and when the model goes on", () => {
  test("[LIFE-02] in the foreground the call waits, and the model goes on after its result", async () => {
    const { session, log, begun, letGo } = start([[task()], done]);
    const over = awaited("the end of the turn", turn(session, "go"));
    await begun();
    letGo();
    expect((await over).talk[2]).toContain("A report.");
    expect(log).toEqual([goesOn, begins, ends, goesOn]);
  });

  test.each([false, true])(
    "[LIFE-02] [ASYNC-11] in the background (asked for: %s) a job waits, and the model goes on once it is told that it was launched",
    async (run_in_background) => {
      const { session, log, begun, letGo } = start([[task({ run_in_background })], done, done]);
      const over = awaited("the end of the turn", turn(session, "go"));
      await begun();
      if (!run_in_background) session.jobs.running()[0]?.toBackground();
      expect((await over).talk[2]).toContain("works in the background");
      expect(log).toEqual(expect.arrayContaining([begins, goesOn, goesOn]));
      expect(log).not.toContain(ends);
      letGo();
      await settled(session);
      expect((await turn(session)).talk[4]).toMatch(/<task-notification>.*A report\./);
    },
  );

  test.each([false, true])(
    "[LIFE-02] [SLASH-07] of a typed command that an agent does, in a session where nothing may wait: %s, either the command waits or a job does",
    async (isAlwaysBackground) => {
      const { session, log, begun, letGo } = start([done, done], undefined, { gates: { isAlwaysBackground } });
      const output = awaited("the output of the command", session.submit("/audit"));
      await begun();
      if (!isAlwaysBackground) letGo();
      if (isAlwaysBackground) expect(await output).toContain("background");
      else expect(await output).toContain("A report.");
      await turn(session, "and now?");
      expect(log).toEqual(isAlwaysBackground ? [begins, goesOn] : [begins, ends, goesOn]);
      letGo();
      await settled(session);
      if (isAlwaysBackground) expect((await turn(session)).talk.join()).toContain("A report.");
    },
  );

  test("[LIFE-02] an agent that the session itself starts is waited for by what started it, and is no result of a call", async () => {
    const hooks = { Stop: [{ hooks: [{ type: "agent", prompt: "task one: is it so?" }] }] };
    const { session, log, begun, letGo } = start([done], [words('{"ok": true}')], { settings: { hooks } });
    const over = awaited("the end of the turn", turn(session, "go"));
    await begun();
    expect(log).toEqual([goesOn, begins]);
    letGo();
    expect((await over).talk.join()).not.toContain("tool_result");
    expect([log, session.queue.waiting()]).toEqual([[goesOn, begins, ends], []]);
  });
});

const failure = { kind: "invalid", message: "no credit" } as const;

test.each([
  ["completed", [words("A report.")], false, /A report\..*worktreePath/],
  ["failed", failure, false, /no credit/],
  ["killed", [words("never")], false, /was stopped/],
  ["completed", [words("A report.")], true, /<status>completed<.*A report\./],
  ["failed", failure, true, /<status>failed<.*no credit/],
  ["killed", [words("never")], true, /<status>killed</],
] as const)(
  "[LIFE-01] an agent that is %s (%j) is routed, has its worktree, is a job while it works, in the background: %s, is told of, and leaves nothing",
  async (status, says, run_in_background, told) => {
    const steps: string[] = [];
    const workspaces = {
      async open(slug: string) {
        steps.push(`worktree, ${session.jobs.all().length} jobs`);
        const path = join(scratch(), slug);
        mkdirSync(path);
        return placeAt(path, {
          leave: async () => ({ isChanged: true }),
          release: async () => {
            steps.push("given back");
            return { isKept: true };
          },
        });
      },
    };
    const call = task({ subagent_type: "watcher", isolation: "worktree", run_in_background });
    const { session, begun, letGo, requestsOf } = start([[call], done, done], says, { workspaces });
    const over = awaited("the end of the turn", turn(session, "go"));
    await begun();
    const [job] = session.jobs.running();
    expect([steps, job?.status()]).toEqual([["worktree, 0 jobs"], "running"]);
    if (status === "killed") await job?.stop();
    letGo();
    await settled(session);
    const { talk } = run_in_background ? await over.then(() => turn(session)) : await over;
    expect([job?.status(), steps, session.jobs.running()]).toEqual([status, ["worktree, 0 jobs", "given back"], []]);
    expect(JSON.stringify(requestsOf("task one")[0]?.system)).toContain("You are watcher.");
    expect(talk.at(run_in_background ? 4 : 2)).toMatch(told);
  },
);

import { expect, onTestFinished, test } from "vitest";
import { member } from "../../test/members.ts";
import { done } from "../../test/sessions.ts";
import { type Crew, crew, gate } from "../../test/team.ts";
import type { Question } from "../permissions/ask.ts";
import { attendPlace } from "./membership.ts";

const permission = (request_id: string) => ({
  type: "permission_request" as const,
  ...{ request_id, agent_id: "bob", tool_name: "Bash", tool_use_id: "u1", description: "list" },
  ...{ input: { command: "ls" }, permission_suggestions: [] },
});
const plan = {
  type: "plan_approval_request" as const,
  ...{ from: "bob", timestamp: "2026-02-13T10:43:07.887Z", requestId: "plan_approval-1770979387881@bob@crew" },
  ...{ planFilePath: "/p/a-b-c.md", planContent: "paint it" },
};

/** Bob asks his lead about a call and a plan; when both are on the screen something happens, and both are denied. */
async function asked(all: Crew, meanwhile: () => Promise<unknown> = async () => {}) {
  const questions: Question[] = [];
  const both = gate();
  const over = both.opened.then(meanwhile);
  const lead = await member(all, "team-lead", [done], {
    plans: "user",
    async ask(question) {
      if (questions.push(question) === 2) both.open();
      await over;
      return { behavior: "deny", message: "no" };
    },
  });
  const bob = await all.team.as("bob");
  for (const body of [permission("perm-1-aaaaaaa"), plan]) await bob.send("team-lead", { body });
  await over;
  return { questions, shown: lead.shown };
}

test("whoever asks is known to the lead's person by name and colour", async () => {
  const all = await crew("2026-11", "ann", "bob");
  const { value } = await all.team.config();
  const color = value?.members.find(({ name }) => name === "bob")?.color;
  const { questions } = await asked(all);
  expect(color).toEqual(expect.any(String));
  expect(questions.map(({ tool, from }) => [tool, from]).sort()).toEqual([
    ["Bash", { name: "bob", color }],
    ["ExitPlanMode", { name: "bob", color }],
  ]);
});

test("an answer that does not reach its teammate is shown", async () => {
  const all = await crew("2026-11", "ann", "bob");
  const { shown } = await asked(all, () => all.team.leave("bob"));
  while (shown.length < 2) await new Promise(setImmediate);
  expect(shown).toEqual(Array(2).fill(expect.stringMatching(/^An answer did not reach its teammate: .*bob/)));
});

test("before a member is idle hooks look at what it has begun itself, and not at what others have", async () => {
  const all = await crew("2026-11", "ann", "bob");
  const [self, bob] = [await all.team.as("ann"), await all.team.as("bob")];
  const claimed = async (subject: string, by: typeof self) => {
    const { id } = await by.tasks.create({ subject, description: "" });
    await by.tasks.claim(id, by.name);
    return id;
  };
  await claimed("mine", self);
  await claimed("his", bob);
  await self.tasks.update(await claimed("done", self), { status: "completed" });
  await self.tasks.create({ subject: "nobody's", description: "" });
  const looked: unknown[] = [];
  const hooks = {
    async fire(event: string, fields: Readonly<Record<string, unknown>>) {
      if (event === "TaskCompleted") looked.push([fields["task_subject"], fields["teammate_name"]]);
      return { context: [], messages: [], errors: [] };
    },
  };
  const ann = await member(all, "ann", [done]);
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  ann.agent.tell("work");
  const over = (async () => {
    const reports = { show: () => {}, stop: () => {} };
    const attending = attendPlace({ team: all.team, self, lead: "team-lead" }, ann.membership, {
      ...{ agent: ann.agent, hooks, show: () => {}, now: () => new Date(), signal: ending.signal },
      onTasks: { hooks, reports },
    });
    for await (const _ of attending);
  })();
  await all.leadHeard(1);
  ending.abort("shutdown");
  await over;
  expect(looked).toEqual([["mine", "ann"]]);
});

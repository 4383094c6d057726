import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { layoutOf } from "@troupe/protocol";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { commands } from "../../test/hooked.ts";
import { atWork, member } from "../../test/members.ts";
import { done } from "../../test/sessions.ts";
import { type Crew, crew, gate } from "../../test/team.ts";

const permission = {
  type: "permission_request" as const,
  request_id: "perm-1-aaaaaaa",
  agent_id: "bob",
  tool_name: "Bash",
  tool_use_id: "u1",
  description: "list",
  input: { command: "ls" },
  permission_suggestions: [],
};
const plan = {
  type: "plan_approval_request" as const,
  from: "bob",
  timestamp: "2026-02-13T10:43:07.887Z",
  requestId: "plan_approval-1770979387881@bob@crew",
  planFilePath: "/p/a-b-c.md",
  planContent: "paint it",
};

type Body = typeof permission | typeof plan;

/**
 * Bob asks his lead; once the first question is on the screen something happens, and each is
 * denied.
 */
async function asked(all: Crew, bodies: readonly Body[], meanwhile: () => Promise<unknown> = async () => {}) {
  const first = gate();
  const over = first.opened.then(meanwhile);
  const lead = await member(all, "team-lead", [done], {
    plans: "user",
    async ask() {
      first.open();
      await over;
      return { behavior: "deny", message: "no" };
    },
  });
  const bob = await all.team.as("bob");
  for (const body of bodies) await bob.send("team-lead", { body });
  await untilSeen("all questions", () => lead.asked.length === bodies.length);
  return lead;
}

test("whoever asks is known to the lead's person by name and colour", async () => {
  const all = await crew("2026-11", "ann", "bob");
  const { value } = await all.team.config();
  const color = value?.members.find(({ name }) => name === "bob")?.color;
  const { asked: questions } = await asked(all, [permission, plan]);
  expect(color).toEqual(expect.any(String));
  expect(questions.map(({ tool, from }) => [tool, from]).sort()).toEqual([
    ["Bash", { name: "bob", color }],
    ["ExitPlanMode", { name: "bob", color }],
  ]);
});

test.each([
  ["a permission", permission],
  ["a plan", plan],
])("an answer about %s that does not reach its teammate is shown", async (_, body) => {
  const all = await crew("2026-11", "ann", "bob");
  const { shown } = await asked(all, [body], () => all.team.leave("bob"));
  await untilSeen("words that are shown", () => shown.length > 0);
  expect(shown).toEqual([expect.stringMatching(/^An answer did not reach bob: /)]);
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
  const looked = join(all.root, "looked.ndjson");
  const TaskCompleted = commands(`cat >> ${looked}; echo >> ${looked}`);
  writeFileSync(join(all.root, "settings.json"), JSON.stringify({ hooks: { TaskCompleted } }));
  const ann = await member(all, "ann", [done]);
  ann.session.tell("work");
  atWork(ann);
  await all.leadHeard(1);
  const events = readFileSync(looked, "utf8")
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  expect(events.map(({ task_subject, teammate_name }) => [task_subject, teammate_name])).toEqual([["mine", "ann"]]);
});

test("a session does not open as a member whose words would pass for the person's, though its team has one", async () => {
  const all = await crew("2026-02", "bob");
  const path = layoutOf(all.root).team("crew").config;
  writeFileSync(path, readFileSync(path, "utf8").replaceAll("bob", "user"));
  await expect(member(all, "user", [done])).rejects.toThrow(/"user" cannot name a member/);
});

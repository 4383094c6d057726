import { existsSync } from "node:fs";
import { layoutOf } from "@troupe/protocol";
import { thisProcess } from "@troupe/store/files";
import { expect, test } from "vitest";
import { add, company } from "../../test/company.ts";
import { turn } from "../../test/sessions.ts";

const sessionId = "b7f5edcc-0000-4000-8000-000000000001";
const interactive = { revision: "2026-11", gates: { isInteractive: true }, sessionId } as const;
const name = "session-b7f5edcc";

test("[ATP-FS-101] [TEAM-14] an interactive session leads a team of its own from its first turn on, with an empty task list, and nobody made it", async () => {
  const { lead, store, requestsOf } = await company({}, interactive);
  await turn(lead, "hello");
  const team = await store.openTeam(name);
  expect((await team?.config())?.value).toMatchObject({
    leadSessionId: sessionId,
    leadProcess: { ...thisProcess(), claimedAt: expect.any(Number) },
    members: [{ name: "team-lead" }],
  });
  expect((await team?.tasks.list())?.tasks).toEqual([]);
  expect(lead.membership()?.team.name).toBe(name);
  const offered = requestsOf("")[0]?.["tools"] as { name: string }[];
  expect(offered.map((tool) => tool.name)).not.toContain("TeamCreate");
});

test("[ATP-SUB-103] [ROUTE-08] [ROUTE-21] in it an Agent call with a name adds a teammate, whatever team it names; it works and is heard", async () => {
  const { lead, store, leads, requestsOf, specs } = await company(
    { "": (_, nth) => (nth === 0 ? add("ann", { team_name: "another", mode: "plan" }) : "I wait.") },
    interactive,
  );
  const { talk } = await turn(lead, "do it");
  expect(talk.join()).toMatch(/agent_id: aann-[0-9a-f]{16}\\nname: ann\\n/);
  expect(specs).toMatchObject([{ team: name, name: "ann", planModeRequired: false }]);
  await leads(() => JSON.stringify(requestsOf("").at(-1)).includes("idle_notification"));
  expect(JSON.stringify(requestsOf("ann")[0]?.messages)).toContain("do the part of ann");
  expect((await (await store.openTeam(name))?.config())?.value?.members.map((one) => one.name)).toEqual([
    "team-lead",
    "ann",
  ]);
});

test("[ATP-SUB-103] without a person no team is made, and a named call is an agent in the background", async () => {
  const { lead, store } = await company(
    { "": (_, nth) => (nth === 0 ? add("ann") : "I wait.") },
    { revision: "2026-11", sessionId },
  );
  const { talk } = await turn(lead, "do it");
  expect(await store.listTeams()).toEqual([]);
  expect(talk.join()).toContain("The agent works in the background");
});

test("where teammates are wanted without a person, the session has its team all the same", async () => {
  const { lead } = await company({}, { revision: "2026-11", sessionId, gates: { hasOwnTeam: true } });
  await turn(lead, "hello");
  expect(lead.membership()?.team.name).toBe(name);
});

test("[TEAM-05] [TEAM-25] the team goes with the session, its teammates first, and the task list stays", async () => {
  const { lead, home, sessions, events } = await company(
    { "": (_, nth) => (nth === 0 ? add("ann") : "I wait.") },
    interactive,
  );
  await turn(lead, "do it");
  const { directory, tasks } = layoutOf(`${home}/.claude`).team(name);
  expect(existsSync(directory)).toBe(true);
  await lead.close();
  expect([existsSync(directory), existsSync(tasks)]).toEqual([false, true]);
  expect(sessions.get("ann")?.membership()).toBeUndefined();
  expect(events.findLast(({ kind }) => kind === "teammate")).toMatchObject({ name: "ann", seen: { kind: "ended" } });
});

test("a session that is closed while its first turn begins leaves no team behind", async () => {
  const { store, lead } = await company({}, interactive);
  const running = lead.run().next();
  await Promise.all([lead.close(), running.catch(() => {})]);
  expect(await store.listTeams()).toEqual([]);
});

test("a team that a killed process of the session left is led on, and says which process leads it now", async () => {
  const { store, lead } = await company({}, interactive);
  const draft = {
    name,
    leadSessionId: sessionId,
    leadModel: "m",
    createdAt: 7,
    cwd: "/",
    revision: "2026-11" as const,
  };
  const left = await store.createTeam({ ...draft, leadProcess: { pid: 1, claimedAt: 7 } });
  await left.join({ name: "bob", agentType: "a", model: "m", prompt: "p", joinedAt: 8, cwd: "/" });
  await turn(lead, "go on");
  expect((await left.config()).value).toMatchObject({
    createdAt: 7,
    leadProcess: { pid: process.pid },
    members: [{ name: "team-lead" }, { name: "bob" }],
  });
});

test("a session whose id begins as another's leaves that one's team alone, says so and works without", async () => {
  const shown: string[] = [];
  const { store, lead, requestsOf } = await company({}, { ...interactive, show: (text) => void shown.push(text) });
  await store.createTeam({ name, leadSessionId: "other", leadModel: "m", createdAt: 7, cwd: "/", revision: "2026-11" });
  await turn(lead, "hello");
  expect(shown).toEqual([
    `This session has no team of its own: there is a team called ${name}, which the session other leads: delete it once that session is over`,
  ]);
  expect([lead.membership(), requestsOf("").length]).toEqual([undefined, 1]);
  await lead.close();
  expect(await store.listTeams()).toEqual([name]);
});
